package cell

// Normalized is the LSTM or GRU that LayerNorm runs in place of a plain one.
func Normalized(c Cell) Cell { return c.(interface{ normalized() Cell }).normalized() }
