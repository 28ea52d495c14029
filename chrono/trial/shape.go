package trial

// Shape is the size of a batch, for a reader: the sequences of each trial, and the steps of time of each.
func (s Symbols) Shape() (batch, steps int) { return s.Batch, s.Steps() }

// Shape is the size of a batch, for a reader: the sequences of each trial, and the steps of time of each.
func (s Regression) Shape() (batch, steps int) { return s.Batch, s.Steps() }
