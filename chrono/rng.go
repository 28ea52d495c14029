package chrono

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// RNG returns the stream of random numbers that belongs to a seed and a purpose. The purpose is a list of labels, each
// a string, an int or a uint64, as in RNG(seed, "task", "train", n); an int counts as the uint64 of the same bits.
//
// The same seed and labels always give the same numbers, on every machine; different ones give numbers that are
// independent for any practical purpose. So each part of a program can have its own stream, which does not depend on
// what other parts draw, and sequence n of a data set can be drawn without drawing the n−1 before it.
//
// It panics with an error if a label has another type. (Panics within a graph-building function must be errors: GoMLX
// hangs if one panics with a string.)
func RNG(seed uint64, labels ...any) *rand.Rand {
	// Each label goes in with its kind and, if a string, its length, so that no two lists give the same bytes.
	key := binary.LittleEndian.AppendUint64(make([]byte, 0, 128), seed)
	for _, label := range labels {
		switch label := label.(type) {
		case string:
			key = binary.LittleEndian.AppendUint64(append(key, 's'), uint64(len(label)))
			key = append(key, label...)
		case int:
			key = binary.LittleEndian.AppendUint64(append(key, 'n'), uint64(label))
		case uint64:
			key = binary.LittleEndian.AppendUint64(append(key, 'n'), label)
		default:
			panic(fmt.Errorf("chrono: random stream labelled with a %T, want a string, an int or a uint64", label))
		}
	}
	sum := sha256.Sum256(key)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
}
