package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/scripts/internal/command"
)

// A contender computes the models; a column of the table.
type contender struct {
	name, title string
	engine      string // one of GoMLX's backends; or
	module      string // what its Python script imports
	ways        func(w workload) []way
	slow        bool // or needs a GPU: it is timed only where it is named

	python string // that has the module; found by thosePresent
}

// A way is how a contender can be run, such as on two threads.
type way struct {
	name      string // as the table says it
	arguments []string
	cores     int // the process may use, 0 for all
}

var contenders = []contender{
	{name: "pytorch", title: "PyTorch eager", module: "torch", ways: func(w workload) (ways []way) {
		for _, n := range threads() {
			ways = append(ways, way{count(n), append(w.arguments(), "--threads", fmt.Sprint(n)), 0})
		}
		return ways
	}},
	{name: "torch.compile", title: "PyTorch torch.compile", module: "torch", ways: func(w workload) (ways []way) {
		if w.peer != "gated" {
			return nil // nn.LSTM is one operation, and stays what it is; the programs are PyTorch's own layers, too
		}
		for _, chunk := range []int{5, 20} {
			for _, n := range threads() {
				ways = append(ways, way{fmt.Sprintf("%s, %d steps at once", count(n), chunk), append(w.arguments(),
					"--mode", "compile", "--chunk", fmt.Sprint(chunk), "--threads", fmt.Sprint(n)), 0})
			}
		}
		return ways
	}},
	{name: "jax", title: "JAX lax.scan", module: "jax", ways: func(w workload) (ways []way) {
		if w.program != nil {
			return nil
		}
		for _, unroll := range []int{1, 4} {
			for _, n := range threads() {
				ways = append(ways, way{fmt.Sprintf("%s, unroll %d", count(n), unroll),
					append(w.arguments(), "--unroll", fmt.Sprint(unroll)), n})
			}
		}
		return ways
	}},
	{name: "xla:cpu", title: "XLA CPU through GoMLX", engine: "xla:cpu", ways: func(w workload) (ways []way) {
		for _, n := range threads() {
			ways = append(ways, way{count(n), []string{"-time", "xla:cpu", "-only", w.name}, n})
		}
		return ways
	}},
	{name: "pytorch:cuda", title: "PyTorch on CUDA (cuDNN)", module: "torch", slow: true, ways: func(w workload) []way {
		return []way{{"eager", append(w.arguments(), "--device", "cuda"), 0}}
	}},
	{name: "xla:cuda", title: "XLA CUDA through GoMLX", engine: "xla:cuda", slow: true, ways: func(w workload) []way {
		return []way{{"as it is", []string{"-time", "xla:cuda", "-only", w.name}, 0}}
	}},
	{name: "go", title: "GoMLX's Go backend", engine: "go", slow: true, ways: func(w workload) []way {
		return []way{{count(runtime.NumCPU()), []string{"-time", "go", "-only", w.name}, 0}}
	}},
	{name: "simd", title: "simd", engine: "simd", ways: func(w workload) (ways []way) {
		for _, n := range threads() {
			ways = append(ways, way{count(n), []string{"-time", fmt.Sprintf("simd:threads=%d", n), "-only", w.name}, 0})
		}
		return ways
	}},
}

func (c contender) id() string      { return c.name }
func (c contender) onlyNamed() bool { return c.slow }

// threads are the numbers of threads to try.
func threads() []int { return slices.Compact([]int{1, runtime.NumCPU()}) }

func count(threads int) string {
	if threads == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", threads)
}

// thosePresent leaves out contenders that are missing, and says so; if they were named, a missing one is an error.
func thosePresent(chosen []contender, python string, named bool, stderr io.Writer) ([]contender, error) {
	var present []contender
	for _, c := range chosen {
		missing := c.find(python)
		if missing != "" && named {
			return nil, fmt.Errorf("%s is missing: %s", c.name, missing)
		}
		if missing != "" {
			fmt.Fprintf(stderr, "Without %s: %s.\n", c.name, missing)
			continue
		}
		present = append(present, c)
	}
	if len(present) == 0 {
		return nil, errors.New("no contender is present")
	}
	return present, nil
}

// find finds what the contender needs, or says what is missing.
func (c *contender) find(python string) (missing string) {
	if c.engine != "" {
		for _, e := range backend.List() {
			if e.Name == c.engine {
				return e.Missing
			}
		}
		return "no such engine"
	}
	candidates := []string{peersPython, "python3", "/usr/bin/python3"}
	if python != "" {
		candidates = []string{python}
	}
	for _, candidate := range candidates {
		if installed(candidate, c.module) != "" {
			c.python = candidate
			return ""
		}
	}
	return fmt.Sprintf("no Python with %s; -peers gets one", c.module)
}

// installed returns the version of a Python's module, empty if it has none.
func installed(python, module string) string {
	const program = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
	out, _ := exec.Command(python, "-c", program, module).Output()
	return strings.TrimSpace(string(out))
}

// atMost is how long a process may take, compiling and all.
const atMost = 15 * time.Minute

// time times a way in a process of its own.
func (c contender) time(ctx context.Context, way way, seconds float64) (timing, error) {
	var argv []string
	if way.cores > 0 && way.cores < runtime.NumCPU() {
		argv = []string{"taskset", "--cpu-list", fmt.Sprintf("0-%d", way.cores-1)}
	}
	if c.module != "" {
		argv = append(argv, c.python, map[string]string{"torch": "scripts/bench/peer_pytorch.py",
			"jax": "scripts/bench/peer_jax.py"}[c.module], "--end-with-parent")
	} else {
		self, err := os.Executable()
		if err != nil {
			return timing{}, err
		}
		argv = append(argv, self)
	}
	argv = append(argv, way.arguments...)
	argv = append(argv, "--seconds", fmt.Sprint(seconds))
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "TORCHINDUCTOR_CACHE_DIR="+compiledCache)
	alive, err := cmd.StdinPipe() // which nothing is written to; it ends when this process ends in any way
	if err != nil {
		return timing{}, err
	}
	defer alive.Close()
	var t timing
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &t)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		err = fmt.Errorf("more than %v", atMost)
	case errors.As(err, &exit):
		err = fmt.Errorf("%w: %s", err, command.LastLine(string(exit.Stderr)))
	}
	return t, err
}

// endWithParent ends this process when ctx ends, or the process that started it, which holds the other end of standard
// input: at once, since an update may take minutes.
func endWithParent(ctx context.Context) {
	context.AfterFunc(ctx, func() { os.Exit(130) })
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(130)
	}()
}
