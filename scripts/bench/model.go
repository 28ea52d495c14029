package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/claim"
)

// A workload is a model that is timed: a recurrent network, or a layered model.
type workload struct {
	name, title    string
	cell           cell.Cell
	peer           string // the cell as the peers' scripts call it
	gates          int    // blocks of H columns in the recurrent weights
	hidden, batch  int
	length, trials int // steps of time; models side by side
	program        *layered
	long           bool // so much that it is timed only where it is named
}

var workloads = []workload{
	{"lstm128", "LSTM H=128, B=32, T=500", cell.LSTM{Hidden: 128}, "lstm", 4, 128, 32, 500, 1, nil, false},
	{"lstm128-b128", "LSTM H=128, B=128, T=520", cell.LSTM{Hidden: 128}, "lstm", 4, 128, 128, 520, 1, nil, false},
	{"gated64", "gated H=64, B=32, T=500", cell.Gated{Hidden: 64}, "gated", 2, 64, 32, 500, 1, nil, false},
	{"gated64-r5", "the same, R=5 trials", cell.Gated{Hidden: 64}, "gated", 2, 64, 32, 500, 5, nil, false},
	{"gated64-r10", "the same, R=10 trials", cell.Gated{Hidden: 64}, "gated", 2, 64, 32, 500, 10, nil, false},
	{"lstm512", "LSTM H=512, B=100, T=784", cell.LSTM{Hidden: 512}, "lstm", 4, 512, 100, 784, 1, nil, false},
	{"lstm512-r5", "the same, R=5 trials", cell.LSTM{Hidden: 512}, "lstm", 4, 512, 100, 784, 5, nil, true},
	{"lstm128-t2000", "LSTM H=128, B=32, T=2000", cell.LSTM{Hidden: 128}, "lstm", 4, 128, 32, 2000, 1, nil, true},
	{"lstm128-t2000-r5", "the same, R=5 trials", cell.LSTM{Hidden: 128}, "lstm", 4, 128, 32, 2000, 5, nil, true},
	{name: "mlp", title: "MLP 784-512-512-10, B=128", peer: "mlp", batch: 128, program: perceptron(128)},
	{name: "cnn", title: "CNN 28×28, B=64", peer: "cnn", batch: 64, program: convolutional(64)},
	{name: "transformer", title: "transformer d=128, 4 layers, B=8, T=64", peer: "transformer", batch: 8, length: 64,
		program: transformer(8, 64)},
}

func (w workload) id() string      { return w.name }
func (w workload) onlyNamed() bool { return w.long }

// symbols is how many there are to read and to predict.
const symbols = 10

// products is the number of floating-point operations of the matrix products that an update cannot do without: those
// of the recurrent weights and of the read-out, once forward and twice backward.
func (w workload) products() float64 {
	if w.program != nil {
		return w.program.products
	}
	perStep := w.hidden*w.gates*w.hidden + w.hidden*symbols
	return 3 * 2 * float64(perStep) * float64(w.batch) * float64(w.length) * float64(w.trials)
}

// warmUp and least are how many updates are done before the clock starts, and timed at least.
const warmUp, least = 2, 3

// A timing is what a process that times a model prints, as JSON.
type timing struct {
	MS    float64 `json:"ms"`              // the median of an update
	First float64 `json:"first,omitempty"` // the first update, in ms; what compiles does it then
	With  string  `json:"with,omitempty"`  // the peer and its version
}

// timeHere times updates of a model on a GoMLX backend, and prints the timing.
func timeHere(ctx context.Context, w workload, engine string, seconds float64, stdout io.Writer) error {
	b, err := backend.New(engine)
	if err != nil {
		return err
	}
	defer b.Finalize()
	graph, draw := w.update, w.draw
	if w.program != nil {
		graph, draw = w.program.update, w.program.draw
	}
	update, err := model.NewExec(b, model.NewStore(), graph)
	if err != nil {
		return err
	}
	inputs, labels := draw()
	var times []float64
	var first float64
	var began time.Time
	for n := 0; n < warmUp+least || time.Since(began).Seconds() < seconds; n++ {
		start := time.Now()
		if n == warmUp {
			began = start
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		losses, err := update.Call(inputs, labels)
		if err != nil {
			return err
		}
		losses[0].Value() // waits for it
		losses[0].MustFinalizeAll()
		ms := float64(time.Since(start).Microseconds()) / 1e3
		if n == 0 {
			first = ms
		}
		if n >= warmUp {
			times = append(times, ms)
		}
	}
	return json.NewEncoder(stdout).Encode(timing{MS: claim.Median(times), First: first})
}

// update is a training update of a recurrent network; it returns the losses.
func (w workload) update(scope *model.Scope, inputs, labels *Node) *Node {
	seeds := make([]uint64, w.trials)
	for r := range seeds {
		seeds[r] = uint64(r + 1)
	}
	optimizer := trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}, Rates: []float64{1e-3}}
	x := StopGradient(OneHot(inputs, symbols, dtypes.Float32))
	ys, _ := cell.New(scope.In("cell"), w.cell, x).Seeds(seeds...).Done()
	logits := cell.Dense(scope.In("read-out"), ys[0], symbols, cell.Orthogonal{}, seeds...)
	losses := trial.CrossEntropy{}.Losses(labels, logits)
	optimizer.UpdateGraph(scope, inputs.Graph(), trial.Total(losses))
	return losses
}

// draw returns random symbols to read and to predict, [T, R, B].
func (w workload) draw() (inputs, labels *tensors.Tensor) {
	return drawSymbols(1, symbols, w.length, w.trials, w.batch), drawSymbols(2, symbols, w.length, w.trials, w.batch)
}

func drawSymbols(seed uint64, symbols int32, dims ...int) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(seed, 0))
	flat := make([]int32, shapes.Make(dtypes.Int32, dims...).Size())
	for i := range flat {
		flat[i] = rng.Int32N(symbols)
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}

// arguments are those of the peers' scripts.
func (w workload) arguments() []string {
	if w.program != nil {
		return []string{"--cell", w.peer, "--batch", fmt.Sprint(w.batch), "--length", fmt.Sprint(w.length)}
	}
	return []string{"--cell", w.peer, "--hidden", fmt.Sprint(w.hidden), "--batch", fmt.Sprint(w.batch),
		"--length", fmt.Sprint(w.length), "--trials", fmt.Sprint(w.trials)}
}
