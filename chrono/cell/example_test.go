package cell_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/loader"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

// An LSTM with chrono initialization in your own model, trained with GoMLX's Trainer and Loop.
func Example() {
	engine, err := backend.New("") // the fastest one present
	if err != nil {
		log.Fatal(err)
	}
	memories := chrono.Chrono{Tmax: 40} // of up to 40 steps
	adding := task.Adding{T: 40}        // two numbers seen long ago
	tasks := []task.Regression{adding}  // one for each trial, here R = 1
	data := trial.Sampled[task.Regression]{Tasks: tasks, Split: "train", Batch: 64}
	batches, err := data.Open([]uint64{1}) // one seed for each trial
	if err != nil {
		log.Fatal(err)
	}
	network := func(scope *model.Scope, x *Node) *Node { // x [T, R, B, features]
		_, final := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 32}, x).GateInit(memories).Done()
		return Squeeze(cell.Dense(scope.In("read-out"), final[0], 1, cell.Orthogonal{}), -1) // [R, B]
	}
	trainer := train.NewTrainer(engine, model.NewStore(), network, loss.MeanSquaredError,
		optimizer.Adam().LearningRate(3e-3).Done(), nil, nil)
	if _, err := train.NewLoop(trainer).RunSteps(loader.New(batches, 0), 400); err != nil {
		log.Fatal(err)
	}
	metrics, _ := trainer.Eval(dataset.Take(loader.New(batches, 400), 20)) // sequences never seen
	fmt.Printf("better than the memoryless %.3f by half: %v\n", adding.Memoryless(),
		float64(metrics[0].Value().(float32)) < adding.Memoryless()/2)
	// Output: better than the memoryless 0.167 by half: true
}

// An initial state from context, C(2c). All inputs are zero: the network is to output the square of a number, which it
// knows from its initial state alone.
func ExampleContextual() {
	const steps, trials, batch = 5, 1, 32
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	g := cell.Contextual{Hidden: []int{16}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{}}
	adam := trial.Optimizer{Method: trial.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Rates: []float64{1e-2}}
	network := func(scope *model.Scope, context *Node) *Node { // context [R, B, 1]
		nothing := Zeros(context.Graph(), shapes.Make(dtypes.Float32, steps, trials, batch, 1))
		_, final := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 16}, nothing).InitialState(g, context).Done()
		read := cell.Dense(scope.In("read-out"), final[0], 1, cell.Orthogonal{})
		losses := ReduceMean(Square(Sub(read, Square(context))), 1, 2) // [R]
		adam.UpdateGraph(scope, context.Graph(), trial.Total(losses))
		return losses
	}
	store := model.NewStore()
	update := model.MustNewExec(engine, store, network)
	rng := rand.New(rand.NewPCG(1, 1))
	var loss float32
	for range 300 {
		context := make([]float32, batch)
		for i := range context {
			context[i] = 2*rng.Float32() - 1
		}
		losses := update.MustCall(tensors.FromFlatDataAndDimensions(context, trials, batch, 1))[0]
		loss = tensors.MustCopyFlatData[float32](losses)[0]
	}
	// Without context the best guess is 1/3, and off by a variance of 4/45 = 0.089.
	fmt.Printf("a tenth of what is possible without context: %v\n", loss < 0.0089)
	fmt.Println(store.GetVariable("/lstm/first state/state 0/weights").Shape()) // of h; "state 1" is c's
	// Output:
	// a tenth of what is possible without context: true
	// (Float32)[1, 16, 16]
}

// The encoder and decoder of Cho et al. 2014: the decoder's initial state is tanh(W·h_T), where h_T is the encoder's
// last (C 1.1.2). Here both are GRUs, and the decoder's inputs are as long as it is to speak.
func ExampleContextual_decoder() {
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	const trials, batch, hidden = 1, 4, 8
	decoder := cell.Contextual{Output: cell.TanH{}, WeightInit: cell.Orthogonal{}}
	out := model.MustCallOnce(engine, model.NewStore(), func(scope *model.Scope, heard, spoken *Node) *Node {
		_, encoded := cell.New(scope.In("encoder"), cell.GRU{Hidden: hidden}, heard).Done()
		ys, _ := cell.New(scope.In("decoder"), cell.GRU{Hidden: hidden}, spoken).InitialState(decoder,
			encoded[0]).Done()
		return ys[0]
	}, tensors.FromShape(shapes.Make(dtypes.Float32, 20, trials, batch, 3)),
		tensors.FromShape(shapes.Make(dtypes.Float32, 7, trials, batch, 2)))
	fmt.Println(out.Shape())
	// Output: (Float32)[7, 1, 4, 8]
}
