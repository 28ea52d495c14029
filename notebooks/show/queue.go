package show

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// With Run All, Jupyter sends all cells at once. Where one panics, GoNB 0.11.5 still runs those that wait. So a cell
// that panics leaves a file, and a cell that finds it and was waiting ends at once.

func init() {
	if !gonbui.IsNotebook {
		return
	}
	dir := os.Getenv(protocol.GONB_TMP_DIR_ENV)
	crash, program := filepath.Join(dir, "crash.txt"), filepath.Join(dir, "main.go")
	if waited(crash, program) {
		Must(0, os.Chtimes(crash, time.Time{}, time.Now())) // for the cells behind this one
		fmt.Fprintln(os.Stderr, "A cell above has failed, so this one did not run. Mend that one; then run both again.")
		os.Exit(1)
	}
	f := Must(os.Create(crash))
	Must(0, debug.SetCrashOutput(f, debug.CrashOptions{})) // panics of all kinds
	Must(0, f.Close())                                     // SetCrashOutput keeps a copy
}

// waited says whether GoNB wrote this cell's program right after another one had crashed: sooner than somebody can
// change the cell that crashed and run it again. How long compiling takes does not matter.
func waited(crash, program string) bool {
	const soon = 5 * time.Second
	crashed, err := os.Stat(crash)
	if err != nil || crashed.Size() == 0 {
		return false
	}
	wrote, err := os.Stat(program)
	return err == nil && wrote.ModTime().Sub(crashed.ModTime()) < soon
}
