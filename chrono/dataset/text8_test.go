package dataset

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

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
func smallText8(t *testing.T, wholeIn, startIn string) (whole, start File) {
	t.Helper()
	text := text(1050)
	return put(t, wholeIn, "text8/whole.zip", text, zipped(t, text, "whole")),
		put(t, startIn, "text8/start.zip", text[:301], zipped(t, text[:301], "start"))
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
		{302, false, false, 0, 0, 0},
		{40, false, false, 0, 0, 0},
	} {
		dir, _ := noData(t)
		place := map[bool]string{true: dir, false: t.TempDir()}
		whole, start := smallText8(t, place[c.hasWhole], place[c.hasStart])
		for split, want := range map[string]string{
			Train: all[:c.trainEnds], Validation: all[c.trainEnds:c.testBegins], Test: all[c.testBegins:c.ends],
		} {
			got, err := Text8{c.prefix}.symbols(split, whole, start)
			if c.ends == 0 {
				check.Rejected(t, c, err, "text8/whole.zip; put")
			} else if err != nil || letters(got) != want {
				t.Errorf("%+v, %s: %d characters, want %d, or others: %v", c, split, len(got), len(want), err)
			}
		}
	}
}
