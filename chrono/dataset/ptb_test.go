package dataset

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

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
	check.OK(t, err)
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
		check.Equal(t, c.got, c.want, "%s text", c.what)
	}
	if got := vocabulary([]string{"b", "c", "a", "c", "b", "a", "z", "z", "z"}); !slices.Equal(got,
		[]string{"z", "a", "b", "c"}) {
		t.Errorf("as frequent: %v", got)
	}

	_, err = PTB{}.read(smallPTB(t, dir, " the dog \n"))
	check.Rejected(t, "a new word", err, `ptb/valid: word "dog"`)
}

// Words that are not told apart are read as <unk>; the others keep their numbers.
func TestFrequentWords(t *testing.T) {
	dir, _ := noData(t)
	files := []File{
		put(t, dir, "ptb/train", []byte(" the <unk> the \n <unk> cat the \n ant cat the \n")),
		put(t, dir, "ptb/valid", []byte(" ant <unk> the cat \n")),
		put(t, dir, "ptb/test", []byte(" cat \n")),
	}
	all, err := PTB{}.read(files)
	check.OK(t, err)
	few, err := PTB{Words: 3}.read(files) // the 4, <eos> 3, <unk> 2, cat 2, ant 1 times
	check.OK(t, err)
	if want := []string{"the", "<eos>", "<unk>"}; !slices.Equal(few.Vocabulary, want) {
		t.Errorf("vocabulary %v, want %v", few.Vocabulary, want)
	}
	if !slices.Equal(few.Validation, []int32{2, 2, 0, 2, 1}) || !slices.Equal(few.Test, []int32{2, 1}) {
		t.Errorf("validation %v, test %v", few.Validation, few.Test)
	}
	for i, word := range all.Train {
		if want := min(word, 2); few.Train[i] != want {
			t.Errorf("word %d is %d of few and %d of all", i, few.Train[i], word)
		}
	}
	_, err = PTB{Words: 2}.read(files)
	check.Rejected(t, "a word too few", err, "<unk> is not among the 2")
	same, err := PTB{Words: 5}.read(files)
	check.OK(t, err)
	if !slices.Equal(same.Train, all.Train) || !slices.Equal(same.Vocabulary, all.Vocabulary) {
		t.Error("with as many words as there are, it is another text")
	}
	check.Equal(t, (PTB{Words: 2000}).Alphabet(), 2000, "size of the alphabet")
	check.Equal(t, (PTB{}).Alphabet(), PTBWords, "size of the alphabet")
}

func TestSplits(t *testing.T) {
	for name, want := range map[string]int{Train: 1, Validation: 2, Test: 3} {
		if got, err := choose(name, []int{1}, []int{2}, []int{3}); err != nil || got[0] != want {
			t.Errorf("%s is %v, %v", name, got, err)
		}
	}
	_, err := choose[int]("validation", nil, nil, nil)
	check.Rejected(t, "a split", err, `"validation"`)
}
