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
		if waited(crash, program) {
			t.Error("the first cell does not run")
		}
		at := time.Unix(1_000_000, 0)
		for path, data := range map[string]string{crash: c.crash, program: "package main"} {
			check.OK(t, os.WriteFile(path, []byte(data), 0o644))
		}
		check.OK(t, os.Chtimes(crash, at, at))
		check.OK(t, os.Chtimes(program, at.Add(c.later), at.Add(c.later)))
		if got := waited(crash, program); got != c.want {
			t.Errorf("%+v: waited %v", c, got)
		}
	}
}
