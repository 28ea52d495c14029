package run

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/warptime/warptime/replication/record"
)

// Hours by hand: go test ./replication/run -run Faults -faults 10000 -timeout 0
var (
	faults    = flag.Int("faults", 20, "rounds of TestFaults, each of some ten faults; of TestFullDisk a fifth as many")
	faultSeed = flag.Uint64("faults.seed", 0, "seed of the first round; 0 for another one each time")
)

// Whatever happens to the processes that train a run, the record that is there at last is the one that an undisturbed
// training leaves; and a process that cannot go on says so in one line.
//
// A round is some faults, one after the other, in one directory. They are drawn from the round's seed. When exactly a
// signal meets the other process is not, so that a seed that failed may need several tries.
func TestFaults(t *testing.T) {
	home := openHome(t)
	counts := map[string]int{}
	first := *faultSeed
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	rounds := 0
	defer func() {
		var text []string
		for _, what := range slices.Sorted(maps.Keys(counts)) {
			text = append(text, fmt.Sprintf("%d %s", counts[what], what))
		}
		t.Logf("%d rounds from seed %d without a record lost or changed: %s", rounds, first, strings.Join(text, ", "))
	}()
	for n := range *faults {
		seed := first + uint64(n)
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRound(t, home, seed, counts)
			for range 4 + r.rng.IntN(12) {
				r.fault()
				if _, err := os.Stat(r.path); err == nil {
					break // complete: the others would find nothing to do
				}
			}
			r.finished(t, r.want)
		})
		if !ok {
			t.Fatalf("to try again: go test ./replication/run -run Faults -faults 1 -faults.seed %d", seed)
		}
		rounds++
	}
}

// openHome returns a directory where children may work that are not root, whom no permission would stop. It holds a
// copy of this program.
func openHome(t *testing.T) string {
	home, err := os.MkdirTemp("", "faults-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	data, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.Chmod(home, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "program"), data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// nobody is whom children of root run as.
const nobody = 65534

// A round is what happens in one directory.
type round struct {
	child
	t      *testing.T
	home   string
	rng    *rand.Rand
	want   *record.Record
	counts map[string]int
	path   string // of the record
}

// references are the records of undisturbed runs, by task, updates and wildness.
var references sync.Map

func newRound(t *testing.T, home string, seed uint64, counts map[string]int) *round {
	rng := rand.New(rand.NewPCG(seed, 0))
	dir, err := os.MkdirTemp(home, "records-")
	if err == nil && os.Getuid() == 0 {
		err = os.Chown(dir, nobody, nobody)
	}
	if err != nil {
		t.Fatal(err)
	}
	pace := []struct {
		checkpoint time.Duration
		updates    int // of which a process does some hundred in its life
	}{{1, 150}, {3 * time.Millisecond, 500}, {time.Hour, 800}}[rng.IntN(3)]
	r := &round{t: t, home: home, rng: rng, counts: counts, child: child{
		Task: rng.IntN(len(tiny)), Engine: engine, Dir: dir, Checkpoint: pace.checkpoint, Updates: pace.updates,
		Wild: rng.IntN(4) == 0,
	}}
	key := [3]any{r.Task, r.Updates, r.Wild}
	want, ok := references.Load(key)
	if !ok {
		want = r.reference(t)
		references.Store(key, want)
	}
	r.want = want.(*record.Record)
	r.path = record.Path(dir, r.want.Header)
	return r
}

// fault does one thing to one or two processes.
func (r *round) fault() {
	kinds := []func(){r.kill, r.kill, r.terminate, r.handOver, r.handOver, r.two, r.limit, r.readOnly, r.moveClock}
	if canTrace() {
		kinds = append(kinds, r.killAtCall, r.killAtCall, r.failCall)
	}
	kinds[r.rng.IntN(len(kinds))]()
}

// A process is a child that runs.
type process struct {
	cmd    *exec.Cmd
	lines  chan struct{} // one for each update that it announces; closed at its end
	stderr bytes.Buffer
	signal syscall.Signal // the last that was sent, or 0
}

// start starts a child, perhaps by another program.
func (r *round) start(by ...string) *process {
	p := &process{cmd: r.command(by...), lines: make(chan struct{}, 1000)}
	p.cmd.Args[len(p.cmd.Args)-1] = filepath.Join(r.home, "program")
	if len(by) == 0 {
		p.cmd.Path = p.cmd.Args[0]
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // strace passes no signal on; the group gets them all
	if os.Getuid() == 0 {
		p.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			p.lines <- struct{}{}
		}
		io.Copy(io.Discard, stdout)
	}()
	return p
}

// sometime waits for a moment in the life of a process: a random update and a little more, or any moment.
func (r *round) sometime(p *process) {
	if r.rng.IntN(4) == 0 {
		time.Sleep(time.Duration(r.rng.IntN(150)) * time.Millisecond)
		return
	}
	for range 1 + r.rng.IntN(r.Updates/5) {
		if _, more := <-p.lines; !more {
			return
		}
	}
	time.Sleep(time.Duration(r.rng.IntN(4000)) * time.Microsecond)
}

func (p *process) send(signal syscall.Signal) {
	p.signal = signal
	syscall.Kill(-p.cmd.Process.Pid, signal) // it has not been waited for, so that the number is still its own
}

// end waits for the end of a process, and checks it. Reasons are why it may have refused to go on. It returns the one
// that it gives.
func (r *round) end(p *process, reasons ...string) string {
	r.t.Helper()
	for range p.lines {
	}
	p.cmd.Wait()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	said := p.stderr.String()
	switch {
	case status.Signaled() && p.signal != 0:
		return "" // killed, or terminated before it could save
	case strings.HasPrefix(said, "strace: ") && strings.Count(said, "\n") == 1:
		return "" // strace lost hold of a process that was ending; what it left must be good all the same
	case status.ExitStatus() == 130 && p.signal == syscall.SIGTERM && said == "":
		return ""
	case status.ExitStatus() == 0 && said == "":
		got, err := record.Read(r.path)
		if err != nil || !record.Equal(got, r.want) {
			r.t.Fatalf("it ends well, but with %v: %v", err, record.Compare(r.want, got))
		}
		return ""
	case status.ExitStatus() == 2 && strings.Count(said, "\n") == 1:
		for _, reason := range reasons {
			if strings.Contains(said, reason) {
				return reason
			}
		}
	}
	r.t.Fatalf("it ends with %v after signal %v and says %q", p.cmd.ProcessState, p.signal, said)
	return ""
}

// interrupted is end, of a process that is terminated if nothing happens to it before.
func (r *round) interrupted(p *process, reasons ...string) string {
	r.t.Helper()
	r.sometime(p)
	p.send(syscall.SIGTERM)
	return r.end(p, reasons...)
}

// kill ends a process at a moment of which it knows nothing.
func (r *round) kill() {
	p := r.start()
	r.sometime(p)
	p.send(syscall.SIGKILL)
	r.end(p)
	r.counts["kills"]++
}

// terminate asks a process to end.
func (r *round) terminate() {
	r.interrupted(r.start())
	r.counts["terminations"]++
}

const busy = "another process is writing it"

// handOver starts processes while the one before is about to end.
func (r *round) handOver() {
	p := r.start()
	for range 2 + r.rng.IntN(3) {
		r.sometime(p)
		next := r.start()
		time.Sleep(time.Duration(r.rng.IntN(120)) * time.Millisecond) // it takes so long to come to the lock
		if r.rng.IntN(3) == 0 {
			p.send(syscall.SIGKILL)
		} else {
			p.send(syscall.SIGTERM)
		}
		r.end(p, busy)
		r.counts["handovers"]++
		p = next
	}
	p.send(syscall.SIGTERM)
	if r.end(p, busy) != "" {
		r.counts["refusals (busy)"]++
	}
}

// two processes begin at the same time.
func (r *round) two() {
	p, q := r.start(), r.start()
	r.sometime(p)
	p.send(syscall.SIGKILL)
	r.sometime(q)
	q.send(syscall.SIGTERM)
	for _, each := range []*process{p, q} {
		if r.end(each, busy) != "" {
			r.counts["refusals (busy)"]++
		}
	}
	r.counts["pairs"]++
}

// limit lets no file grow beyond some size, as a full disk does.
func (r *round) limit() {
	limited := *r
	limited.FileSize = uint64(100 + r.rng.IntN(12_000))
	if r.interrupted(limited.start(), "file too large", "is the disk full?") != "" {
		r.counts["full disks"]++
	}
}

// readOnly takes the permission to write away while a process writes.
func (r *round) readOnly() {
	p := r.start()
	r.sometime(p)
	r.chmod(0o500, 0o400)
	if r.end(p, "permission denied") != "" {
		r.counts["read-only directories"]++
	}
	if r.end(r.start(), "permission denied") != "" {
		r.counts["read-only directories"]++
	}
	r.chmod(0o700, 0o600)
}

// chmod changes the modes of everything that is there.
func (r *round) chmod(dirs, files fs.FileMode) {
	r.walk(func(path string, d fs.DirEntry) error {
		if d.IsDir() {
			return os.Chmod(path, dirs)
		}
		return os.Chmod(path, files)
	})
}

// walk does something to everything that is there.
func (r *round) walk(do func(path string, d fs.DirEntry) error) {
	err := filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = do(path, d)
		}
		if errors.Is(err, fs.ErrNotExist) { // the process goes on removing and renaming
			return nil
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// named is how GoMLX names a checkpoint's files: by their number, the clock and the update.
var named = regexp.MustCompile(`^(checkpoint-n\d+)-\d{8}-\d{6}-`)

// moveClock leaves everything as if it had been written while the clock stood up to 50 years behind or ahead: the
// files' times, and the names that GoMLX gives by the clock. That is all that a process does with the time of day;
// durations are of the monotonic clock. Then a process goes on.
func (r *round) moveClock() {
	const years50 = 50 * 365 * 24
	then := time.Now().Add(time.Duration(r.rng.IntN(2*years50)-years50) * time.Hour)
	dir := checkpointDir(r.path)
	s, err := readCheckpoint(dir)
	if err != nil {
		r.t.Fatal(err)
	}
	if s != nil {
		moved := map[string]string{}
		for name, sum := range s.Files {
			now := named.ReplaceAllString(name, "$1-"+then.Format("20060102-150405")+"-")
			if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, now)); err != nil || now == name {
				r.t.Fatalf("%s is now %s: %v", name, now, err)
			}
			moved[now] = sum
		}
		s.Files = moved
		if err := os.WriteFile(filepath.Join(dir, stateFile), sign(r.t, s), 0); err != nil {
			r.t.Fatal(err)
		}
		r.counts["clocks moved"]++
	}
	r.walk(func(path string, _ fs.DirEntry) error { return os.Chtimes(path, then, then) })
	r.interrupted(r.start())
}

// canTrace tells whether strace is there and may trace.
var canTrace = sync.OnceValue(func() bool {
	return exec.Command("strace", "-f", "-o", "/dev/null", "true").Run() == nil
})

// strace runs a child and does something to it at a system call.
func strace(call, what string, when int) []string {
	return []string{"strace", "-f", "-qqq", "-o", "/dev/null",
		"-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", call, what, when)}
}

// nth is which call of a thread it is to be: often an early one.
func (r *round) nth() int { return 1 + r.rng.IntN(1+r.rng.IntN(40)) }

// killAtCall ends a process just before one of its system calls.
func (r *round) killAtCall() {
	calls := []string{"fsync", "renameat", "unlinkat", "ftruncate", "mkdirat", "flock", "openat", "write", "close"}
	call := calls[r.rng.IntN(len(calls))]
	p := r.start(strace(call, "signal=SIGKILL", r.nth())...)
	r.interrupted(p)
	if p.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		r.counts["kills at a system call"]++
	}
}

// failCall makes one system call of a process fail, or that one and all later ones of its kind.
func (r *round) failCall() {
	calls := []string{"fsync", "renameat", "unlinkat", "ftruncate", "mkdirat", "flock"}
	call := calls[r.rng.IntN(len(calls))]
	reason := []string{"EIO", "ENOSPC"}[r.rng.IntN(2)]
	by := strace(call, "error="+reason, r.nth())
	if r.rng.IntN(2) == 0 {
		by[len(by)-1] += "+"
	}
	if r.interrupted(r.start(by...), "input/output error", "no space left on device") != "" {
		r.counts["system calls failed"]++
	}
}
