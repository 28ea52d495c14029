package run

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
)

var rounds = flag.Int("rounds", 1, "kill and damage runs at random for this many rounds")

// A run that is killed and interrupted at random moments, begun twice at once, and begun with a damaged checkpoint ends
// as one that is undisturbed. The seed of a round does not determine when exactly a signal arrives.
func TestRandomFaults(t *testing.T) {
	for seed := range *rounds {
		t.Logf("seed %d", seed)
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		c := child{Task: copying, Dir: t.TempDir(), Updates: 600}
		task := check.Got(c.task())(t)
		path := record.CheckpointPath(record.Path(c.Dir, task.Header(engine)))
		for range 6 + rng.IntN(10) {
			whole, err := os.ReadFile(path)
			damaged := damage(rng, whole)
			if err == nil && rng.IntN(3) == 0 {
				check.Write(t, path, damaged)
			} else {
				damaged = nil
			}
			var processes []*process
			for range 1 + rng.IntN(2) {
				processes = append(processes, c.start(t))
				time.Sleep(time.Duration(rng.IntN(150)) * time.Millisecond)
			}
			for _, p := range processes {
				p.Process.Signal([]os.Signal{syscall.SIGTERM, syscall.SIGKILL}[rng.IntN(2)])
			}
			for _, p := range processes {
				state, says := p.ended(t)
				refused := damaged != nil || strings.HasSuffix(says, record.ErrBusy.Error())
				switch code := state.ExitCode(); {
				case code == 2 && refused && !strings.Contains(says, "\n"):
				case !slices.Contains([]int{-1, 0, 130}, code), code == 0 && damaged != nil:
					t.Fatalf("it ends with %v: %s", state, says)
				}
			}
			if damaged == nil {
				continue
			}
			now := check.Read(t, path)
			check.Must(t, bytes.Equal(now, damaged), "a damaged checkpoint was changed")
			check.Write(t, path, whole)
			if rng.IntN(2) == 0 {
				check.OK(t, os.Remove(path))
			}
		}
		c.finished(t)
	}
}

// damage changes a bit of a file, cuts it, or puts a part of it behind it.
func damage(rng *rand.Rand, whole []byte) []byte {
	if len(whole) == 0 {
		return nil
	}
	at, damaged := rng.IntN(len(whole)), slices.Clone(whole)
	switch rng.IntN(3) {
	case 0:
		damaged[at] ^= 1 << rng.IntN(8)
	case 1:
		return damaged[:at]
	case 2:
		return append(damaged, damaged[at:]...)
	}
	return damaged
}
