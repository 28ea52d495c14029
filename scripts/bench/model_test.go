package bench

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
)

// A workload is a model that is timed: a recurrent network that reads symbols and predicts one at every step, or a
// layered model.
type workload struct {
	name           string
	cell           cell.Cell
	peer           string // the cell as the peers' scripts call it
	gates          int    // blocks of H columns in the recurrent weights
	hidden, batch  int
	length, trials int // steps of time; models side by side
	program        *layered
}

var workloads = []workload{
	{"lstm128", cell.LSTM{Hidden: 128}, "lstm", 4, 128, 32, 500, 1, nil},
	{"lstm128-b128", cell.LSTM{Hidden: 128}, "lstm", 4, 128, 128, 520, 1, nil},
	{"gated64", cell.Gated{Hidden: 64}, "gated", 2, 64, 32, 500, 1, nil},
	{"gated64-r5", cell.Gated{Hidden: 64}, "gated", 2, 64, 32, 500, 5, nil},
	{"lstm512", cell.LSTM{Hidden: 512}, "lstm", 4, 512, 100, 784, 1, nil},
	{"lstm512-r5", cell.LSTM{Hidden: 512}, "lstm", 4, 512, 100, 784, 5, nil},
	{"lstm128-t2000", cell.LSTM{Hidden: 128}, "lstm", 4, 128, 32, 2000, 1, nil},
	{"lstm128-t2000-r5", cell.LSTM{Hidden: 128}, "lstm", 4, 128, 32, 2000, 5, nil},
	{"mingru128-t2000", cell.MinGRU{Hidden: 128}, "mingru", 0, 128, 32, 2000, 1, nil},
	{"selective128-t2000", cell.Selective{Hidden: 128, States: 16}, "selective", 0, 128, 8, 2000, 1, nil},
	{name: "mlp", peer: "mlp", batch: 128, program: perceptron(128)},
	{name: "cnn", peer: "cnn", batch: 64, program: convolutional(64)},
	{name: "transformer", peer: "transformer", batch: 8, length: 64, program: transformer(8, 64)},
}

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
	losses := trial.CrossEntropy(labels, logits)
	optimizer.UpdateGraph(scope, inputs.Graph(), trial.Total(losses))
	return losses
}

// model returns a training update, and random inputs and labels for it: symbols [T, R, B], or those of a layered model.
func (w workload) model() (update func(scope *model.Scope, inputs, labels *Node) *Node, in, out *tensors.Tensor) {
	if w.program != nil {
		in, out = w.program.draw()
		return w.program.update, in, out
	}
	draw := func(seed uint64) *tensors.Tensor { return drawSymbols(seed, symbols, w.length, w.trials, w.batch) }
	return w.update, draw(1), draw(2)
}

func drawSymbols(seed uint64, symbols int32, dims ...int) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(seed, 0))
	flat := make([]int32, shapes.Make(dtypes.Int32, dims...).Size())
	for i := range flat {
		flat[i] = rng.Int32N(symbols)
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}

// affine says that a step is affine in the state, and has no product with it.
func (w workload) affine() bool { return w.program == nil && w.gates == 0 }

// arguments are those of the peers' scripts.
func (w workload) arguments() []string {
	arguments := []string{"--cell", w.peer, "--batch", fmt.Sprint(w.batch), "--length", fmt.Sprint(w.length)}
	if w.program == nil {
		arguments = append(arguments, "--hidden", fmt.Sprint(w.hidden), "--trials", fmt.Sprint(w.trials))
	}
	if selective, ok := w.cell.(cell.Selective); ok {
		arguments = append(arguments, "--states", fmt.Sprint(selective.States))
	}
	return arguments
}
