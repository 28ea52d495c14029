package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// EndOfSentence is the token that stands for the end of a line.
const EndOfSentence = "<eos>"

// The sizes of the Penn Treebank as Mikolov prepared it, with the ends of the lines.
const (
	PTBWords      = 10_000 // different words
	PTBTraining   = 929_589
	PTBValidation = 73_760
	PTBTest       = 82_430
)

// PTB is the Penn Treebank as prepared by Mikolov et al. 2010 (W Figure 7): articles of the Wall Street Journal, a
// sentence a line, in lower case, with N for numbers and <unk> for rare words, and his split.
type PTB struct{}

// Words is a text, split, as numbers of words.
type Words struct {
	// Vocabulary has each word of the training text once, EndOfSentence and <unk> among them: the more frequent first,
	// and the alphabetically first where two are as frequent. Word w of a text is Vocabulary[w].
	Vocabulary              []string
	Train, Validation, Test []int32 // each line followed by EndOfSentence
}

// Description says what is used for what.
func (PTB) Description() string {
	return fmt.Sprintf("Penn Treebank (Mikolov's, %s words): %s tokens for training, %s for validation, %s for testing",
		thousands(PTBWords), thousands(PTBTraining), thousands(PTBValidation), thousands(PTBTest))
}

// Read reads the three files. A word that the training text does not have is an error, as are a file that is missing
// (fs.ErrNotExist) or not the right one, and those of reading; each is one line.
func (p PTB) Read() (*Words, error) { return p.read(ptbFiles) }

func (PTB) read(files []File) (*Words, error) {
	data, err := readAll(files)
	if err != nil {
		return nil, err
	}
	var texts [3][]string
	for i := range texts {
		if texts[i], err = ParseWords(data[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", files[i].Name, err)
		}
	}
	words := &Words{Vocabulary: vocabulary(texts[0])}
	numbers := make(map[string]int32, len(words.Vocabulary))
	for i, word := range words.Vocabulary {
		numbers[word] = int32(i)
	}
	for i, to := range []*[]int32{&words.Train, &words.Validation, &words.Test} {
		*to = make([]int32, len(texts[i]))
		for t, word := range texts[i] {
			number, known := numbers[word]
			if !known {
				return nil, fmt.Errorf("%s: word %q, which the training text does not have", files[i].Name, word)
			}
			(*to)[t] = number
		}
	}
	return words, nil
}

// ParseWords divides a text into its words, with EndOfSentence after each line. Words are of printable ASCII and stand
// between spaces. A text that is empty or ends within a line, a line without words, another character, and a word
// EndOfSentence are errors.
func ParseWords(text []byte) ([]string, error) {
	if len(text) == 0 || text[len(text)-1] != '\n' {
		return nil, fmt.Errorf("text of %d bytes ends within a line, or is empty", len(text))
	}
	if i := slices.IndexFunc(text, func(c byte) bool { return c != '\n' && (c < ' ' || c > '~') }); i >= 0 {
		line := 1 + bytes.Count(text[:i], []byte("\n"))
		return nil, fmt.Errorf("line %d: byte %#02x, want printable ASCII", line, text[i])
	}
	// Each word is kept once, however often it occurs: else the slices of it would hold the whole text.
	once := map[string]string{}
	var words []string
	line := 0
	for sentence := range bytes.Lines(text) {
		line++
		before := len(words)
		for field := range bytes.FieldsSeq(sentence) {
			word, known := once[string(field)]
			if !known {
				word = string(field)
				once[word] = word
			}
			if word == EndOfSentence {
				return nil, fmt.Errorf("line %d has the word %s, which stands for its end", line, word)
			}
			words = append(words, word)
		}
		if len(words) == before {
			return nil, fmt.Errorf("line %d has no words", line)
		}
		words = append(words, EndOfSentence)
	}
	return words, nil
}

// vocabulary lists the different words of a text, the more frequent first.
func vocabulary(text []string) []string {
	counts := map[string]int{}
	for _, word := range text {
		counts[word]++
	}
	words := make([]string, 0, len(counts))
	for word := range counts {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return words
}
