package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
)

// optimizers is every method of chrono/trial.
var optimizers = []trial.Optimizer{
	{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-4}, Rates: []float64{0.01}},
	{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-4}, Rates: []float64{0.01}, Clip: 0.1, Decay: 0.01},
	{Method: trial.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-4}, Rates: []float64{0.01}, Clip: 0.1},
	{Method: trial.SGD{}, Rates: []float64{0.3}, Clip: 0.1},
}

const (
	classes = 5
	steps   = 5
	updates = 3
)

// A network tells a symbol from those before it: its class, or a number.
type network struct {
	cell                  cell.Cell
	from                  beginning
	optimizer             trial.Optimizer
	steps, batch, classes int
	last, number          bool // only the last step counts; it is a number
}

// usual is a network of the suite's sizes.
func usual(c cell.Cell, from beginning, o trial.Optimizer) network {
	return network{c, from, o, steps, batch, classes, false, false}
}

// drawNetwork draws a small one, which may be of one unit and read one sequence of one step.
func drawNetwork(rng *rand.Rand) network {
	hidden := []int{1, 1, 2, 3, 8, 17}[rng.IntN(6)]
	n := network{cells[rng.IntN(len(cells))].cell, beginnings[0], optimizers[rng.IntN(len(optimizers))],
		1 + rng.IntN(6), []int{1, 1, 2, 3, 8}[rng.IntN(5)], 2 + rng.IntN(3), rng.IntN(2) == 0, rng.IntN(2) == 0}
	size := reflect.New(reflect.TypeOf(n.cell)).Elem()
	size.Set(reflect.ValueOf(n.cell))
	size.FieldByName("Hidden").SetInt(int64(hidden))
	n.cell = size.Interface().(cell.Cell)
	if _, ok := n.cell.(cell.BNLSTM); ok {
		n.batch++ // it has no statistics of one sequence
	}
	return n
}

// symbols are inputs or labels of one update, [T, R, B], of the trials with those seeds.
func (n network) symbols(update int, seeds []uint64, stream string) *tensors.Tensor {
	flat := make([]int32, n.steps*len(seeds)*n.batch)
	for r, seed := range seeds {
		rng := chrono.RNG(seed, stream, fmt.Sprint(update))
		for t := range n.steps {
			for b := range n.batch {
				flat[(t*len(seeds)+r)*n.batch+b] = rng.Int32N(int32(n.classes))
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, n.steps, len(seeds), n.batch)
}

// train trains one model for each seed, and returns every trial's loss at each update, and then every variable as it is
// in the end, [R, …] flat and in the order of their names.
func (n network) train(b compute.Backend, dtype dtypes.DType, seeds []uint64) [][]float64 {
	store := model.NewStore()
	update := model.MustNewExec(b, store, func(scope *model.Scope, nodes []*Node) *Node {
		inputs, labels, context := nodes[0], nodes[1], nodes[2:]
		x := OneHot(inputs, n.classes, dtype)
		run := cell.New(scope.In("cell"), n.cell, StopGradient(x)).Seeds(seeds...).Unroll(2)
		for i := range context {
			context[i] = ConvertDType(context[i], dtype)
		}
		ys, _ := run.InitialState(n.from.initial, context...).Done()
		units := n.classes
		if n.number {
			units = 1
		}
		y := cell.Dense(scope.In("read-out"), ys[0], units, cell.Orthogonal{}, seeds...)
		if n.last {
			y, labels = Squeeze(Slice(y, AxisElem(-1)), 0), Squeeze(Slice(labels, AxisElem(-1)), 0)
		}
		var losses *Node
		if n.number {
			losses = trial.SquaredError(ConvertDType(labels, dtype), Squeeze(y, -1))
		} else {
			losses = trial.CrossEntropy(labels, y)
		}
		n.optimizer.UpdateGraph(scope, inputs.Graph(), trial.Total(losses))
		return losses
	})
	var out [][]float64
	for u := range updates {
		batch := []any{n.symbols(u, seeds, "inputs"), n.symbols(u, seeds, "labels")}
		losses := update.MustCall(append(batch, n.from.context(u, n.cell, n.batch, seeds)...)...)
		out = append(out, numeric.Of(losses[0]))
	}
	var weights []*model.Variable
	for v := range store.IterVariables() {
		if v.Trainable {
			weights = append(weights, v)
		}
	}
	slices.SortFunc(weights, func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
	return append(out, xslices.Map(weights, func(v *model.Variable) []float64 { return numeric.Of(v.MustValue()) })...)
}

// A trial is what it is alone, whatever becomes of the others, the last of which diverges here: bit for bit on simd,
// else as near as engines are to each other. Its losses and its weights are those of the reference. With every initial
// state, optimizer and cell, and in random networks.
func TestTraining(t *testing.T) {
	wide := cell.LSTM{Hidden: 9} // whose inputs are in the loop
	plain := trial.Optimizer{Method: trial.SGD{}, Rates: []float64{0.3}}
	all := []network{usual(fastWeights, normal, plain)}
	for _, from := range beginnings {
		all = append(all, usual(wide, from, plain))
	}
	for _, o := range optimizers {
		all = append(all, usual(wide, learned, o))
	}
	for _, c := range cells {
		all = append(all, usual(c.cell, beginnings[0], plain))
	}
	seeds, reference := []uint64{5, 6, 7}, Start(t, "go")
	rates := func(n network) []float64 { return []float64{n.optimizer.Rates[0], n.optimizer.Rates[0] / 2, 1e38} }
	alone := func(n network, b compute.Backend, dtype dtypes.DType, r int) [][]float64 {
		n.optimizer.Rates = rates(n)[r : r+1]
		return n.train(b, dtype, seeds[r:r+1])
	}
	want := make([][2][][]float64, len(all))
	for i, n := range all {
		want[i] = [2][][]float64{alone(n, reference, dtypes.Float64, 0), alone(n, reference, dtypes.Float64, 1)}
	}
	OnEach(t, func(t *testing.T, name string, b compute.Backend) {
		allowed, networks := 10*tolerance[dtypes.Float32], slices.Clone(all)
		if name == "simd" {
			allowed = 0
			for seed := range uint64(80) {
				networks = append(networks, drawNetwork(rand.New(rand.NewPCG(seed, 7))))
			}
		}
		for i, n := range networks {
			beside := n
			beside.optimizer.Rates = rates(n)
			among := beside.train(b, dtypes.Float32, seeds)
			if !slices.ContainsFunc(among[updates:], func(weights []float64) bool {
				return !(math.Abs(weights[len(weights)-1]) < 1e30) // a large, infinite or NaN one of the last trial
			}) {
				t.Errorf("%+v: the last trial does not diverge", n)
			}
			for r := range 2 {
				var own [][]float64
				for _, values := range among {
					size := len(values) / len(seeds)
					own = append(own, values[r*size:(r+1)*size])
				}
				if i < 2 || !strings.HasPrefix(name, "xla") { // which compiles for seconds, and promises no bits
					check.Close(t, own, alone(n, b, dtypes.Float32, r), allowed, "%+v, trial %d alone", n, r)
				}
				if i < len(all) {
					check.Close(t, own, want[i][r], 10*tolerance[dtypes.Float32], "%+v, trial %d", n, r)
				}
			}
		}
	})
}

// A beginning is an initial state with its context.
type beginning struct {
	initial  cell.InitialState
	features []int // of each context
	noisy    bool  // noise of the states' size is the last
}

var learned = beginning{initial: cell.Learned{}}

var (
	rectified = cell.Contextual{Hidden: []int{5}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{}}
	oneLayer  = cell.Contextual{Output: cell.TanH{}, WeightInit: cell.Uniform{}}
)

// beginnings is every initial state of chrono/cell but constants, for cells of two states.
var beginnings = []beginning{
	{cell.Zero{}, nil, false},
	learned,
	{cell.Learned{Noise: 0.5}, nil, true},
	{rectified, []int{2, 3}, false},
	{cell.Parts{Of: []cell.InitialState{oneLayer, cell.Zero{}}}, []int{2}, false},
	{cell.NormalState{Mean: rectified, Deviation: 0.25}, []int{2}, true},
}

// context is that of one update for a batch of a cell and the trials with those seeds.
func (b beginning) context(update int, c cell.Cell, batch int, seeds []uint64) (out []any) {
	features := append([]int{}, b.features...)
	if b.noisy {
		features = append(features, cell.StateSize(c))
	}
	for i, n := range features {
		var flat []float32
		for _, seed := range seeds {
			rng := chrono.RNG(seed, "context", i, update)
			for range batch * n {
				flat = append(flat, float32(rng.NormFloat64()))
			}
		}
		out = append(out, tensors.FromFlatDataAndDimensions(flat, len(seeds), batch, n))
	}
	return out
}

// normal is the one that needs most of an engine.
var normal = beginnings[len(beginnings)-1]

// On engines that promise bits a training is the same on any number of threads, and beside others on the same engine.
// The model is large enough for both engines to share its products and its elementwise operations among threads.
func TestThreadsAndJobs(t *testing.T) {
	seeds := []uint64{1, 2, 3}
	o := trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-4}, Rates: []float64{0.01}, Clip: 0.1}
	once := func(t *testing.T, name string, jobs int) [][][]float64 {
		b := Start(t, name)
		results := make([][][]float64, jobs)
		var wg sync.WaitGroup
		for i := range results {
			wg.Go(func() {
				results[i] = usual(cell.LSTM{Hidden: 128}, learned, o).train(b, dtypes.Float32, seeds)
			})
		}
		wg.Wait()
		return results
	}
	for _, name := range exact {
		t.Run(name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // both take their threads from it
			want := once(t, name, 1)[0]
			for _, c := range []struct{ threads, jobs int }{{2, 1}, {4, 1}, {5, 3}} {
				runtime.GOMAXPROCS(c.threads)
				for i, got := range once(t, name, c.jobs) {
					check.Close(t, got, want, 0, "%d threads, job %d of %d", c.threads, i+1, c.jobs)
				}
			}
		})
	}
}
