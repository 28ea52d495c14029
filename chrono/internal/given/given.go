// Package given checks what callers hand over.
package given

import (
	"errors"
	"math/rand/v2"
)

// RNG panics with a one-line error if the random stream is nil.
func RNG(rng *rand.Rand) {
	if rng == nil {
		panic(errors.New("chrono: the random stream is nil, want one, such as chrono.RNG(seed)"))
	}
}
