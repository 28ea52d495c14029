package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

// optimizers is every method of chrono/trial.
var optimizers = []trial.Optimizer{
	{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-4}, Rates: []float64{0.01}},
	{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-4}, Rates: []float64{0.01, 0.02, 0.03}, Clip: 0.1, Decay: 0.01},
	{Method: trial.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-4}, Rates: []float64{0.01}, Clip: 0.1},
	{Method: trial.SGD{}, Rates: []float64{0.3}, Clip: 0.1},
}

const (
	classes = 5
	steps   = 5
	updates = 3
)

// symbols are inputs or labels of one update, [T, R, B], of the trials with those seeds.
func symbols(update int, seeds []uint64, stream string) *tensors.Tensor {
	flat := make([]int32, steps*len(seeds)*batch)
	for r, seed := range seeds {
		rng := chrono.RNG(seed, stream, fmt.Sprint(update))
		for t := range steps {
			for b := range batch {
				flat[(t*len(seeds)+r)*batch+b] = rng.Int32N(classes)
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, steps, len(seeds), batch)
}

// train trains one model for each seed, to tell a symbol from those before it, and returns every trial's loss at each
// update, and then every variable as it is in the end, [R, …] flat and in the order of their names.
func train(b compute.Backend, dtype dtypes.DType, c cell.Cell, from beginning, o trial.Optimizer,
	seeds []uint64) [][]float64 {
	store := model.NewStore()
	update := model.MustNewExec(b, store, func(scope *model.Scope, nodes []*Node) *Node {
		inputs, labels, context := nodes[0], nodes[1], nodes[2:]
		x := OneHot(inputs, classes, dtype)
		run := cell.New(scope.In("cell"), c, StopGradient(x)).Seeds(seeds...).Unroll(2)
		for i := range context {
			context[i] = ConvertDType(context[i], dtype)
		}
		ys, _ := run.InitialState(from.initial, context...).Done()
		logits := cell.Dense(scope.In("read-out"), ys[0], classes, cell.Orthogonal{}, seeds...)
		losses := trial.CrossEntropy{}.Losses(labels, logits)
		o.UpdateGraph(scope, inputs.Graph(), trial.Total(losses))
		return losses
	})
	var out [][]float64
	for n := range updates {
		batch := []any{symbols(n, seeds, "inputs"), symbols(n, seeds, "labels")}
		losses := update.MustCall(append(batch, from.context(n, c, seeds)...)...)
		out = append(out, numbers(losses[0]))
	}
	var weights []*model.Variable
	for v := range store.IterVariables() {
		if v.Trainable {
			weights = append(weights, v)
		}
	}
	slices.SortFunc(weights, func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
	for _, v := range weights {
		out = append(out, numbers(v.MustValue()))
	}
	return out
}

// Trainings from the same seeds have the same losses and end with the same weights, with every optimizer and clipping.
// They begin with the same bits, since weights are drawn on the host.
func TestTraining(t *testing.T) {
	seeds := []uint64{1, 2, 3}
	reference := Start(t, "go")
	initial := func(b compute.Backend) [][]float64 {
		still := trial.Optimizer{Method: trial.SGD{}, Rates: []float64{1e-60}} // 0 in float32
		return train(b, dtypes.Float32, cell.LSTM{Hidden: hidden}, learned, still, seeds)[updates:]
	}
	weights := initial(reference)
	want := make([][][]float64, len(optimizers))
	for i, o := range optimizers {
		want[i] = train(reference, dtypes.Float64, cell.RNN{Hidden: hidden}, learned, o, seeds)
		unbounded := o
		unbounded.Clip = 0
		unclipped := train(reference, dtypes.Float64, cell.RNN{Hidden: hidden}, learned, unbounded, seeds)
		if o.Clip > 0 && reflect.DeepEqual(want[i], unclipped) {
			t.Errorf("the bound of %+v clips nothing", o)
		}
	}
	OnEach(t, func(t *testing.T, _ string, b compute.Backend) {
		compare(t, "initial weights", initial(b), weights, 0)
		for _, dtype := range floats(b) {
			for i, o := range optimizers {
				t.Run(fmt.Sprintf("%T, clip %g/%s", o.Method, o.Clip, dtype), func(t *testing.T) {
					got := train(b, dtype, cell.RNN{Hidden: hidden}, learned, o, seeds)
					compare(t, "loss or weights", got, want[i], 10*tolerance[dtype]) // after three updates
				})
			}
		}
	})
}

// A trial is what it is alone, whatever becomes of the others, the last of which diverges here: bit for bit on simd,
// else as near as engines are to each other. With every cell, initial state and optimizer.
func TestTrialsAlone(t *testing.T) {
	type training struct {
		cell cell.Cell
		from beginning
		o    trial.Optimizer
	}
	wide := cell.LSTM{Hidden: 9} // whose inputs are in the loop
	all := []training{{wide, learned, optimizers[0]}, {fastWeights, normal, optimizers[0]}}
	for _, c := range cells {
		all = append(all, training{c.cell, beginnings[0], optimizers[0]})
	}
	for _, from := range beginnings {
		if _, ofEach := from.initial.(cell.Constant); !ofEach {
			all = append(all, training{wide, from, optimizers[0]})
		}
	}
	for _, o := range optimizers {
		all = append(all, training{wide, learned, o})
	}
	seeds := []uint64{5, 6, 7}
	OnEach(t, func(t *testing.T, name string, b compute.Backend) {
		allowed := 10 * tolerance[dtypes.Float32]
		if name == "simd" {
			allowed = 0
		}
		some := all
		if strings.HasPrefix(name, "xla") { // which compiles for seconds, and promises no bits
			some = all[:2]
		}
		for _, test := range some {
			o := test.o
			o.Rates = []float64{0.01, 0.02, 1e38}
			among := train(b, dtypes.Float32, test.cell, test.from, o, seeds)
			if last := among[updates-1][2]; last < 1e6 { // else it is large, infinite or NaN
				t.Errorf("%T, %+v: the last trial does not diverge, its loss is %g", test.cell, o, last)
			}
			for r, seed := range seeds[:2] {
				var own [][]float64
				for _, values := range among {
					size := len(values) / len(seeds)
					own = append(own, values[r*size:(r+1)*size])
				}
				o.Rates = []float64{0.01, 0.02}[r : r+1]
				alone := train(b, dtypes.Float32, test.cell, test.from, o, []uint64{seed})
				compare(t, fmt.Sprintf("%T, %+v, %+v, trial %d", test.cell, test.from, o, r), own, alone, allowed)
			}
		}
	})
}
