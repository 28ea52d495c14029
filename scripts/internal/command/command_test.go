package terminal

import (
	"os"
	"testing"
)

func TestFileIsNoTerminal(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if Width(file) != nil || Colours(file) || Columns(file) != 100 {
		t.Error("a file is taken for a terminal")
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		columns int
		want    string
	}{
		{80, "go: a bb ccc dddd\n"},
		{11, "go: a bb\n    ccc\n    dddd\n"},
		{10, "go: a bb\n    ccc\n    dddd\n"},
		{4, "go: a\n    bb\n    ccc\n    dddd\n"}, // no word is broken
	} {
		if got := Wrap("go: ", "a bb  ccc\ndddd", c.columns); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
	}
}
