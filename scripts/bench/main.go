// Bench times whole training steps (forward, backward, update) of the simd backend beside PyTorch and GoMLX's Go
// backend, in turn, and prints a table. Start it with scripts/bench.sh.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/warptime/warptime/chrono/backend/simd/kernel"
)

// A workload is one of the models of BenchmarkTraining in chrono/backend/simd.
type workload struct {
	name                         string // of the sub-benchmark
	cell                         string // as scripts/peer_lstm.py calls it
	gates                        int
	hidden, batch, steps, models int
}

var workloads = []workload{
	{"LSTM_H=128_B=32_T=500", "lstm", 4, 128, 32, 500, 1},
	{"LSTM_H=128_B=128_T=520", "lstm", 4, 128, 128, 520, 1},
	{"gated_H=64_B=32_T=500", "gated", 2, 64, 32, 500, 1},
	{"gated_H=64_B=32_T=500_R=5", "gated", 2, 64, 32, 500, 5},
	{"LSTM_H=512_B=100_T=784", "lstm", 4, 512, 100, 784, 1},
}

// products is the number of floating-point operations of the matrix products that a training step cannot do without:
// those of the recurrent weights and of the read-out to 10 classes, once forward and twice backward.
func (w workload) products() float64 {
	perStep := w.hidden*w.gates*w.hidden + w.hidden*10
	return 3 * 2 * float64(perStep) * float64(w.batch) * float64(w.steps) * float64(w.models)
}

func main() {
	rounds := flag.Int("rounds", 3, "how often each is timed, in turn; the medians are printed")
	only := flag.String("only", "", "only the models whose name contains this")
	python := flag.String("python", "",
		"a Python with PyTorch (default: the first of python3 and /usr/bin/python3 that has it)")
	withGo := flag.Bool("go", true, "time GoMLX's Go backend too, which takes the longest")
	flag.Parse()
	if err := run(*rounds, *only, *python, *withGo); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

func run(rounds int, only, python string, withGo bool) error {
	if rounds < 1 || flag.NArg() > 0 {
		return errors.New("want -rounds of at least 1 and no other arguments; see -help")
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "training.test")
	build := exec.Command("go", "test", "-c", "-o", binary, "./chrono/backend/simd")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("the benchmark does not compile: %w", err)
	}
	if python == "" {
		python = findPyTorch()
	}
	if python == "" {
		fmt.Println("No Python with PyTorch found (Debian: apt-get install python3-torch): timed without it.")
	}

	cores := runtime.GOMAXPROCS(0)
	peak := kernel.PeakGFLOPS(time.Second)
	fmt.Printf("%s, %d threads, %s; measured peak %.0f GFLOP/s on one core. Medians of %d rounds.\n\n",
		processor(), cores, kernel.Current(), peak, rounds)
	fmt.Println("| training step | PyTorch, 1 thread | 2 threads, BLAS 1 | 2 threads, BLAS 2 | Go backend " +
		"| simd, 1 thread " +
		"| simd, 2 threads | simd against PyTorch's best | GFLOP/s | of the floor |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, w := range workloads {
		if !strings.Contains(w.name, only) {
			continue
		}
		if err := w.row(rounds, binary, python, withGo, peak*float64(cores)); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	fmt.Println("\nTimes are ms. The floor is the time of the matrix products alone at the measured peak of all",
		"threads.")
	return nil
}

// row times one model with everything there is, in turn, and prints the line of the table.
func (w workload) row(rounds int, binary, python string, withGo bool, peak float64) error {
	contenders := []func() (float64, error){
		func() (float64, error) { return w.pytorch(python, 1, 1) },
		func() (float64, error) { return w.pytorch(python, 2, 1) },
		func() (float64, error) { return w.pytorch(python, 2, 2) },
		func() (float64, error) { return w.benchmark(binary, "go:ops_sequential") },
		func() (float64, error) { return w.benchmark(binary, "simd:threads=1") },
		func() (float64, error) { return w.benchmark(binary, "simd:threads=2") },
	}
	times := make([][]float64, len(contenders))
	for range rounds {
		for i, time := range contenders {
			if (i < 3 && python == "") || (i == 3 && !withGo) {
				continue
			}
			ms, err := time()
			if err != nil {
				return err
			}
			times[i] = append(times[i], ms)
		}
	}
	median := make([]float64, len(times))
	cells := make([]string, len(times))
	for i, t := range times {
		cells[i] = "–"
		if len(t) > 0 {
			slices.Sort(t)
			median[i] = (t[(len(t)-1)/2] + t[len(t)/2]) / 2
			cells[i] = fmt.Sprintf("%.1f", median[i])
		}
	}
	simd := median[5]
	ratio := "–"
	if python != "" {
		ratio = fmt.Sprintf("%.1f ×", min(median[0], median[1], median[2])/simd)
	}
	share := "–"
	if peak > 0 {
		share = fmt.Sprintf("%.0f %%", 100*w.products()/(peak*1e6)/simd)
	}
	fmt.Printf("| %s | %s | %s | %.0f | %s |\n", strings.ReplaceAll(w.name, "_", " "), strings.Join(cells, " | "),
		ratio,
		w.products()/(simd*1e6), share)
	return nil
}

// pytorch returns the milliseconds of a step in PyTorch, with so many threads of its own and of its BLAS, which it does
// not always gain from. It has no models side by side: R of them take R times as long.
func (w workload) pytorch(python string, threads, blas int) (float64, error) {
	out, err := exec.Command(python, "scripts/peer_lstm.py", "--cell", w.cell, "--hidden", strconv.Itoa(w.hidden),
		"--batch", strconv.Itoa(w.batch), "--length", strconv.Itoa(w.steps), "--threads", strconv.Itoa(threads),
		"--blas-threads", strconv.Itoa(blas), "--steps", "5").Output()
	if err != nil {
		return 0, fmt.Errorf("PyTorch: %w", err)
	}
	var reply struct{ MS float64 }
	if err := json.Unmarshal(out, &reply); err != nil {
		return 0, fmt.Errorf("PyTorch: %w", err)
	}
	return reply.MS * float64(w.models), nil
}

var nsPerOp = regexp.MustCompile(`([0-9.]+) ns/op`)

// benchmark returns the milliseconds of a step on a GoMLX backend.
func (w workload) benchmark(binary, backend string) (float64, error) {
	pattern := "^BenchmarkTraining$/^" + regexp.QuoteMeta(w.name) + "$/^" + regexp.QuoteMeta(backend) + "$"
	out, err := exec.Command(binary, "-test.run=^$", "-test.benchtime=1s", "-test.bench="+pattern).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", backend, err, out)
	}
	found := nsPerOp.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("no benchmark %s", pattern)
	}
	ns, err := strconv.ParseFloat(string(found[1]), 64)
	return ns / 1e6, err
}

func findPyTorch() string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import torch").Run() == nil {
			return python
		}
	}
	return ""
}

// processor is the name of the machine's processor, where Linux tells it.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
