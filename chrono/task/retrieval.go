package task

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/warptime/warptime/chrono/internal/given"
)

// The alphabet of associative retrieval: the letters a … z are 0 to 25, the digits 0 … 9 are 26 to 35, and "?" is 36.
const (
	RetrievalLetters  = 26
	RetrievalDigits   = 10
	RetrievalQuestion = RetrievalLetters + RetrievalDigits
)

// Retrieval is the associative retrieval task of C Section 2.2.1, after Ba et al. 2016: say which digit came after a
// letter. Sequences have 2·Pairs+3 steps:
//
//	step    0, 1           …   2·Pairs, 2·Pairs+1   2·Pairs+2
//	input   letter, digit  …   ?, ?                 one of the letters
//
// as in c9k8j3f1??k, where the answer is 8. The letters are uniform in a … z and no two are alike; the digits are
// uniform and independent, so that two may be alike, which C leaves open; and every letter is asked for equally often.
// The answer is wanted at the end only. Its classes are the digits: 0 … 9.
type Retrieval struct {
	Pairs int // K of C, 1 … 26
}

func (r Retrieval) Steps() int    { return 2*r.Pairs + 3 }
func (r Retrieval) Alphabet() int { return RetrievalQuestion + 1 }
func (r Retrieval) Classes() int  { return RetrievalDigits }

// Memoryless returns log 10, the loss of the best model that knows nothing of the sequence: one answer in ten is right.
func (r Retrieval) Memoryless() float64 { return math.Log(RetrievalDigits) }

// Unbound returns the loss and the accuracy of the best model that knows which digits a sequence contains, but not
// which digit belongs to which letter. It predicts a digit that occurs n times with probability n/Pairs. With four
// pairs the loss is 1.187 nats, and the accuracy is 38.35 %.
func (r Retrieval) Unbound() (loss, accuracy float64) {
	k, p := float64(r.Pairs), 1./RetrievalDigits
	for n := 1; n <= r.Pairs; n++ {
		// n of one digit: binomial. The sum over the digits is ten times that over one.
		choices := combin.LogGeneralizedBinomial(k, float64(n))
		probability := math.Exp(choices + float64(n)*math.Log(p) + float64(r.Pairs-n)*math.Log1p(-p))
		loss -= RetrievalDigits * probability * float64(n) / k * math.Log(float64(n)/k)
		accuracy += (1 - r.noneAbove(n-1)) / k // the mean of the largest n is the sum of P(largest ≥ n)
	}
	return loss, accuracy
}

// noneAbove is the probability that no digit comes more than most times: Pairs!/10^Pairs times the coefficient of
// z^Pairs in (Σ z^j/j!)^10, j up to most.
func (r Retrieval) noneAbove(most int) float64 {
	power := make([]float64, r.Pairs+1)
	power[0] = 1
	for range RetrievalDigits {
		next := make([]float64, r.Pairs+1)
		for i, c := range power {
			for j := 0; j <= most && i+j <= r.Pairs; j++ {
				next[i+j] += c / math.Gamma(float64(j+1))
			}
		}
		power = next
	}
	return power[r.Pairs] * math.Gamma(float64(r.Pairs+1)) / math.Pow(RetrievalDigits, float64(r.Pairs))
}

func (r Retrieval) Validate() error {
	return checkSize("retrieval", "Pairs", r.Pairs, 1, RetrievalLetters)
}

func (r Retrieval) Sample(rng *rand.Rand, in []int32) (answer int32) {
	given.RNG(rng)
	letters := rng.Perm(RetrievalLetters)
	for i := range r.Pairs {
		in[2*i], in[2*i+1] = int32(letters[i]), RetrievalLetters+rng.Int32N(RetrievalDigits)
	}
	in[2*r.Pairs], in[2*r.Pairs+1] = RetrievalQuestion, RetrievalQuestion
	asked := rng.IntN(r.Pairs)
	in[2*r.Pairs+2] = in[2*asked]
	return in[2*asked+1] - RetrievalLetters
}

// RetrievalText writes a sequence with the characters that it stands for: "c9k8j3f1??k".
func RetrievalText(in []int32) string {
	text := make([]byte, len(in))
	for t, symbol := range in {
		switch {
		case symbol == RetrievalQuestion:
			text[t] = '?'
		case symbol >= RetrievalLetters:
			text[t] = '0' + byte(symbol-RetrievalLetters)
		default:
			text[t] = 'a' + byte(symbol)
		}
	}
	return string(text)
}
