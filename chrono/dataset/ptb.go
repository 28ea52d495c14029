package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// EndOfSentence is the token that stands for the end of a line.
const EndOfSentence = "<eos>"

// unknownWord is the token that stands for rare words.
const unknownWord = "<unk>"

// The sizes of the Penn Treebank as Mikolov prepared it, with the ends of the lines.
const (
	PTBWords      = 10_000 // different words
	PTBTraining   = 929_589
	PTBValidation = 73_760
	PTBTest       = 82_430
)

// PTB is the Penn Treebank as prepared by Mikolov et al. 2010 (W Figure 7): articles of the Wall Street Journal, a
// sentence a line, in lower case, with N for numbers and <unk> for rare words, and his split.
type PTB struct {
	// Words is 0 for all words. Otherwise only that many of them are told apart, the most frequent: every other is read
	// as <unk>.
	Words int
}

// Words is a text, split, as numbers of words.
type Words struct {
	// Vocabulary has each word of the training text once, EndOfSentence and <unk> among them: the more frequent first,
	// and the alphabetically first where two are as frequent. Word w of a text is Vocabulary[w]. Words that are not
	// told apart are not in it.
	Vocabulary              []string
	Train, Validation, Test []int32 // each line followed by EndOfSentence
}

// Description says what is used for what.
func (p PTB) Description() string {
	words := thousands(PTBWords) + " words"
	if p.Words != 0 {
		words += fmt.Sprintf(", of which only the %s most frequent are told apart", thousands(p.Words))
	}
	return fmt.Sprintf("Penn Treebank (Mikolov's, %s): %s tokens for training, %s for validation, %s for testing",
		words, thousands(PTBTraining), thousands(PTBValidation), thousands(PTBTest))
}

// Validate refuses a number of words that is negative, or more than there are.
func (p PTB) Validate() error {
	if p.Words < 0 || p.Words > PTBWords {
		//lint:ignore ST1005 the Penn Treebank is a name
		return fmt.Errorf("Penn Treebank: %d words, want 1 to %d, or 0 for all", p.Words, PTBWords)
	}
	return nil
}

// Read reads the three files. A word that the training text does not have is an error, as are a file that is missing
// (fs.ErrNotExist) or not the right one, and those of reading; each is one line.
func (p PTB) Read() (*Words, error) { return p.read(ptbFiles) }

func (p PTB) read(files []File) (*Words, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
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
	if p.Words > 0 && p.Words < len(words.Vocabulary) {
		unknown, known := numbers[unknownWord]
		if !known || int(unknown) >= p.Words {
			return nil, fmt.Errorf("%s: %s is not among the %d most frequent words", files[0].Name, unknownWord,
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
