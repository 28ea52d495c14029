// Command live trains the networks of the book's page, in a Web Worker, compiled to WebAssembly:
//
//	GOOS=js GOARCH=wasm go build -ldflags='-s -w' -o live.wasm ./book/live
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

// Settings are what the page's reader chooses.
type Settings struct {
	Task     string   `json:"task"`               // "warp", "pad": networks; "adding", "copy": initializations
	Networks []string `json:"networks,omitempty"` // of warp and pad: names of networks
	Steps    int      `json:"steps"`              // of a sequence in warp and pad, T of the other tasks
	Shortest int      `json:"shortest,omitempty"` // steps for which a character of warp and pad lasts, at least,
	Longest  int      `json:"longest,omitempty"`  // and at most
	Tmax     float64  `json:"tmax,omitempty"`     // of the chrono initialization
	Updates  int      `json:"updates"`
	Seed     uint64   `json:"seed"`

	// Symbols is the reader's text in the task's symbols, step by step, on which networks of warp and pad answer; if
	// empty, they answer on a sequence of the task.
	Symbols []int32 `json:"symbols,omitempty"`
}

// Bounds on the settings: what a browser trains while somebody waits.
const (
	mostSteps   = 500
	mostUpdates = 100_000
)

// Validate returns a one-line error if the settings are outside of their bounds.
func (s Settings) Validate() error {
	if _, ok := families[s.Task]; !ok {
		return fmt.Errorf("live: no task %q; there are warp, pad, adding and copy", s.Task)
	}
	if s.Steps < 2 || s.Steps > mostSteps || s.Updates < 1 || s.Updates > mostUpdates {
		return fmt.Errorf("live: %d steps and %d updates, want 2 to %d and 1 to %d", s.Steps, s.Updates, mostSteps,
			mostUpdates)
	}
	if len(s.Symbols) > mostSteps || slices.ContainsFunc(s.Symbols, func(c int32) bool {
		return c < task.WarpDummy || c > task.WarpCharacters
	}) {
		return fmt.Errorf("live: a text of %d symbols %v, want at most %d from %d to %d", len(s.Symbols), s.Symbols,
			mostSteps, task.WarpDummy, task.WarpCharacters)
	}
	return nil
}

// A Message is what the page is told. Only the fields that belong to its kind are set.
type Message struct {
	Kind   string `json:"kind"`             // "start", "losses", "answers", "scales" or "end"
	Update int    `json:"update,omitempty"` // updates so far

	Arms       []string `json:"arms,omitempty"`       // start: what the losses are of
	Memoryless float64  `json:"memoryless,omitempty"` // start: the loss of the best model without memory

	Losses []number `json:"losses,omitempty"` // losses: means since the last message, one an arm

	Symbols []int32   `json:"symbols,omitempty"` // answers: one sequence's input
	Answers [][]int32 `json:"answers,omitempty"` // answers: what each arm answers at each of its steps
	Gates   []number  `json:"gates,omitempty"`   // answers: of the gated network, step after step, units by their bias

	Scales []number `json:"scales,omitempty"` // scales: forget gates' time scales of the chrono LSTM, in steps
}

// A number is null in JSON if it is not finite: a training has diverged.
type number float64

// MarshalJSON implements [json.Marshaler].
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// rounded is a number with that many decimals.
func rounded(n number, decimals int) number {
	scale := math.Pow10(decimals)
	return number(math.Round(float64(n)*scale) / scale)
}

// report is how many updates lie between two messages of losses, and look between two looks into the networks.
const (
	report = 5
	look   = 25
)

// families makes what is trained for each task.
var families = map[string]func(Settings, compute.Backend) (*comparison, error){
	"warp": func(s Settings, b compute.Backend) (*comparison, error) {
		return architectures(s, b, task.Warp{Length: s.Steps, Min: s.Shortest, Max: s.Longest})
	},
	"pad": func(s Settings, b compute.Backend) (*comparison, error) { // a step of its own, and zeros
		return architectures(s, b, task.Pad{Length: s.Steps, Min: s.Shortest - 1, Max: s.Longest - 1})
	},
	"adding": func(s Settings, b compute.Backend) (*comparison, error) {
		t := task.Adding{T: s.Steps}
		data := trial.Sampled[task.Regression]{Tasks: []task.Regression{t}, Split: "train", Batch: batch}
		return initializations(s, b, data, t.Memoryless(), func(scope *model.Scope, run *cell.Builder, y *Node) *Node {
			_, final := run.Done()
			sums := cell.Dense(scope.In("read-out"), final[0], 1, cell.Orthogonal{}, s.Seed, s.Seed)
			return trial.SquaredError(y, Squeeze(sums, -1))
		})
	},
	"copy": func(s Settings, b compute.Backend) (*comparison, error) {
		t := task.Copy{T: s.Steps}
		data := trial.Sampled[task.Symbols]{Tasks: []task.Symbols{t}, Split: "train", Batch: batch}
		return initializations(s, b, data, t.Memoryless(), func(scope *model.Scope, run *cell.Builder, y *Node) *Node {
			ys, _ := run.Done()
			logits := cell.Dense(scope.In("read-out"), ys[0], t.Classes(), cell.Orthogonal{}, s.Seed, s.Seed)
			return trial.CrossEntropy(y, logits)
		})
	},
}

// Sizes are those of the figures at scale quick, or smaller. The LSTMs learn at a higher rate, so that it is seen
// within seconds.
const (
	batch      = 16
	units      = 32 // of the networks of warp and pad
	lstmUnits  = 24
	lstmRate   = 1e-2
	plainRate  = 4e-3
	gatingRate = 8e-3
	minGRURate = 16e-3 // its best of three on variable warping, in our figure of today's networks
)

// networks are those that warp and pad compare, with their learning rates.
var networks = map[string]struct {
	cell cell.Cell
	rate float64
}{
	"plain":     {cell.RNN{Hidden: units}, plainRate},
	"leaky":     {cell.Leaky{Hidden: units}, gatingRate},
	"gated":     {cell.Gated{Hidden: units}, gatingRate},
	"minGRU":    {cell.MinGRU{Hidden: units}, minGRURate},
	"selective": {cell.Selective{Hidden: units, States: 4}, gatingRate},
}

// A comparison is several networks that train on the same batches.
type comparison struct {
	arms       []string
	memoryless float64
	batches    trial.Batches
	updates    []*model.Exec // inputs, labels → losses [R]; the arms are those of the first, then those of the next
	look       func(inputs *tensors.Tensor) (Message, error)
}

// Train trains, and emits what the page shows.
func Train(s Settings, emit func(Message)) error {
	if err := s.Validate(); err != nil {
		return err
	}
	engine, err := simd.New("")
	if err != nil {
		return err
	}
	comparison, err := families[s.Task](s, engine)
	if err != nil {
		return err
	}
	emit(Message{Kind: "start", Arms: comparison.arms, Memoryless: comparison.memoryless})
	sums := make([]number, len(comparison.arms))
	for n := 0; ; n++ {
		inputs, labels, err := comparison.batches.Batch(n)
		if err != nil {
			return err
		}
		if n%look == 0 || n == s.Updates {
			m, err := comparison.look(inputs[0])
			if err != nil {
				return err
			}
			m.Update = n
			emit(m)
		}
		if n == s.Updates {
			emit(Message{Kind: "end", Update: n})
			return nil
		}
		arm := 0
		for _, update := range comparison.updates {
			results, err := update.Call(inputs[0], labels[0])
			if err != nil {
				return err
			}
			for _, loss := range results[0].Value().([]float32) {
				sums[arm] += number(loss)
				arm++
			}
		}
		if (n+1)%report == 0 {
			m := Message{Kind: "losses", Update: n + 1}
			for arm, sum := range sums {
				m.Losses = append(m.Losses, sum/report)
				sums[arm] = 0
			}
			emit(m)
		}
	}
}

// rmsprop is the method of W's experiments.
func rmsprop(rate float64) trial.Optimizer {
	return trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}, Rates: []float64{rate}}
}

// architectures is Figure 1: networks of several kinds on one warping.
func architectures(s Settings, engine compute.Backend, t task.Symbols) (*comparison, error) {
	data := trial.Sampled[task.Symbols]{Tasks: []task.Symbols{t}, Split: "train", Batch: batch}
	batches, err := data.Open([]uint64{s.Seed})
	if err != nil {
		return nil, err
	}
	r := &comparison{arms: s.Networks, memoryless: t.Memoryless(), batches: batches}
	// Symbols [T, R, B] → those of the first sequence, answers; of the gated network also its gates and their biases.
	var readers []*model.Exec
	for _, name := range s.Networks {
		network, ok := networks[name]
		if !ok {
			return nil, fmt.Errorf("live: no network %q; there are %q", name, slices.Sorted(maps.Keys(networks)))
		}
		store := model.NewStore() // a store has one optimizer
		run := func(scope *model.Scope, x *Node) (b *cell.Builder, logits *Node) {
			seen := OneHot(x, task.WarpCharacters+1, dtypes.Float32)
			b = cell.New(scope.In("cell"), network.cell, seen).Seeds(s.Seed).WeightInit(cell.Uniform{})
			if name != "plain" {
				b.GateInit(chrono.Standard{Forget: 0}) // at 1/2
			}
			return b, cell.Dense(scope.In("read-out"), b.Outputs(), task.WarpCharacters+1, cell.Uniform{}, s.Seed)
		}
		update, err := model.NewExec(engine, store, func(scope *model.Scope, x, y *Node) *Node {
			_, logits := run(scope, x)
			losses := trial.CrossEntropy(y, logits)
			rmsprop(network.rate).UpdateGraph(scope, x.Graph(), trial.Total(losses))
			return losses
		})
		if err != nil {
			return nil, err
		}
		reader, err := model.NewExec(engine, store, func(scope *model.Scope, x *Node) []*Node {
			x = Slice(x, AxisRange(), AxisRange(0, 1), AxisRange(0, 1))
			b, logits := run(scope, x)
			results := []*Node{Reshape(x, -1), Reshape(ArgMax(logits, -1), -1)}
			if name == "gated" {
				gate := b.Gates()[0]
				results = append(results, Reshape(gate.Values, -1, units), Reshape(gate.Bias, -1))
			}
			return results
		})
		if err != nil {
			return nil, err
		}
		r.updates, readers = append(r.updates, update), append(readers, reader)
	}
	r.look = func(x *tensors.Tensor) (Message, error) {
		if n := len(s.Symbols); n > 0 {
			x = tensors.FromFlatDataAndDimensions(s.Symbols, n, 1, 1)
		}
		m := Message{Kind: "answers"}
		for _, reader := range readers {
			results, err := reader.Call(x)
			if err != nil {
				return Message{}, err
			}
			m.Symbols = results[0].Value().([]int32)
			m.Answers = append(m.Answers, results[1].Value().([]int32))
			if len(results) > 2 {
				m.Gates = byBias(results[2].Value().([][]float32), results[3].Value().([]float32))
			}
		}
		return m, nil
	}
	return r, nil
}

// byBias is gates [T, H], step after step, the units in the order of their biases.
func byBias(gates [][]float32, bias []float32) (all []number) {
	order := xslices.Iota(0, len(bias))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bias[a], bias[b]) })
	for _, step := range gates {
		for _, u := range order {
			all = append(all, rounded(number(step[u]), 3))
		}
	}
	return all
}

// initializations is Figures 3 and 4: an LSTM with a forget bias of 1 and one with chrono initialization, side by side
// in one graph, with the same data and the same other weights.
func initializations(s Settings, engine compute.Backend, data trial.Data, memoryless float64,
	losses func(scope *model.Scope, run *cell.Builder, y *Node) *Node) (*comparison, error) {
	inits := []chrono.GateInit{chrono.Standard{Forget: 1}, chrono.Chrono{Tmax: s.Tmax}}
	if err := (chrono.Chrono{Tmax: s.Tmax}).Validate(); err != nil {
		return nil, err
	}
	batches, err := data.Open([]uint64{s.Seed, s.Seed})
	if err != nil {
		return nil, err
	}
	store, optimizer := model.NewStore(), rmsprop(lstmRate)
	lstm := func(scope *model.Scope, x *Node) *cell.Builder {
		if x.DType().IsInt() {
			x = OneHot(x, task.CopyLetters+2, dtypes.Float32)
		}
		return cell.New(scope.In("lstm"), cell.LSTM{Hidden: lstmUnits}, StopGradient(x)).Seeds(s.Seed, s.Seed).
			GateInit(inits...)
	}
	update, err := model.NewExec(engine, store, func(scope *model.Scope, x, y *Node) *Node {
		l := losses(scope, lstm(scope, x), y)
		optimizer.UpdateGraph(scope, x.Graph(), trial.Total(l))
		return l
	})
	if err != nil {
		return nil, err
	}
	scales, err := model.NewExec(engine, store, func(scope *model.Scope, x *Node) *Node {
		b := lstm(scope, x)
		b.Done()
		gates := b.Gates()
		forget := slices.IndexFunc(gates, func(g cell.Gate) bool { return g.Name == "forget" })
		return gates[forget].Bias // [R, H]
	})
	return &comparison{
		arms: []string{"standard", "chrono"}, memoryless: memoryless, batches: batches,
		updates: []*model.Exec{update},
		look: func(x *tensors.Tensor) (Message, error) {
			results, err := scales.Call(x)
			if err != nil {
				return Message{}, err
			}
			m := Message{Kind: "scales"}
			for _, b := range results[0].Value().([][]float32)[1] {
				m.Scales = append(m.Scales, number(chrono.TimeScale(float64(b))))
			}
			slices.Sort(m.Scales)
			return m, nil
		},
	}, err
}
