package simd_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	_ "github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

// training is a whole training step of a recurrent network that reads symbols and predicts one at every step: one-hot
// inputs, the cell, a read-out, softmax cross-entropy, gradients, and RMSprop.
type training struct {
	name                        string
	cell                        cell.Cell
	steps, trials, batch, width int
}

const classes = 10

// trainings are the models of the benchmark.
var trainings = []training{
	{"LSTM H=128 B=32 T=500", cell.LSTM{Hidden: 128}, 500, 1, 32, 128},
	{"LSTM H=128 B=128 T=520", cell.LSTM{Hidden: 128}, 520, 1, 128, 128},
	{"gated H=64 B=32 T=500", cell.Gated{Hidden: 64}, 500, 1, 32, 64},
	{"gated H=64 B=32 T=500 R=5", cell.Gated{Hidden: 64}, 500, 5, 32, 64},
	{"LSTM H=512 B=100 T=784", cell.LSTM{Hidden: 512}, 784, 1, 100, 512},
}

// graph takes symbols [T, R, B], labels [T, R, B], and for every weight its value and its mean squared gradient; it
// returns the loss and the new weights and mean squares.
func (m training) graph(in []*Node) []*Node {
	symbols, labels := in[0], in[1]
	values, squares := in[2:2+(len(in)-2)/2], in[2+(len(in)-2)/2:]
	g := symbols.Graph()
	x := OneHot(symbols, classes, dtypes.Float32)
	xs, weights := m.cell.Prepare([]*Node{x}, cell.ByName(m.cell.Weights(classes), values))
	var state []*Node
	for _, dims := range m.cell.StateDims() {
		state = append(state, Zeros(g, shapes.Make(dtypes.Float32, append([]int{m.trials, m.batch}, dims...)...)))
	}
	ys, _ := scan.New(m.cell.Step).Done(state, xs, weights)
	logits := DotGeneral(ys[0], []int{3}, []int{1}, values[len(values)-1], []int{1}, []int{0}) // [R, T, B, classes]
	target := TransposeAllAxes(OneHot(labels, classes, dtypes.Float32), 1, 0, 2, 3)
	loss := MulScalar(ReduceAllSum(Mul(target, LogSoftmax(logits))), -1/float64(m.steps*m.batch))
	out := []*Node{loss}
	var newSquares []*Node
	for i, d := range Gradient(loss, values...) {
		s := Add(MulScalar(squares[i], 0.9), MulScalar(Mul(d, d), 0.1))
		out = append(out, Sub(values[i], MulScalar(Div(d, Sqrt(AddScalar(s, 1e-8))), 1e-3)))
		newSquares = append(newSquares, s)
	}
	return append(out, newSquares...)
}

// arguments are random symbols and weights.
func (m training) arguments() []any {
	rng := rand.New(rand.NewPCG(1, 2))
	symbols := func() any {
		flat := make([]int32, m.steps*m.trials*m.batch)
		for i := range flat {
			flat[i] = rng.Int32N(classes)
		}
		return tensors.FromFlatDataAndDimensions(flat, m.steps, m.trials, m.batch)
	}
	args := []any{symbols(), symbols()}
	dims := [][]int{}
	for _, w := range m.cell.Weights(classes) {
		dims = append(dims, append([]int{m.trials}, w.Dims...))
	}
	dims = append(dims, []int{m.trials, m.width, classes})
	for _, scale := range []float32{0.1, 0} {
		for _, d := range dims {
			size := 1
			for _, n := range d {
				size *= n
			}
			flat := make([]float32, size)
			for i := range flat {
				flat[i] = scale * float32(rng.NormFloat64())
			}
			args = append(args, tensors.FromFlatDataAndDimensions(flat, d...))
		}
	}
	return args
}

func newBackend(t testing.TB, config string) compute.Backend {
	t.Helper()
	b, err := compute.NewWithConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// BenchmarkTraining times whole training steps on one and two threads, and on GoMLX's Go backend.
func BenchmarkTraining(b *testing.B) {
	defer simd.CheckStages(simd.CheckStages(false))
	for _, m := range trainings {
		for _, config := range []string{"simd:threads=1", "simd:threads=2", reference} {
			b.Run(fmt.Sprintf("%s/%s", m.name, config), func(b *testing.B) {
				exec := MustNewExec(newBackend(b, config), m.graph)
				args := m.arguments()
				exec.MustCall(args...)
				for b.Loop() {
					out := exec.MustCall(args...)
					for _, o := range out {
						o.MustFinalizeAll()
					}
				}
			})
		}
	}
}

// BenchmarkCompile times what is done before the first step of training: the graph of an LSTM compiled, on one thread.
func BenchmarkCompile(b *testing.B) {
	defer simd.CheckStages(simd.CheckStages(false))
	for _, m := range trainings[:3] {
		b.Run(m.name, func(b *testing.B) {
			backend := newBackend(b, "simd:threads=1")
			var of []shapes.Shape
			for _, a := range m.arguments() {
				of = append(of, a.(*tensors.Tensor).Shape())
			}
			for b.Loop() {
				if _, err := MustNewExec(backend, m.graph).Compile(of...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
