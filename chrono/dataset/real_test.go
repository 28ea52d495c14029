package dataset

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// here reads real files, which may also lie in the developers' directory, and skips the test if they are nowhere.
func here(t *testing.T, read func() error) {
	t.Helper()
	const developers = "../../../shared/data"
	if _, err := os.Stat(developers); err == nil && os.Getenv(Variable) == "" {
		t.Setenv(Variable, developers)
	}
	err := read()
	if errors.Is(err, fs.ErrNotExist) {
		need.Skip(t, "data", err.Error())
	}
	check.OK(t, err)
}

func TestRealMNIST(t *testing.T) {
	var got *LabelledImages
	here(t, func() (err error) { got, err = MNIST{Validation: 5000}.Read(); return err })
	for _, c := range []struct {
		what   string
		images Images
		n      int
		first  []uint8 // labels
	}{
		{"training", got.Train, 55_000, []uint8{5, 0, 4, 1, 9}},
		{"validation", got.Validation, 5000, nil},
		{"test", got.Test, MNISTTest, []uint8{7, 2, 1, 0, 4}},
	} {
		i := c.images
		if i.Len() != c.n || i.Rows != MNISTSide || i.Columns != MNISTSide || len(i.Pixels) != c.n*784 ||
			!slices.Equal(i.Labels[:len(c.first)], c.first) {
			t.Errorf("%s: %d images of %d×%d, labels %v …", c.what, i.Len(), i.Rows, i.Columns, i.Labels[:5])
		}
		var counts [Digits]int
		for _, label := range i.Labels {
			counts[label]++
		}
		if slices.Min(counts[:]) < c.n*8/100 { // the rarest digit, 5, is 9 %
			t.Errorf("%s: digits %v times", c.what, counts)
		}
	}
	// Published means of the pixels, as parts of white: 0.1307 of the training set's, 0.1325 of the test set's.
	if got := mean(got.Train.Pixels, got.Validation.Pixels); got < 0.13065 || got > 0.13075 {
		t.Errorf("mean of the training set's pixels %v", got)
	}
	if got := mean(got.Test.Pixels); got < 0.13245 || got > 0.13255 {
		t.Errorf("mean of the test set's pixels %v", got)
	}
}

// mean is the mean over all pixels, as a part of 255.
func mean(pixels ...[]uint8) float64 {
	total, n := 0, 0
	for _, some := range pixels {
		for _, p := range some {
			total += int(p)
		}
		n += len(some)
	}
	return float64(total) / 255 / float64(n)
}

func TestRealText8Prefix(t *testing.T) {
	var got []int32
	for split, n := range map[string]int{Validation: 373_787, Test: 373_787, Train: 6_728_182} {
		here(t, func() (err error) { got, err = Text8{Prefix: 7_475_756}.Symbols(split); return err })
		check.Equal(t, len(got), n, "%s: characters", split)
	}
	here(t, func() (err error) { got, err = Text8{Prefix: 1000}.Symbols(Train); return err })
	const begins = " anarchism originated as a term of abuse first used against early working class radicals"
	if text := letters(got[:len(begins)]); text != begins || len(got) != 900 {
		t.Errorf("%d characters, which begin with %q", len(got), text)
	}
}

func TestRealText8(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred million characters")
	}
	var got []int32
	here(t, func() (err error) { got, err = Text8{}.Symbols(Train); return err })
	check.Equal(t, len(got), 90_000_000, "characters")
}

func TestRealPTB(t *testing.T) {
	var got *Words
	here(t, func() (err error) { got, err = PTB{}.Read(); return err })
	if len(got.Vocabulary) != PTBWords || len(got.Train) != PTBTraining || len(got.Validation) != PTBValidation ||
		len(got.Test) != PTBTest {
		t.Errorf("%d words; %d, %d, %d tokens", len(got.Vocabulary), len(got.Train), len(got.Validation), len(got.Test))
	}
	if want := []string{"the", "<unk>", "<eos>", "N", "of"}; !slices.Equal(got.Vocabulary[:5], want) {
		t.Errorf("the most frequent words are %q, want %q", got.Vocabulary[:5], want)
	}
	sentences := 0
	for _, word := range got.Train {
		if got.Vocabulary[word] == EndOfSentence {
			sentences++
		}
	}
	check.Equal(t, sentences, 42_068, "sentences for training")
}
