package task

import (
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/internal/check"
)

// question draws sequence number k.
func question(r Retrieval, k int) (in []int32, answer int32) {
	in = slices.Repeat([]int32{-1}, r.Steps()) // what was there before must not matter
	return in, r.Sample(chrono.RNG(1, "retrieval", r.Pairs, k), in)
}

// "After generating a sequence of K character-digit pairs from the alphabet {a, …, z} without replacement, one of the K
// different characters is selected at random as the query and the network must predict the target digit. In the input
// sequence, the query is presented directly after 2 ?? characters" (C 2.2.1).
func TestRetrievalFollowsTheDefinition(t *testing.T) {
	for _, pairs := range []int{1, 2, 4, 8, 26} {
		r := Retrieval{pairs}
		check.Must(t, r.Steps() == 2*pairs+3 && r.Alphabet() == 37 && r.Classes() == 10,
			"%#v: %d steps, %d symbols, %d classes", r, r.Steps(), r.Alphabet(), r.Classes())
		for k := range 200 {
			in, answer := question(r, k)
			text := RetrievalText(in)
			held := map[byte]byte{}
			for i := range pairs {
				letter, digit := text[2*i], text[2*i+1]
				check.Must(t, letter >= 'a' && letter <= 'z' && digit >= '0' && digit <= '9' && held[letter] == 0,
					"%s: pair %d is no letter with a digit, or the letter was there before", text, i)
				held[letter] = digit
			}
			check.Must(t, text[2*pairs:2*pairs+2] == "??", "%s: no ?? after the pairs", text)
			want := held[text[2*pairs+2]]
			check.Must(t, want != 0 && byte('0'+answer) == want, "%s: the answer is %d, want %q", text, answer, want)
		}
	}
}

// The levels of one pair, whose digit is known, and of all letters. (ExampleRetrieval has those of four pairs, which
// C's review has, too.)
func TestRetrievalLevels(t *testing.T) {
	loss, accuracy := Retrieval{1}.Unbound()
	check.Near(t, []float64{loss, accuracy}, []float64{0, 1}, 1e-12, "one pair: nats, and accuracy")
	loss, accuracy = Retrieval{26}.Unbound()
	check.That(t, loss > 1.187 && loss < math.Log(10) && accuracy > 0.1, "26 pairs: %.4f nats and %.4f", loss, accuracy)
	check.Equal(t, Retrieval{4}.Memoryless(), math.Log(10), "loss of knowing nothing")
}
