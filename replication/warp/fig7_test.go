package warp

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/internal/check"
)

// A made-up text is what its levels say: as frequent symbols, and no more followers than a word may have.
func TestBabble(t *testing.T) {
	spelled := Babble{Words: 50, Length: 200_000, Spelled: true, Seed: 3}
	words := Babble{Words: 50, Length: 100_000, Seed: 3}
	for _, b := range []Babble{spelled, words} {
		train := check.Got(b.Symbols(dataset.Train))(t)
		again, _ := b.Symbols(dataset.Train)
		valid, _ := b.Symbols(dataset.Validation)
		test, _ := b.Symbols(dataset.Test)
		check.That(t, slices.Equal(train, again) && len(train)+len(valid)+len(test) == b.Length &&
			len(valid) == b.Length/20 && !slices.Equal(valid, test), "%+v: %d, %d and %d symbols", b, len(train),
			len(valid), len(test))
		counts := make([]float64, b.Alphabet())
		for _, s := range train {
			counts[s] += 1 / float64(len(train))
		}
		entropy := 0.
		for _, share := range counts {
			if share > 0 {
				entropy -= share * math.Log(share)
			}
		}
		check.That(t, math.Abs(entropy-b.Memoryless()) <= 0.02,
			"%+v: memoryless %.3f, its symbols have %.3f", b, b.Memoryless(), entropy)
		check.That(t, b.Best() > 0 && b.Best() < b.Memoryless(),
			"%+v: best %.3f, memoryless %.3f", b, b.Best(), b.Memoryless())
		_, err := b.Symbols("other")
		check.That(t, err != nil, "there is a split of another name")
	}
	// The entropy of what follows a word, counted, is the best loss.
	train, _ := words.Symbols(dataset.Train)
	pairs, counts, entropy := map[[2]int32]float64{}, map[int32]float64{}, 0.
	for i, next := range train[1:] {
		pairs[[2]int32{train[i], next}]++
		counts[train[i]]++
	}
	for pair, n := range pairs {
		entropy -= n / float64(len(train)-1) * math.Log(n/counts[pair[0]])
	}
	check.That(t, math.Abs(entropy-words.Best()) <= 0.01, "best %.4f, counted %.4f", words.Best(), entropy)
	letters, _ := spelled.Symbols(dataset.Train)
	for _, word := range strings.Fields(spelled.Spell(letters[:500]))[:50] {
		check.That(t, slices.Contains(languageOf(spelled).words, word), "%q is no word", word)
	}
	for _, b := range []Babble{{Words: 1, Length: 100}, {Words: 5, Length: 19}, {Words: 5, Length: 20_000_000}} {
		check.That(t, b.Validate() != nil, "%+v is accepted", b)
	}
}
