package cell_test

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
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

// An LSTM with chrono initialization in a model of one's own, trained with GoMLX's Trainer and Loop.
func Example() {
	engine, _ := backend.New("")        // the fastest one present
	memories := chrono.Chrono{Tmax: 40} // of up to 40 steps
	adding := task.Adding{T: 40}        // two numbers seen long ago
	tasks := []task.Regression{adding}  // one for each trial, here R = 1
	data := trial.Regression{Tasks: tasks, Split: "train", Batch: 64}
	batches, err := data.Open([]uint64{1}) // one seed for each trial
	if err != nil {
		fmt.Println(err)
		return
	}
	network := func(scope *model.Scope, x *Node) *Node { // x [T, R, B, features]
		_, final := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 32}, StopGradient(x)).Biases(memories).Done()
		return Squeeze(cell.Dense(scope.In("read-out"), final[0], 1, cell.Orthogonal{}), -1) // [R, B]
	}
	trainer := train.NewTrainer(engine, model.NewStore(), network, loss.MeanSquaredError,
		optimizer.Adam().LearningRate(3e-3).Done(), nil, nil)
	if _, err := train.NewLoop(trainer).RunSteps(loader.New(batches, 0), 400); err != nil {
		fmt.Println(err)
		return
	}
	metrics, _ := trainer.Eval(dataset.Take(loader.New(batches, 400), 20)) // sequences never seen
	fmt.Printf("better than the memoryless %.3f by half: %v\n", adding.Memoryless(),
		float64(metrics[0].Value().(float32)) < adding.Memoryless()/2)
	// Output: better than the memoryless 0.167 by half: true
}
