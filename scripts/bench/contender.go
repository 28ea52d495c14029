package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/scripts/internal/command"
)

// A contender computes the models; a column of the table.
type contender struct {
	name, title string
	module      string // what its Python script imports; "" for one of GoMLX's backends, which has its name
	named       bool   // it is slow or needs a GPU: it is timed only where it is named
	ways        func(w workload) []way

	python string // that has the module; found by thosePresent
}

// A way is how a contender can be run, such as on two threads.
type way struct {
	name      string // as the table says it
	arguments []string
	cores     int       // the process may use, 0 for all
	times     []float64 // ms of each round
}

var contenders = []contender{
	{name: "pytorch", title: "PyTorch eager", module: "torch", ways: onThreads(func(w workload, n int) []way {
		return []way{{count(n), append(w.arguments(), "--threads", fmt.Sprint(n)), 0, nil}}
	})},
	{name: "torch.compile", title: "PyTorch torch.compile", module: "torch",
		ways: onThreads(func(w workload, n int) (ways []way) {
			for _, chunk := range []int{5, 20} {
				if w.peer == "gated" { // nn.LSTM is one operation, and the programs are PyTorch's own layers
					ways = append(ways, way{fmt.Sprintf("%s, %d steps at once", count(n), chunk), append(w.arguments(),
						"--mode", "compile", "--chunk", fmt.Sprint(chunk), "--threads", fmt.Sprint(n)), 0, nil})
				}
			}
			return ways
		})},
	{name: "jax", title: "JAX lax.scan", module: "jax", ways: onThreads(func(w workload, n int) (ways []way) {
		for _, unroll := range []int{1, 4} {
			if w.program == nil {
				ways = append(ways, way{fmt.Sprintf("%s, unroll %d", count(n), unroll),
					append(w.arguments(), "--unroll", fmt.Sprint(unroll)), n, nil})
			}
		}
		return ways
	})},
	{name: "xla:cpu", title: "XLA CPU through GoMLX", ways: onThreads(func(w workload, n int) []way {
		return []way{{count(n), here("xla:cpu", w), n, nil}}
	})},
	{name: "pytorch:cuda", title: "PyTorch on CUDA (cuDNN)", module: "torch", named: true, ways: func(w workload) []way {
		return []way{{"eager", append(w.arguments(), "--device", "cuda"), 0, nil}}
	}},
	{name: "xla:cuda", title: "XLA CUDA through GoMLX", named: true, ways: func(w workload) []way {
		return []way{{"as it is", here("xla:cuda", w), 0, nil}}
	}},
	{name: "go", title: "GoMLX's Go backend", named: true, ways: func(w workload) []way {
		return []way{{count(runtime.NumCPU()), here("go", w), 0, nil}}
	}},
	{name: "simd", title: "simd", ways: onThreads(func(w workload, n int) []way {
		return []way{{count(n), here(fmt.Sprintf("simd:threads=%d", n), w), 0, nil}}
	})},
}

func (c contender) id() string      { return c.name }
func (c contender) onlyNamed() bool { return c.named }

// onThreads are the ways on one thread and on one for each core.
func onThreads(ways func(w workload, n int) []way) func(workload) []way {
	return func(w workload) (all []way) {
		for _, n := range slices.Compact([]int{1, runtime.NumCPU()}) {
			all = append(all, ways(w, n)...)
		}
		return all
	}
}

// here are the arguments with which this program times a model on a backend.
func here(engine string, w workload) []string { return []string{"-time", engine, "-only", w.name} }

func count(threads int) string {
	if threads == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", threads)
}

// thosePresent leaves out contenders that are missing, and says so; if they were named, a missing one is an error.
func thosePresent(chosen []contender, named bool, stderr io.Writer) (present []contender, err error) {
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
	for _, python := range []string{".cache/peers/bin/python", "python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import "+c.module).Run() == nil {
			c.python = python
			return ""
		}
	}
	return fmt.Sprintf("no Python with %s; scripts/bench.sh -peers gets one", c.module)
}

// atMost is how long a process may take, compiling and all.
const atMost = 15 * time.Minute

// time times a way in a process of its own.
func (c contender) time(ctx context.Context, way way, seconds float64) (t timing, err error) {
	var argv []string
	if way.cores > 0 && way.cores < runtime.NumCPU() {
		argv = []string{"taskset", "--cpu-list", fmt.Sprintf("0-%d", way.cores-1)}
	}
	switch c.module {
	case "torch":
		argv = append(argv, c.python, "scripts/bench/peer_pytorch.py")
	case "jax":
		argv = append(argv, c.python, "scripts/bench/peer_jax.py")
	default:
		self, err := os.Executable()
		if err != nil {
			return t, err
		}
		argv = append(argv, self)
	}
	argv = slices.Concat(argv, way.arguments, []string{"--seconds", fmt.Sprint(seconds)})
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err == nil {
		err = json.Unmarshal(out, &t)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, command.LastLine(string(exit.Stderr)))
	}
	if ctx.Err() == context.DeadlineExceeded {
		err = fmt.Errorf("more than %v", atMost)
	}
	return t, err
}

// fastest is the median of the fastest way, and its name; infinite if there is none.
func fastest(ways []way) (ms float64, how string) {
	ms = math.Inf(1)
	for _, w := range ways {
		if len(w.times) > 0 && claim.Median(w.times) < ms {
			ms, how = claim.Median(w.times), w.name
		}
	}
	return ms, how
}
