package dataset

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// smallPTB makes a text in which "the" stands 4 times, the end of a line 3, <unk> and "cat" 2, and "ant" once.
func smallPTB(t *testing.T, dir, validation string) {
	replace(t, &ptbFiles, []File{
		put(t, dir, "ptb/train", []byte(" the <unk> the \n <unk> cat the \n ant cat the \n")),
		put(t, dir, "ptb/valid", []byte(validation)),
		put(t, dir, "ptb/test", []byte(" cat \n")),
	})
}

// The vocabulary is that of the training text, by frequency and then the alphabet, and the numbers are its places.
// Words that are not told apart are read as <unk>; the others keep their numbers.
func TestPTB(t *testing.T) {
	dir, _ := noData(t)
	smallPTB(t, dir, " ant <unk> the cat \n")
	for _, words := range []int{0, 5, 3} {
		got := check.Got(PTB{Words: words}.Read())(t)
		n := int32(cmp.Or(words, 5))
		check.Equal(t, got.Vocabulary, []string{"the", "<eos>", "<unk>", "cat", "ant"}[:n], "vocabulary of %d", words)
		for split, want := range map[string][]int32{
			Train: {0, 2, 0, 1, 2, 3, 0, 1, 4, 3, 0, 1}, Validation: {4, 2, 0, 3, 1}, Test: {3, 1},
		} {
			for i := range want {
				want[i] = min(want[i], n-1) // of 3 words, <unk> is the last
			}
			check.Equal(t, check.Got(PTB{Words: words}.Symbols(split))(t), want, "%s text of %d words", split, words)
		}
	}
	_, err := PTB{}.Symbols("validation")
	check.Rejected(t, "a split", err, `"validation"`)
	_, err = PTB{Words: 2}.Read()
	check.Rejected(t, "a word too few", err, "<unk> is not among the 2")
	smallPTB(t, dir, " the dog \n")
	_, err = PTB{}.Read()
	check.Rejected(t, "a new word", err, `ptb/valid: word "dog"`)
	check.Equal(t, (PTB{Words: 2000}).Alphabet(), 2000, "size of the alphabet")
	check.Equal(t, (PTB{}).Alphabet(), ptbWords, "size of the alphabet")
}

// text makes n characters of text8's.
func text(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = Text8Letters[rng.IntN(len(Text8Letters))]
	}
	return text
}

// smallText8 makes zip files of 1,050 characters and of their first 301, each in one of the directories.
func smallText8(t *testing.T, wholeIn, startIn string) {
	t.Helper()
	text := text(1050)
	replace(t, &text8Whole, put(t, wholeIn, "text8/whole.zip", text, zipped(t, text, "whole")))
	replace(t, &text8Start, put(t, startIn, "text8/start.zip", text[:301], zipped(t, text[:301], "start")))
}

func letters(symbols []int32) string {
	var b strings.Builder
	for _, s := range symbols {
		b.WriteByte(Text8Letters[s])
	}
	return b.String()
}

func TestText8(t *testing.T) {
	all := string(text(1050))
	for _, c := range []struct {
		prefix                int
		hasWhole, hasStart    bool
		trainEnds, testBegins int // 0 if the file that it needs is not there
		ends                  int
	}{
		{0, true, true, 946, 998, 1050},
		{0, true, false, 946, 998, 1050},
		{0, false, true, 0, 0, 0}, // never taken for the whole
		{301, false, true, 271, 286, 301},
		{301, true, false, 271, 286, 301},
		{301, true, true, 271, 286, 301},
		{40, false, true, 36, 38, 40},
		{40, true, false, 36, 38, 40},
		{20, true, false, 18, 19, 20},
		{302, true, true, 272, 287, 302},
		{302, false, true, 0, 0, 0},
		{40, false, false, 0, 0, 0},
	} {
		dir, _ := noData(t)
		place := map[bool]string{true: dir, false: t.TempDir()}
		smallText8(t, place[c.hasWhole], place[c.hasStart])
		for split, want := range map[string]string{
			Train: all[:c.trainEnds], Validation: all[c.trainEnds:c.testBegins], Test: all[c.testBegins:c.ends],
		} {
			got, err := Text8{c.prefix}.Symbols(split)
			if c.ends == 0 {
				check.Rejected(t, c, err, "text8/whole.zip; put")
			} else if err != nil || letters(got) != want {
				t.Errorf("%+v, %s: %d characters, want %d, or others: %v", c, split, len(got), len(want), err)
			}
		}
	}
}
