package trial

// A Rule changes the learning rates in the course of training. It holds no state: what it says follows from the
// number of updates and from what was measured so far, so that a training that resumes goes on as it would have.
type Schedule interface {
	// Factors returns by what each trial's rate is to be multiplied after that update, the first being 1: [R], or one
	// for all, or nil where nothing changes. series returns all values so far of a series of the record, [n][R], the
	// oldest first. The error is one line.
	Factors(update int, series func(name string) [][]float64) ([]float64, error)
}

// Constant leaves the learning rates as they are.
type ConstantRate struct{}

// Factors implements Schedule: always nil.
func (ConstantRate) Factors(int, func(string) [][]float64) ([]float64, error) { return nil, nil }
