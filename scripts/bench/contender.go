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
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/scripts/internal/command"
)

// A contender computes the models; a column of the table.
type contender struct {
	name, title string
	module      string // what its Python script imports; "" for one of GoMLX's backends, which has its name
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
	{name: "xla:cpu", title: "XLA CPU through GoMLX", ways: func(w workload) (ways []way) {
		for _, n := range threads() {
			ways = append(ways, way{count(n), []string{"-time", "xla:cpu", "-only", w.name}, n})
		}
		return ways
	}},
	{name: "pytorch:cuda", title: "PyTorch on CUDA (cuDNN)", module: "torch", slow: true, ways: func(w workload) []way {
		return []way{{"eager", append(w.arguments(), "--device", "cuda"), 0}}
	}},
	{name: "xla:cuda", title: "XLA CUDA through GoMLX", slow: true, ways: func(w workload) []way {
		return []way{{"as it is", []string{"-time", "xla:cuda", "-only", w.name}, 0}}
	}},
	{name: "go", title: "GoMLX's Go backend", slow: true, ways: func(w workload) []way {
		return []way{{count(runtime.NumCPU()), []string{"-time", "go", "-only", w.name}, 0}}
	}},
	{name: "simd", title: "simd", ways: func(w workload) (ways []way) {
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
func thosePresent(chosen []contender, named bool, stderr io.Writer) ([]contender, error) {
	var present []contender
	for _, c := range chosen {
		missing := c.find()
		switch {
		case missing == "":
			present = append(present, c)
		case named:
			return nil, fmt.Errorf("%s is missing: %s", c.name, missing)
		default:
			fmt.Fprintf(stderr, "Without %s: %s.\n", c.name, missing)
		}
	}
	if len(present) == 0 {
		return nil, errors.New("no contender is present")
	}
	return present, nil
}

// find finds what the contender needs, or says what is missing.
func (c *contender) find() (missing string) {
	if c.module == "" {
		engines := backend.List()
		return engines[slices.IndexFunc(engines, func(e backend.Engine) bool { return e.Name == c.name })].Missing
	}
	for _, python := range pythons {
		if exec.Command(python, "-c", "import "+c.module).Run() == nil {
			c.python = python
			return ""
		}
	}
	return fmt.Sprintf("no Python with %s; scripts/bench.sh -peers gets one", c.module)
}

// pythons are where the peers are looked for.
var pythons = []string{".cache/peers/bin/python", "python3", "/usr/bin/python3"}

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
			"jax": "scripts/bench/peer_jax.py"}[c.module])
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
