package dataset

import "fmt"

// The splits of a text or of a set of images, by name.
const (
	Train      = "train"
	Validation = "valid"
	Test       = "test"
)

// Alphabet is how many different characters there are.
func (Text8) Alphabet() int { return len(Text8Letters) }

// Symbols returns the split of that name, Train, Validation or Test. Errors are those of Read, and that there is no
// such split.
func (t Text8) Symbols(split string) ([]int32, error) {
	if err := checkSplit(split); err != nil {
		return nil, err
	}
	text, err := t.Read()
	if err != nil {
		return nil, err
	}
	characters := choose(split, text.Train, text.Validation, text.Test)
	symbols := make([]int32, len(characters))
	for i, c := range characters {
		symbols[i] = int32(c)
	}
	return symbols, nil
}

// Ready checks that the file is there and is the right one. The error is that of Read.
func (t Text8) Ready() error {
	from, err := t.source(text8Whole, text8Start)
	if err == nil {
		_, err = readAll([]File{from.File})
	}
	return err
}

// Alphabet is how many different words there are.
func (p PTB) Alphabet() int {
	if p.Words > 0 {
		return p.Words
	}
	return PTBWords
}

// Symbols returns the split of that name, Train, Validation or Test. Errors are those of Read, and that there is no
// such split.
func (p PTB) Symbols(split string) ([]int32, error) {
	if err := checkSplit(split); err != nil {
		return nil, err
	}
	words, err := p.Read()
	if err != nil {
		return nil, err
	}
	return choose(split, words.Train, words.Validation, words.Test), nil
}

// Ready checks that the three files are there and are the right ones. The error is that of Read.
func (PTB) Ready() error {
	_, err := readAll(ptbFiles)
	return err
}

// checkSplit returns an error unless there is a split of that name. It is asked before any file is looked for, which
// would be of no use.
func checkSplit(split string) error {
	switch split {
	case Train, Validation, Test:
		return nil
	}
	return fmt.Errorf("there is no split %q of a text, want %q, %q or %q", split, Train, Validation, Test)
}

// choose returns the split of that name, one that checkSplit knows.
func choose[T any](split string, train, validation, test []T) []T {
	switch split {
	case Train:
		return train
	case Validation:
		return validation
	}
	return test
}
