package trial

// A Schedule changes the learning rates in the course of training. It holds no state: the factors follow from the
// number of updates and the measurements so far, so that a resumed training is the same as one without a break.
type Schedule interface {
	// Factors returns the factor for each trial's rate after that update, the first being 1: [R], or one for all, or
	// nil if nothing changes. series returns all values so far of a series of the record, [n][R], the oldest first. The
	// error is one line.
	Factors(update int, series func(name string) [][]float64) ([]float64, error)
}

// ConstantRate leaves the learning rates as they are.
type ConstantRate struct{}

// Factors implements Schedule: always nil.
func (ConstantRate) Factors(int, func(string) [][]float64) ([]float64, error) { return nil, nil }
