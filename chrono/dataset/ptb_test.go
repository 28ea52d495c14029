package dataset

import (
	"slices"
	"strings"
	"testing"
)

func TestParseWords(t *testing.T) {
	for _, c := range []struct {
		text, want, says string
	}{
		{" the <unk> N \n  a\n", "the <unk> N <eos> a <eos>", ""},
		{"~!\n", "~! <eos>", ""},
		{"the end", "", "text of 7 bytes ends within a line"},
		{"", "", "or is empty"},
		{"a\n \nb\n", "", "line 2 has no words"},
		{"a\n\n", "", "line 2 has no words"},
		{"a\nb <eos> c\n", "", "line 2 has the word <eos>"},
		{"a\nb\tc\n", "", "line 2: byte 0x09, want printable ASCII"},
		{"a\r\n", "", "line 1: byte 0x0d"},
		{"caf\xc3\xa9\n", "", "line 1: byte 0xc3"},
		{"a\x00\n", "", "line 1: byte 0x00"},
	} {
		got, err := ParseWords([]byte(c.text))
		if c.says != "" {
			wantError(t, err, c.says)
		} else if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q is %v, %v", c.text, got, err)
		}
	}
}

// smallPTB writes a text of three words and the ends of lines.
func smallPTB(t *testing.T, dir, validation string) []File {
	return []File{
		put(t, dir, "ptb/train", []byte(" the cat the \n the cat \n the ant \n")),
		put(t, dir, "ptb/valid", []byte(validation)),
		put(t, dir, "ptb/test", []byte(" the \n")),
	}
}

// The vocabulary is that of the training text, by frequency and then the alphabet, and the numbers are its places.
func TestPTB(t *testing.T) {
	dir, _ := noData(t)
	got, err := PTB{}.read(smallPTB(t, dir, " ant cat \n"))
	check(t, err)
	if want := []string{"the", "<eos>", "cat", "ant"}; !slices.Equal(got.Vocabulary, want) { // 4, 3, 2, 1 times
		t.Errorf("vocabulary %v, want %v", got.Vocabulary, want)
	}
	for _, c := range []struct {
		what      string
		got, want []int32
	}{
		{"training", got.Train, []int32{0, 2, 0, 1, 0, 2, 1, 0, 3, 1}},
		{"validation", got.Validation, []int32{3, 2, 1}},
		{"test", got.Test, []int32{0, 1}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s text is %v, want %v", c.what, c.got, c.want)
		}
	}
	if got := vocabulary([]string{"b", "c", "a", "c", "b", "a", "z", "z", "z"}); !slices.Equal(got,
		[]string{"z", "a", "b", "c"}) {
		t.Errorf("as frequent: %v", got)
	}

	_, err = PTB{}.read(smallPTB(t, dir, " the dog \n"))
	wantError(t, err, `ptb/valid: word "dog", which the training text does not have`)
	_, err = PTB{}.read(smallPTB(t, dir, "cut of"))
	wantError(t, err, "ptb/valid: text of 6 bytes ends within a line")
	const want = "Penn Treebank (Mikolov's, 10,000 words): 929,589 tokens for training, 73,760 for validation, " +
		"82,430 for testing"
	if got := (PTB{}).Description(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
