package experiment

import (
	"fmt"
	"math"

	"github.com/warptime/warptime/chrono/trial"
)

// A Schedule changes the learning rates in the course of training. It holds no state: the factors follow from the
// number of updates and the measurements so far, so that a resumed training is the same as one without a break.
type Schedule interface {
	// Factors returns the factor for each trial's rate after that update, the first being 1: [R], or one for all, or
	// nil if nothing changes. The caller's series returns all values so far of the measurement of that name, such as
	// the evaluation loss: [n][R], the oldest first. The error is one line.
	Factors(update int, series func(name string) [][]float64) ([]float64, error)
}

// ConstantRate leaves the learning rates as they are.
type ConstantRate struct{}

func (ConstantRate) Factors(int, func(string) [][]float64) ([]float64, error) { return nil, nil }

// ReduceOnPlateau is [trial.ReduceOnPlateau], every n updates.
type ReduceOnPlateau struct {
	Every  int    // n, 1 or more
	Series string // the evaluation losses, with a value at each of those updates
}

func (h ReduceOnPlateau) Factors(update int, series func(name string) [][]float64) ([]float64, error) {
	if update%h.Every != 0 {
		return nil, nil
	}
	losses := series(h.Series)
	if want := update / h.Every; len(losses) < want {
		return nil, fmt.Errorf("the rates after update %d depend on series %q, which has %d values, want %d, one for "+
			"every %d updates", update, h.Series, len(losses), want, h.Every)
	}
	return trial.ReduceOnPlateau(losses)
}

func (h ReduceOnPlateau) Validate() error {
	return Check(h.Every >= 1 && h.Series != "", "rates halved every %d updates by series %q: want 1 or more, and a "+
		"name", h.Every, h.Series)
}

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

func (d ExponentialDecay) Factors(update int, _ func(name string) [][]float64) ([]float64, error) {
	if update%d.Epoch != 0 || update/d.Epoch < d.After {
		return nil, nil
	}
	return []float64{1 / d.By}, nil
}

func (d ExponentialDecay) Validate() error {
	return Check(d.By > 0 && !math.IsInf(d.By, 0) && d.Epoch >= 1 && d.After >= 1, "exponential decay by %g in epochs "+
		"of %d updates after %d epochs: want numbers above 0", d.By, d.Epoch, d.After)
}
