// Package bench times whole training updates (forward, backward, RMSprop) of this project beside PyTorch and JAX, and
// steps of streams. Start it with scripts/bench.sh.
package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// BenchmarkUpdate has a name for each model, by whom it is computed, and how: model=lstm128/by=simd/threads=2. What is
// missing on this machine is skipped.
func BenchmarkUpdate(b *testing.B) {
	threads := slices.Compact([]int{1, runtime.NumCPU()})
	for _, w := range workloads {
		on := func(engine, by string) {
			b.Run("model="+w.name+"/by="+by, func(b *testing.B) { w.here(b, engine) })
		}
		peer := func(by, module string, cores int, more ...string) {
			b.Run("model="+w.name+"/by="+by, func(b *testing.B) {
				ms := w.peers(b, module, cores, more)
				b.ReportMetric(w.products()/(ms*1e6), "GFLOP/s")
			})
		}
		for _, n := range threads {
			t := fmt.Sprint(n)
			on("simd:threads="+t, "simd/threads="+t)
			peer("pytorch/threads="+t, "torch", 0, "--threads", t)
			for _, steps := range []string{"5", "20"} {
				if w.program == nil && w.peer != "lstm" { // which are one operation, or PyTorch's own layers
					peer("torch.compile/threads="+t+"/at-once="+steps, "torch", 0, "--threads", t, "--mode", "compile",
						"--chunk", steps)
				}
			}
			if w.affine() {
				peer("pytorch-scan/threads="+t, "torch", 0, "--threads", t, "--mode", "scan")
				continue
			}
			if w.peer == "lstm" && w.trials == 1 {
				peer("onednn/threads="+t, "onednn", n)
			}
			for _, unroll := range []string{"1", "4"} {
				if w.program == nil {
					peer("jax/threads="+t+"/unroll="+unroll, "jax", n, "--unroll", unroll)
				}
			}
		}
		on("xla:cpu", "xla:cpu")
		on("xla:cuda", "xla:cuda")
		on("xla:cuda,tf32=true", "xla:cuda/tf32") // as PyTorch's cuDNN computes unless told otherwise
		on("go", "go")
		peer("pytorch:cuda", "torch", 0, "--device", "cuda")
	}
}

// BenchmarkBusy times updates while another program keeps one core busy: what are all threads worth, beside one?
func BenchmarkBusy(b *testing.B) {
	spin := exec.Command("sh", "-c", "while :; do :; done")
	if err := spin.Start(); err != nil {
		b.Skip(err)
	}
	defer spin.Wait()
	defer spin.Process.Kill()
	for _, w := range workloads {
		for _, n := range slices.Compact([]int{1, runtime.NumCPU()}) {
			engine := fmt.Sprintf("simd:threads=%d", n)
			b.Run(fmt.Sprintf("model=%s/by=simd/threads=%d", w.name, n), func(b *testing.B) { w.here(b, engine) })
		}
	}
}

// BenchmarkStep times one step of time of a stream, from the states after the step before. B = 1, with a read-out.
func BenchmarkStep(b *testing.B) {
	for _, w := range []workload{
		{cell: cell.LSTM{Hidden: 16}, peer: "lstm", hidden: 16},
		{cell: cell.LSTM{Hidden: 128}, peer: "lstm", hidden: 128},
		{cell: cell.MinGRU{Hidden: 128}, peer: "mingru", hidden: 128},
		{cell: cell.Selective{Hidden: 128, States: 16}, peer: "selective", hidden: 128},
	} {
		w.batch, w.length, w.trials = 1, 1, 1
		name := fmt.Sprintf("model=%s%d/by=", w.peer, w.hidden)
		b.Run(name+"simd", w.step)
		for by, mode := range map[string]string{"pytorch": "eager", "torch.compile": "compile"} {
			b.Run(name+by, func(b *testing.B) { w.peers(b, "torch", 0, []string{"--step", "--mode", mode}) })
		}
	}
}

func (w workload) step(b *testing.B) {
	engine := check.Got(backend.New("simd:threads=1"))(b)
	defer engine.Finalize()
	step := model.MustNewExec(engine, model.NewStore(), func(scope *model.Scope, in []*graph.Node) []*graph.Node {
		ys, states := cell.New(scope.In("cell"), w.cell, in[0]).From(in[1:]...).Done()
		return append([]*graph.Node{layers.Dense(scope.In("read-out"), ys[0], true, symbols)}, states...)
	})
	in := []any{tensors.FromShape(shapes.Make(dtypes.Float32, 1, 1, symbols))}
	once := func() {
		results := step.MustCall(in...)
		results[0].Value() // waits for it
		in = append(in[:1], xslices.Map(results[1:], func(state *tensors.Tensor) any { return state })...)
	}
	once() // compiles the first step,
	once() // and all others
	for b.Loop() {
		once()
	}
}

// here times updates on one of GoMLX's backends.
func (w workload) here(b *testing.B, engine string) {
	backend, err := backend.New(engine)
	if err != nil {
		b.Skip(err)
	}
	defer backend.Finalize()
	graph, inputs, labels := w.model()
	update := model.MustNewExec(backend, model.NewStore(), graph)
	once := func() {
		losses := update.MustCall(inputs, labels)
		losses[0].Value() // waits for it
		losses[0].MustFinalizeAll()
	}
	once() // compiles
	for b.Loop() {
		once()
	}
	b.ReportMetric(w.products()*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	if !w.affine() { // whose products are next to nothing
		update := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		b.ReportMetric(update*productSpeed(backend)/w.products(), "update/products")
	}
}

// productSpeed is how many GFLOP/s an engine makes at best in products of matrices of 512 by 512, one after the other.
func productSpeed(backend compute.Backend) float64 {
	const side, products = 512, 16
	product := graph.MustNewExec(backend, func(a, b *graph.Node) *graph.Node {
		for range products {
			a = graph.Dot(a, b).Product()
		}
		return graph.ReduceAllSum(a)
	})
	a := tensors.FromShape(shapes.Make(dtypes.Float32, side, side))
	best := time.Duration(math.MaxInt64)
	for range 50 {
		start := time.Now()
		c := product.MustCall(a, a)[0]
		c.Value() // waits for it
		best = min(best, time.Since(start))
		c.MustFinalizeAll()
	}
	return products * 2 * side * side * side / float64(best.Nanoseconds())
}

// peers returns the milliseconds that an update or a step takes a program of its own, or a script that imports a module
// of Python, on some cores, or all if cores is 0.
func (w workload) peers(b *testing.B, module string, cores int, more []string) float64 {
	contender := []string{"../../.cache/peers/bin/" + module}
	if script := map[string]string{"torch": "peer_pytorch.py", "jax": "peer_jax.py"}[module]; script != "" {
		contender = []string{python(module), script}
	}
	if _, err := exec.LookPath(contender[0]); err != nil {
		b.Skip("no ", module, "; scripts/bench.sh -peers gets it")
	}
	argv := slices.Concat(contender, w.arguments(), more)
	if cores > 0 && cores < runtime.NumCPU() {
		argv = append([]string{"taskset", "--cpu-list", fmt.Sprintf("0-%d", cores-1)}, argv...)
	}
	cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	var timing struct{ MS float64 }
	if err == nil {
		err = json.Unmarshal(out, &timing)
	}
	if err != nil {
		b.Fatal(err, said.String())
	}
	b.ReportMetric(timing.MS*1e6, "ns/op")
	return timing.MS
}

// python is one that has a module, or "".
func python(module string) string {
	for _, python := range []string{"../../.cache/peers/bin/python", "python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import "+module).Run() == nil {
			return python
		}
	}
	return ""
}

// The losses of each kind of model are those of random guesses before the first update.
func TestModels(t *testing.T) {
	engine := check.Got(backend.New(""))(t)
	tiny := workload{"tiny", cell.LSTM{Hidden: 4}, "lstm", 4, 4, 3, 5, 2, nil}
	for _, w := range append(workloads[len(workloads)-3:], tiny) {
		update, inputs, labels := w.model()
		store := model.NewStore()
		store.SetParam(model.ParamInitialSeed, int64(1)) // GoMLX's layers draw from another seed each time, else
		mean := model.MustNewExec(engine, store, func(scope *model.Scope, inputs, labels *graph.Node) *graph.Node {
			return graph.ReduceAllMean(update(scope, inputs, labels))
		})
		loss := mean.MustCall(inputs, labels)[0].Value().(float32)
		check.That(t, 1.5 < loss && loss < 8 && w.products() > 0, // log 10 is 2.3
			"%s: loss %g, %g operations", w.name, loss, w.products())
	}
}
