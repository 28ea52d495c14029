package trial

// A Schedule changes the learning rates in the course of training: call Factors after each update, and give what it
// returns, unless that is nil, to [Optimizer.Multiply]. It holds no state: the factors follow from the number of
// updates and the measurements so far, so that a resumed training is the same as one without a break, if checkpoints
// are saved after Multiply.
type Schedule interface {
	// Factors returns the factor for each trial's rate after that update, the first being 1: [R], or one for all, or
	// nil if nothing changes. The caller's series returns all values so far of the measurement of that name, such as
	// the evaluation loss: [n][R], the oldest first. The error is one line.
	Factors(update int, series func(name string) [][]float64) ([]float64, error)
}

// ConstantRate leaves the learning rates as they are.
type ConstantRate struct{}

func (ConstantRate) Factors(int, func(string) [][]float64) ([]float64, error) { return nil, nil }
