package dataset

import (
	"cmp"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// smallPTB writes a text in which "the" stands 4 times, the end of a line 3, <unk> and "cat" 2, and "ant" once.
func smallPTB(t *testing.T, dir, validation string) []File {
	return []File{
		put(t, dir, "ptb/train", []byte(" the <unk> the \n <unk> cat the \n ant cat the \n")),
		put(t, dir, "ptb/valid", []byte(validation)),
		put(t, dir, "ptb/test", []byte(" cat \n")),
	}
}

// The vocabulary is that of the training text, by frequency and then the alphabet, and the numbers are its places.
// Words that are not told apart are read as <unk>; the others keep their numbers.
func TestPTB(t *testing.T) {
	dir, _ := noData(t)
	files := smallPTB(t, dir, " ant <unk> the cat \n")
	for _, words := range []int{0, 5, 3} {
		got, err := PTB{Words: words}.read(files)
		check.OK(t, err)
		n := int32(cmp.Or(words, 5))
		check.Equal(t, got.Vocabulary, []string{"the", "<eos>", "<unk>", "cat", "ant"}[:n], "vocabulary of %d", words)
		for split, c := range map[string][2][]int32{
			Train:      {got.Train, {0, 2, 0, 1, 2, 3, 0, 1, 4, 3, 0, 1}},
			Validation: {got.Validation, {4, 2, 0, 3, 1}}, Test: {got.Test, {3, 1}},
		} {
			for i := range c[1] {
				c[1][i] = min(c[1][i], n-1) // of 3 words, <unk> is the last
			}
			check.Equal(t, c[0], c[1], "%s text of %d words", split, words)
		}
	}
	_, err := PTB{Words: 2}.read(files)
	check.Rejected(t, "a word too few", err, "<unk> is not among the 2")
	_, err = PTB{}.read(smallPTB(t, dir, " the dog \n"))
	check.Rejected(t, "a new word", err, `ptb/valid: word "dog"`)
	check.Equal(t, (PTB{Words: 2000}).Alphabet(), 2000, "size of the alphabet")
	check.Equal(t, (PTB{}).Alphabet(), PTBWords, "size of the alphabet")
}

func TestSplits(t *testing.T) {
	for name, want := range map[string]int{Train: 1, Validation: 2, Test: 3} {
		got, err := choose(name, []int{1}, []int{2}, []int{3})
		check.That(t, err == nil && got[0] == want, "%s is %v, %v", name, got, err)
	}
	_, err := choose[int]("validation", nil, nil, nil)
	check.Rejected(t, "a split", err, `"validation"`)
}
