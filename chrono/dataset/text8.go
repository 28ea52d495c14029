package dataset

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/warptime/warptime/chrono/internal/given"
)

// Text8Letters are the characters of text8: symbol s is Text8Letters[s].
const Text8Letters = " abcdefghijklmnopqrstuvwxyz"

// text8Characters is the length of text8.
const text8Characters = 100_000_000

// leastPrefix is the shortest text of which 5 % are a character.
const leastPrefix = 20

// Text8 is Mahoney's text8 (W Figure 7), split as is usual: the first 90 % for training, the next 5 % for validation,
// the last 5 % for testing, which are 90,000,000, 5,000,000 and 5,000,000 characters.
type Text8 struct {
	// Prefix is 0 for all of text8. Otherwise only its first Prefix characters are used, 20 … 99,999,999, split in the
	// same proportions. Those up to 7,475,756 are also read from text8/text8-prefix-7475756.zip.
	Prefix int
}

func (t Text8) Validate() error {
	return given.Check(t.Prefix == 0 || t.Prefix >= leastPrefix && t.Prefix < text8Characters,
		"text8: prefix of %d characters, want %d to %d, or 0 for all of text8", t.Prefix, leastPrefix,
		text8Characters-1)
}

func (t Text8) Description() string {
	what, length := "text8", text8Characters
	if t.Prefix != 0 {
		length = t.Prefix
		what = fmt.Sprintf("only the first %s of text8's %s characters", thousands(length), thousands(text8Characters))
	}
	train, validation := text8Split(length)
	return fmt.Sprintf("%s: %s characters for training, %s for validation, %s for testing", what, thousands(train),
		thousands(validation), thousands(validation))
}

// text8Split divides a text: validation and test have the same length, 5 % rounded down.
func text8Split(length int) (train, validation int) {
	validation = length / 20
	return length - 2*validation, validation
}

func (Text8) Alphabet() int { return len(Text8Letters) }

// Symbols returns the split of that name, Train, Validation or Test. A prefix is taken from the short file if it is
// there and has as many characters, else from text8.zip; it is the same. Without a prefix text8.zip is needed. Errors
// are those of Validate, of a file that is missing (fs.ErrNotExist) or not the right one, of reading, and that there is
// no such split; each is one line.
func (t Text8) Symbols(split string) ([]int32, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	all, err := readAll([]File{t.file()})
	if err != nil {
		return nil, err
	}
	text := all[0]
	if t.Prefix > 0 {
		text = text[:t.Prefix]
	}
	train, validation := text8Split(len(text))
	if text, err = choose(split, text[:train], text[train:train+validation], text[train+validation:]); err != nil {
		return nil, err
	}
	symbols := make([]int32, len(text))
	for i, c := range text {
		if c != ' ' {
			symbols[i] = int32(c-'a') + 1
		}
	}
	return symbols, nil
}

// Ready checks that the file is there and is the right one. The error is that of Symbols.
func (t Text8) Ready() error { return ready(t.file()) }

func (t Text8) file() File {
	if t.Prefix > 0 && int64(t.Prefix) <= text8Start.Bytes {
		if _, err := find(text8Start); !errors.Is(err, fs.ErrNotExist) {
			return text8Start
		}
	}
	return text8Whole
}
