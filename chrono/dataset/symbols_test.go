package dataset

import (
	"slices"
	"testing"
)

// Words that are not told apart are read as <unk>; the others keep their numbers.
func TestFrequentWords(t *testing.T) {
	dir, _ := noData(t)
	files := []File{
		put(t, dir, "ptb/train", []byte(" the <unk> the \n <unk> cat the \n ant cat the \n")),
		put(t, dir, "ptb/valid", []byte(" ant <unk> the cat \n")),
		put(t, dir, "ptb/test", []byte(" cat \n")),
	}
	all, err := PTB{}.read(files)
	check(t, err)
	few, err := PTB{Words: 3}.read(files) // the 4, <eos> 3, <unk> 2, cat 2, ant 1 times
	check(t, err)
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
	wantError(t, err, "<unk> is not among the 2 most frequent words")
	same, err := PTB{Words: 5}.read(files)
	check(t, err)
	if !slices.Equal(same.Train, all.Train) || !slices.Equal(same.Vocabulary, all.Vocabulary) {
		t.Error("with as many words as there are, it is another text")
	}
	for _, words := range []int{-1, PTBWords + 1} {
		_, err := PTB{Words: words}.Read()
		wantError(t, err, "want 1 to 10000, or 0 for all")
	}
	if got := (PTB{Words: 2000}).Alphabet(); got != 2000 {
		t.Errorf("an alphabet of %d", got)
	}
	if got := (PTB{}).Alphabet(); got != PTBWords {
		t.Errorf("an alphabet of %d", got)
	}
	const want = "Penn Treebank (Mikolov's, 10,000 words, of which only the 2,000 most frequent are told apart): " +
		"929,589 tokens for training, 73,760 for validation, 82,430 for testing"
	if got := (PTB{Words: 2000}).Description(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSplits(t *testing.T) {
	for name, want := range map[string]int{Train: 1, Validation: 2, Test: 3} {
		if got := choose(name, []int{1}, []int{2}, []int{3}); checkSplit(name) != nil || got[0] != want {
			t.Errorf("%s is %v, %v", name, got, checkSplit(name))
		}
	}
	noData(t) // that there is no such split is said first
	for _, text := range []interface{ Symbols(string) ([]int32, error) }{Text8{}, PTB{}} {
		_, err := text.Symbols("validation")
		wantError(t, err, `there is no split "validation" of a text`)
	}
}

// Without the files texts are not ready, and cannot be read.
func TestNotReady(t *testing.T) {
	noData(t)
	for _, text := range []interface {
		Ready() error
		Symbols(string) ([]int32, error)
	}{Text8{Prefix: 40}, PTB{}} {
		wantError(t, text.Ready(), "not in ")
		_, err := text.Symbols(Train)
		wantError(t, err, "not in ")
	}
}
