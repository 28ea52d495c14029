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
	"github.com/warptime/warptime/chrono/task"
)

// An LSTM with chrono initialization in a model of one's own, trained with GoMLX's Trainer and Loop.
func Example() {
	engine, _ := backend.New("")    // the fastest one present
	gates, err := chrono.Chrono(40) // memories of up to 40 steps
	if err != nil {
		fmt.Println(err)
		return
	}
	network := func(scope *model.Scope, x *Node) *Node { // x [T, R, B, features], here with R = 1 trial
		_, final := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 32}, StopGradient(x)).Init(gates).Done()
		return Squeeze(cell.Dense(scope.In("read-out"), final[0], 1), -1) // [R, B]
	}
	data, _ := task.Dataset([]task.Task{task.Adding{T: 40}}, []uint64{1}, 64, 0, "train")
	trainer := train.NewTrainer(engine, model.NewStore(), network, loss.MeanSquaredError,
		optimizer.Adam().LearningRate(3e-3).Done(), nil, nil)
	if _, err := train.NewLoop(trainer).RunSteps(data, 400); err != nil {
		fmt.Println(err)
		return
	}
	metrics, _ := trainer.Eval(dataset.Take(data, 20))
	fmt.Printf("better than the memoryless %.3f by half: %v\n", task.AddingMemoryless(),
		float64(metrics[0].Value().(float32)) < task.AddingMemoryless()/2)
	// Output: better than the memoryless 0.167 by half: true
}
