package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warptime/warptime/chrono/internal/given"
)

// EndOfSentence is the token that stands for the end of a line.
const EndOfSentence = "<eos>"

// unknownWord is the token that stands for rare words.
const unknownWord = "<unk>"

// The sizes of the Penn Treebank as Mikolov prepared it, with the ends of the lines.
const (
	ptbWords      = 10_000 // different words
	ptbTraining   = 929_589
	ptbValidation = 73_760
	ptbTest       = 82_430
)

// PTB is the Penn Treebank as prepared by Mikolov et al. 2010 (W Figure 7): articles of the Wall Street Journal, a
// sentence a line, in lower case, with N for numbers and <unk> for rare words, and his split.
type PTB struct {
	// Words is 0 for all 10,000 words. Otherwise only the Words most frequent ones are kept, and every other is read as
	// <unk>.
	Words int
}

// Words is a text, encoded as word numbers, with its three splits.
type Words struct {
	// Vocabulary contains each word of the training text once, including EndOfSentence and <unk>, by decreasing
	// frequency, and alphabetically where frequencies are equal. Only words that PTB.Words keeps are in it. Word w of a
	// text is Vocabulary[w].
	Vocabulary              []string
	Train, Validation, Test []int32 // each line followed by EndOfSentence
}

func (p PTB) Description() string {
	words := thousands(ptbWords) + " words"
	if p.Words != 0 {
		words += fmt.Sprintf(", of which only the %s most frequent are told apart", thousands(p.Words))
	}
	return fmt.Sprintf("Penn Treebank (Mikolov's, %s): %s tokens for training, %s for validation, %s for testing",
		words, thousands(ptbTraining), thousands(ptbValidation), thousands(ptbTest))
}

func (p PTB) Validate() error {
	return given.Check(p.Words >= 0 && p.Words <= ptbWords,
		"Penn Treebank: %d words, want 1 to %d, or 0 for all", p.Words, ptbWords)
}

// Read reads the three files. A word that the training text does not have is an error, as are a file that is missing
// (fs.ErrNotExist) or not the right one, and those of reading; each is one line.
func (p PTB) Read() (*Words, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	data, err := readAll(ptbFiles)
	if err != nil {
		return nil, err
	}
	var texts [3][]string
	for i := range texts {
		texts[i] = strings.Fields(strings.ReplaceAll(string(data[i]), "\n", " "+EndOfSentence+" "))
	}
	words := &Words{Vocabulary: vocabulary(texts[0])}
	numbers := make(map[string]int32, len(words.Vocabulary))
	for i, word := range words.Vocabulary {
		numbers[word] = int32(i)
	}
	if p.Words > 0 && p.Words < len(words.Vocabulary) {
		unknown, known := numbers[unknownWord]
		if !known || int(unknown) >= p.Words {
			return nil, fmt.Errorf("%s: %s is not among the %d most frequent words", ptbFiles[0].Name, unknownWord,
				p.Words)
		}
		for _, word := range words.Vocabulary[p.Words:] {
			numbers[word] = unknown
		}
		words.Vocabulary = words.Vocabulary[:p.Words:p.Words]
	}
	for i, to := range []*[]int32{&words.Train, &words.Validation, &words.Test} {
		*to = make([]int32, len(texts[i]))
		for t, word := range texts[i] {
			number, known := numbers[word]
			if !known {
				return nil, fmt.Errorf("%s: word %q, which the training text does not have", ptbFiles[i].Name, word)
			}
			(*to)[t] = number
		}
	}
	return words, nil
}

// vocabulary lists the different words of a text, the more frequent first.
func vocabulary(text []string) []string {
	counts := map[string]int{}
	for _, word := range text {
		counts[word]++
	}
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

func (p PTB) Alphabet() int {
	if p.Words > 0 {
		return p.Words
	}
	return ptbWords
}

// Symbols returns the split of that name, Train, Validation or Test. Errors are those of Read, and that there is no
// such split.
func (p PTB) Symbols(split string) ([]int32, error) {
	words, err := p.Read()
	if err != nil {
		return nil, err
	}
	return choose(split, words.Train, words.Validation, words.Test)
}

// Ready checks that the three files are there and are the right ones. The error is that of Read.
func (PTB) Ready() error { return ready(ptbFiles...) }
