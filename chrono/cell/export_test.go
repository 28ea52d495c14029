package cell

// Normalized is the LSTM or GRU that LayerNorm runs in place of a plain one.
func Normalized(c Cell) Cell { return (&Builder{cell: c}).LayerNorm().cell }

// All draws the initial values of all the weights, by name.
func (d Draws) All(weights []Weight) map[string][]float64 {
	values := make(map[string][]float64)
	for _, w := range weights {
		values[w.Name] = w.draw(d)
	}
	return values
}
