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
// that panics, or is interrupted, leaves a file, and a cell that finds it and was waiting ends at once.

// crashFile is the file of this notebook's kernel.
func crashFile() string { return filepath.Join(os.Getenv(protocol.GONB_TMP_DIR_ENV), "crash.txt") }

// stopWaiting makes the cells end that wait behind this one, as if it had panicked.
func stopWaiting() {
	if gonbui.IsNotebook {
		Must(0, os.WriteFile(crashFile(), []byte("interrupted\n"), 0o666))
	}
}

func init() {
	if !gonbui.IsNotebook {
		return
	}
	crash, program := crashFile(), filepath.Join(os.Getenv(protocol.GONB_TMP_DIR_ENV), "main.go")
	if waited(crash, program) {
		Must(0, os.Chtimes(crash, time.Time{}, time.Now())) // for the cells behind this one
		fmt.Fprintln(os.Stderr, "A cell above has failed or was interrupted, so this one did not run.")
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
