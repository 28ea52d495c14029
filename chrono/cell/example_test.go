package cell_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/loader"
	"github.com/warptime/warptime/chrono/task"
)

// An LSTM with chrono initialization in your own model, trained with GoMLX's Trainer and Loop.
func Example() {
	engine, err := backend.New("") // the fastest one present
	if err != nil {
		log.Fatal(err)
	}
	adding := task.Adding{T: 40} // of two numbers, seen up to 40 steps ago
	network := func(scope *model.Scope, x *Node) *Node {
		// x is [B, T, 2], and the result [B].
		lstm := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 32}, x).GateInit(chrono.Chrono{Tmax: 40})
		return Squeeze(layers.Dense(scope.In("read-out"), lstm.Last(), true, 1), -1)
	}
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	trainer := train.NewTrainer(engine, store, network, loss.MeanSquaredError,
		optimizer.Adam().LearningRate(3e-3).Done(), nil, nil)
	if _, err := train.NewLoop(trainer).RunSteps(loader.Task(adding, 64, 1), 400); err != nil {
		log.Fatal(err)
	}
	metrics, _ := trainer.Eval(dataset.Take(loader.Task(adding, 64, 2), 20)) // sequences never seen
	fmt.Printf("better than the memoryless %.3f by half: %v\n", adding.Memoryless(),
		float64(metrics[0].Value().(float32)) < adding.Memoryless()/2)
	// Output: better than the memoryless 0.167 by half: true
}

// An initial state from context, C(2c). All inputs are zero: the network is to output the square of a number, which it
// knows from its initial state alone.
func ExampleContextual() {
	const steps, batch = 5, 32
	engine, err := backend.New("")
	if err != nil {
		log.Fatal(err)
	}
	g := cell.Contextual{Hidden: []int{16}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{}}
	adam := optimizer.Adam().LearningRate(1e-2).Done()
	network := func(scope *model.Scope, context *Node) *Node { // context [B, 1]
		nothing := Zeros(context.Graph(), shapes.Make(dtypes.Float32, batch, steps, 1))
		h := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 16}, nothing).InitialState(g, context).Last()
		read := cell.Dense(scope.In("read-out"), h, 1, cell.Orthogonal{})
		mean := ReduceAllMean(Square(Sub(read, Square(context))))
		adam.UpdateGraph(scope, context.Graph(), mean)
		return mean
	}
	store := model.NewStore()
	update := model.MustNewExec(engine, store, network)
	rng := rand.New(rand.NewPCG(1, 1))
	var loss float32
	for range 300 {
		context := make([][]float32, batch)
		for i := range context {
			context[i] = []float32{2*rng.Float32() - 1}
		}
		loss = update.MustCall(context)[0].Value().(float32)
	}
	// Without context the best guess is 1/3, and off by a variance of 4/45 = 0.089.
	fmt.Printf("a tenth of what is possible without context: %v\n", loss < 0.0089)
	fmt.Println(store.GetVariable("/lstm/first state/state 0/weights").Shape()) // of h; "state 1" is c's
	// Output:
	// a tenth of what is possible without context: true
	// (Float32)[16, 16]
}
