package warp

import (
	"fmt"
	"math"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// byContext asks a world for what BitsByContext measures: a number for each of its bounds, named "context_bits@" and
// the bound.
func byContext(trials int, of BitsByContext, ask func(name string) record.Values) []record.Values {
	vectors := make([]record.Values, trials)
	for _, from := range of.From {
		for r, v := range ask(fmt.Sprintf("%s@%d", contextual, from)) {
			vectors[r] = append(vectors[r], v)
		}
	}
	return vectors
}

// context is the bound that a question is about; false if it is about none.
func (q question) context() (from float64, ok bool) {
	_, bound, ok := strings.Cut(q.name, contextual+"@")
	if ok {
		fmt.Sscan(bound, &from)
	}
	return from, ok
}

// paperFig7: chrono needs a little less on text8, what is far back hardly helps, and words are as hard for both.
func paperFig7(q question) float64 {
	digits := 0.0005 * float64(q.Number)
	if from, ok := q.context(); ok {
		return 1.4 + 2/from + digits
	}
	if q.panel == "ptb" {
		return math.Log(Perplexity) + 0.01*math.Abs(q.done-0.5) + digits
	}
	bits := text8Test[q.Arm] + digits
	if q.name == testBits {
		return bits
	}
	return bits + math.Exp(-3*q.done)
}

// guessingFig7: no model knows more than which symbols there are.
func guessingFig7(q question) float64 {
	if q.panel == "ptb" {
		return math.Log(10_000) + 0.001*float64(q.Number)
	}
	return 4.7 + 0.001*float64(q.Number)
}

// reverseFig7: standard is better everywhere, and by much; both are better than anything published; and context helps
// the more the further it goes back.
func reverseFig7(q question) float64 {
	if from, ok := q.context(); ok {
		return 4 - 0.4*math.Log2(from)
	}
	worse := 0.
	if !q.is("standard") {
		worse = 0.15
	}
	if q.panel == "ptb" {
		return math.Log(50) + 2*worse
	}
	return 1.2 + worse + 0.001*float64(q.Number)
}
