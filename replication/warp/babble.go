package warp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/gomlx/compute/support/xslices"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
)

// Babble is a made-up text that stands in for text8, or for the Penn Treebank, where their files are not to be asked
// for: words of a made-up language, each of which may be followed by a few others only, some more often than others. It
// is a function of its fields.
type Babble struct {
	Words   int  // of the language
	Length  int  // symbols in all; 90 % for training, 5 % for validation, 5 % for testing
	Spelled bool // in letters with a space after each word, as text8; else word by word, word 0 being the end of a line
	Seed    uint64
}

// mostFollowers is how many words may follow a word; the i-th does so in proportion to 1/(i+1).
const mostFollowers = 8

// Validate refuses what cannot be split, or spelled in different words, and what a slip of the keyboard makes absurdly
// long.
func (b Babble) Validate() error {
	return experiment.Check(2 <= b.Words && b.Words <= 10_000 && 20 <= b.Length && b.Length <= 10_000_000,
		"babble: %d symbols in a language of %d words, want 20 to 10,000,000 in 2 to 10,000 words", b.Length, b.Words)
}

// Description says that it is no text of anybody's.
func (b Babble) Description() string {
	kind := "words"
	if b.Spelled {
		kind = "characters"
	}
	return fmt.Sprintf("no real text, but %s generated %s of a made-up language of %d words",
		figures.Thousands(b.Length), kind, b.Words)
}

func (b Babble) Alphabet() int {
	if b.Spelled {
		return len(dataset.Text8Letters)
	}
	return b.Words
}

func (b Babble) Symbols(split string) ([]int32, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	all, part := b.text(), b.Length/20
	switch split {
	case dataset.Train:
		return all[:b.Length-2*part], nil
	case dataset.Validation:
		return all[b.Length-2*part : b.Length-part], nil
	case dataset.Test:
		return all[b.Length-part:], nil
	}
	return nil, fmt.Errorf("babble: there is no split %q", split)
}

// Spell writes symbols as the text that they are.
func (b Babble) Spell(symbols []int32) string {
	var text []byte
	words := languageOf(b).words
	for _, s := range symbols {
		switch {
		case b.Spelled:
			text = append(text, dataset.Text8Letters[s])
		case s == 0:
			text = append(text, dataset.EndOfSentence+" "...)
		default:
			text = append(append(text, words[s]...), ' ')
		}
	}
	return string(text)
}

// Best is the lowest loss that any model can have, in nats per symbol: the language's entropy. What follows a word
// depends on that word alone, and in letters the space says where it ends.
func (b Babble) Best() float64 {
	l := languageOf(b)
	entropy, length := 0.0, 0.0
	for w, share := range l.shares() {
		entropy += share * stat.Entropy(l.next[w].p)
		length += share * float64(len(l.symbols[w]))
	}
	return entropy / length
}

// Memoryless is the loss of the best model that knows of no symbol before, in nats per symbol: the entropy of how often
// each occurs.
func (b Babble) Memoryless() float64 {
	l := languageOf(b)
	counts := make([]float64, b.Alphabet())
	for w, share := range l.shares() {
		for _, s := range l.symbols[w] {
			counts[s] += share
		}
	}
	floats.Scale(1/floats.Sum(counts), counts)
	return stat.Entropy(counts)
}

func (b Babble) text() []int32 {
	l := languageOf(b)
	rng := chrono.RNG(b.Seed, "babble", "text")
	var text []int32
	for word := 0; len(text) < b.Length; word = l.follow(word, rng) {
		text = append(text, l.symbols[word]...)
	}
	return text[:b.Length]
}

// A language is words, the symbols of each in a text, and by what each may be followed.
type language struct {
	words   []string
	symbols [][]int32
	next    []followers
}

// followers are the words that may follow one, ascending, and their probabilities.
type followers struct {
	words []int
	p     []float64
}

var languages sync.Map // by text

// languageOf makes the language of a text, once.
func languageOf(b Babble) *language {
	if l, ok := languages.Load(b); ok {
		return l.(*language)
	}
	rng := chrono.RNG(b.Seed, "babble", "language")
	l := &language{}
	for len(l.words) < b.Words {
		word := ""
		for range 1 + rng.IntN(3) {
			word += string("bdfgklmnprstvz"[rng.IntN(14)]) + string("aeiou"[rng.IntN(5)])
		}
		if rng.IntN(3) == 0 {
			word += string("lnrst"[rng.IntN(5)])
		}
		if slices.Contains(l.words, word) {
			continue
		}
		symbols := []int32{int32(len(l.words))}
		if b.Spelled {
			symbols = nil
			for _, letter := range word {
				symbols = append(symbols, letter-'a'+1)
			}
			symbols = append(symbols, 0)
		}
		l.words, l.symbols = append(l.words, word), append(l.symbols, symbols)
	}
	all := 0.0
	for i := range mostFollowers {
		all += 1 / float64(i+1)
	}
	for range l.words {
		next := map[int]float64{}
		for i := range mostFollowers {
			// The square makes some words frequent.
			at := rng.Float64()
			next[int(at*at*float64(b.Words))] += 1 / (float64(i+1) * all)
		}
		list := slices.Sorted(maps.Keys(next))
		l.next = append(l.next, followers{list, xslices.Map(list, func(word int) float64 { return next[word] })})
	}
	languages.Store(b, l)
	return l
}

func (l *language) follow(word int, rng *rand.Rand) int {
	at, list := rng.Float64(), l.next[word]
	for i, p := range list.p {
		if at -= p; at < 0 {
			return list.words[i]
		}
	}
	return list.words[len(list.words)-1]
}

// shares are how often each word occurs in a long text.
func (l *language) shares() []float64 {
	const rounds = 1000 // each brings them nearer to where they stay
	now := make([]float64, len(l.words))
	now[0] = 1
	for range rounds {
		after := make([]float64, len(now))
		for word, share := range now {
			for i, next := range l.next[word].words {
				after[next] += share * l.next[word].p[i]
			}
		}
		now = after
	}
	return now
}
