// Package given checks what callers hand over.
package given

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// RNG panics with a one-line error if the random stream is nil.
func RNG(rng *rand.Rand) {
	if rng == nil {
		panic(errors.New("chrono: the random stream is nil, want one, such as chrono.RNG(seed)"))
	}
}

// Valid panics with the error of settings that are invalid.
func Valid(settings interface{ Validate() error }) {
	if err := settings.Validate(); err != nil {
		panic(err)
	}
}

// Check returns the error of that text unless ok.
func Check(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// Finite tells whether x is neither NaN nor infinite.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
