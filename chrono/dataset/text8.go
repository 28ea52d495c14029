package dataset

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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
	// same proportions. Those up to 7,475,756 can be had from text8/text8-prefix-7475756.zip also.
	Prefix int
}

// Characters is a text, split, as symbols below len(Text8Letters).
type Characters struct{ Train, Validation, Test []uint8 }

// Validate refuses a prefix that is longer than text8, or too short to be split.
func (t Text8) Validate() error {
	if t.Prefix != 0 && (t.Prefix < leastPrefix || t.Prefix >= text8Characters) {
		return fmt.Errorf("text8: prefix of %d characters, want %d to %d, or 0 for all of text8", t.Prefix, leastPrefix,
			text8Characters-1)
	}
	return nil
}

// Description says what is used for what, and that it is not all of text8 where it is not.
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

// Read reads the text. A prefix is taken from the short file if it is there and has as many characters, else from
// text8.zip; it is the same. Without a prefix text8.zip is needed. Errors are those of Validate, of a file that is
// missing (fs.ErrNotExist) or not the right one, and of reading; each is one line.
func (t Text8) Read() (*Characters, error) { return t.read(text8Whole, text8Start) }

func (t Text8) read(whole, start corpus) (*Characters, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	from, err := t.source(whole, start)
	if err != nil {
		return nil, err
	}
	data, err := readAll([]File{from.File})
	if err != nil {
		return nil, err
	}
	text, err := from.unpack(data[0])
	if err == nil && from.Name == whole.Name {
		err = start.begins(text)
	}
	if err == nil && t.Prefix > 0 {
		text = text[:t.Prefix]
	}
	var symbols []uint8
	if err == nil {
		symbols, err = ParseCharacters(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	train, validation := text8Split(len(symbols))
	return &Characters{
		symbols[:train:train],
		symbols[train : train+validation : train+validation],
		symbols[train+validation:],
	}, nil
}

// source chooses the file to read.
func (t Text8) source(whole, start corpus) (corpus, error) {
	if t.Prefix == 0 || t.Prefix > start.characters {
		return whole, nil
	}
	dirs, err := Directories()
	if err != nil {
		return corpus{}, err
	}
	for _, c := range []corpus{start, whole} {
		if _, err := c.FindIn(dirs); !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
	}
	return corpus{}, missing{[]string{start.Name, whole.Name}, " or ", dirs}
}

// ParseCharacters turns a text into symbols: a space is 0, a … z are 1 … 26 ([Text8Letters]). Any other character is an
// error.
func ParseCharacters(text []byte) ([]uint8, error) {
	symbols := make([]uint8, len(text))
	for i, c := range text {
		switch {
		case 'a' <= c && c <= 'z':
			symbols[i] = c - 'a' + 1
		case c != ' ':
			return nil, fmt.Errorf("byte %#02x at position %d, want a to z or a space", c, i)
		}
	}
	return symbols, nil
}

// A corpus is a text in a zip file of one entry.
type corpus struct {
	File
	entry      string
	characters int
	sum        string // SHA-256 of the text, if another file begins with it
}

// unpack returns the text of the zip file, whose format has a checksum of its own.
func (c corpus) unpack(packed []byte) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, err
	}
	if len(archive.File) != 1 || archive.File[0].Name != c.entry {
		return nil, fmt.Errorf("not a zip file of %q alone", c.entry)
	}
	file, err := archive.File[0].Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := readAtMost(file, int64(c.characters))
	if err == nil && len(text) != c.characters {
		err = fmt.Errorf("%s characters, want %s", thousands(len(text)), thousands(c.characters))
	}
	return text, err
}

// begins refuses a text that does not begin with this one.
func (c corpus) begins(text []byte) error {
	if len(text) >= c.characters {
		if sum := sha256.Sum256(text[:c.characters]); hex.EncodeToString(sum[:]) == c.sum {
			return nil
		}
	}
	return fmt.Errorf("does not begin with the %s characters of %s", thousands(c.characters), c.entry)
}
