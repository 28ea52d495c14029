package trial

import "github.com/warptime/warptime/chrono/internal/given"

// ExponentialDecay divides the learning rates by a number, epoch by epoch: the first After epochs train at the first
// rate, and each one after them at the rate of the epoch before, divided by By. With epochs e counted from 0, the rate
// of epoch e is
//
//	rate/By^max(e−After+1, 0)
//
// Zilly et al. 2017 train at 0.2/1.02^max(e−19, 0): By 1.02, After 20.
type ExponentialDecay struct {
	By    float64 // above 0
	Epoch int     // updates in an epoch, 1 or more
	After int     // epochs at the first rate, 1 or more
}

// Factors implements Schedule: 1/By after the last update of an epoch if the next has a lower rate.
func (d ExponentialDecay) Factors(update int, _ func(name string) [][]float64) ([]float64, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if update%d.Epoch != 0 || update/d.Epoch < d.After {
		return nil, nil
	}
	return []float64{1 / d.By}, nil
}

// Validate returns a one-line error unless By > 0 and finite, Epoch ≥ 1, After ≥ 1.
func (d ExponentialDecay) Validate() error {
	return given.Check(d.By > 0 && given.Finite(d.By) && d.Epoch >= 1 && d.After >= 1,
		"trial: exponential decay by %g in epochs of %d updates after %d epochs, want numbers above 0", d.By, d.Epoch,
		d.After)
}
