package show

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
)

func TestOnlyWaitingCellsEnd(t *testing.T) {
	for _, c := range []struct {
		crash string
		later time.Duration // of the program, after the crash
		want  bool
	}{
		{"panic: no", time.Second, true},
		{"panic: no", time.Minute, false},
		{"", time.Second, false}, // the cell before it has not crashed
	} {
		dir := t.TempDir()
		crash, program := filepath.Join(dir, "crash"), filepath.Join(dir, "program")
		check.That(t, !waited(crash, program), "the first cell does not run")
		at := time.Unix(1_000_000, 0)
		check.Write(t, crash, []byte(c.crash))
		check.Write(t, program, []byte("package main"))
		check.OK(t, os.Chtimes(crash, at, at))
		check.OK(t, os.Chtimes(program, at.Add(c.later), at.Add(c.later)))
		check.Equal(t, waited(crash, program), c.want, "%+v: waited", c)
	}
}
