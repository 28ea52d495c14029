package dataset

import (
	"errors"
	"io/fs"
	"os"
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

// (What is in the files is certain, by their SHA-256.)
func TestRealMNIST(t *testing.T) {
	var got *LabelledImages
	here(t, func() (err error) { got, err = MNIST{Validation: 5000}.Read(); return err })
	for images, n := range map[*Images]int{&got.Train: 55_000, &got.Validation: 5000, &got.Test: mnistTest} {
		sizes := []int{images.Len(), images.Rows, images.Columns, len(images.Pixels)}
		check.Equal(t, sizes, []int{n, mnistSide, mnistSide, n * 784}, "images, their size, pixels")
	}
	check.Equal(t, got.Train.Labels[:5], []uint8{5, 0, 4, 1, 9}, "labels for training")
	check.Equal(t, got.Test.Labels[:5], []uint8{7, 2, 1, 0, 4}, "labels for testing")
}

func TestRealText8Prefix(t *testing.T) {
	var got []int32
	here(t, func() (err error) { got, err = Text8{Prefix: 1000}.Symbols(Train); return err })
	const begins = " anarchism originated as a term of abuse first used against early working class radicals"
	text := letters(got[:len(begins)])
	check.That(t, text == begins && len(got) == 900, "%d characters, which begin with %q", len(got), text)
}

func TestRealPTB(t *testing.T) {
	var got *Words
	here(t, func() (err error) { got, err = PTB{}.Read(); return err })
	counts := []int{len(got.Vocabulary), len(got.Train), len(got.Validation), len(got.Test)}
	check.Equal(t, counts, []int{ptbWords, ptbTraining, ptbValidation, ptbTest}, "words, and tokens of the three texts")
	check.Equal(t, got.Vocabulary[:5], []string{"the", "<unk>", "<eos>", "N", "of"}, "the most frequent words")
}
