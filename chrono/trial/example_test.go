package trial_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/metric"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/loader"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Clipping by the norm over all weights of a trial. The first trial's gradient, (3, 4), has the norm 5, and is scaled
// down to 1; the second's is left as it is.
func ExampleOptimizer() {
	engine := must(backend.New(""))
	descent := trial.Optimizer{Method: trial.SGD{}, Rates: []float64{1}, Clip: 1}
	store := model.NewStore()
	model.MustCallOnce(engine, store, func(scope *model.Scope, slopes *graph.Node) *graph.Node {
		w := trial.Weight(scope.VariableWithValue("w", [][]float64{{0, 0}, {0, 0}}), slopes) // [R, 2]
		losses := graph.ReduceSum(graph.Mul(w, slopes), 1)                                   // [R]
		descent.UpdateGraph(scope, slopes.Graph(), trial.Total(losses))
		return losses
	}, [][]float64{{3, 4}, {0.3, 0.4}})
	fmt.Printf("%.2f\n", store.GetVariable("/w").MustValue().Value())
	// Output: [[-0.60 -0.80] [-0.30 -0.40]]
}

// One model of a cell and a layer of GoMLX, trained by Adam with its gradient clipped to the norm 1 over all weights.
func ExampleOptimizer_oneModel() {
	engine := must(backend.New(""))
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	trainer := train.NewTrainer(engine, store, func(scope *model.Scope, x *graph.Node) *graph.Node {
		h := cell.New(scope.In("gru"), cell.GRU{Hidden: 24}, x).Last()
		return graph.Squeeze(layers.Dense(scope.In("read-out"), h, true, 1), -1) // [B]
	}, loss.MeanSquaredError, trial.Optimizer{Method: trial.Adam{}, Rates: []float64{3e-3}, Clip: 1}, nil, nil)
	adding := task.Adding{T: 20}
	must(train.NewLoop(trainer).RunSteps(loader.Task(adding, 32, 1), 400))
	metrics := must(trainer.Eval(dataset.Take(loader.Task(adding, 32, 2), 20)))
	fmt.Println("better than without a memory:", float64(metrics[0].Value().(float32)) < adding.Memoryless()/2)
	// Output: better than without a memory: true
}

// Three models that read the same batch [B, T, I], each with weights of its own.
func ExampleRepeat() {
	engine := must(backend.New(""))
	results := model.MustCallOnceN(engine, model.NewStore(), func(scope *model.Scope, x *graph.Node) []*graph.Node {
		x = trial.Repeat(x, 3)
		return []*graph.Node{x, cell.New(scope.In("gru"), cell.GRU{Hidden: 8}, x).Last()}
	}, [][][]float32{{{1}, {2}}, {{3}, {4}}, {{5}, {6}}, {{7}, {8}}})
	fmt.Println(results[0].Value())
	fmt.Println(results[1].Shape())
	// Output:
	// [[[[1] [3] [5] [7]] [[1] [3] [5] [7]] [[1] [3] [5] [7]]] [[[2] [4] [6] [8]] [[2] [4] [6] [8]] [[2] [4] [6] [8]]]]
	// (Float32)[3, 4, 8]
}

// The second of three trials taken out: its outputs are what they were among the others.
func ExampleTake() {
	engine := must(backend.New(""))
	run := func(store *model.Store, x [][][][]float32, seeds ...uint64) [][][]float32 { // x [T, R, B, I]
		return model.MustCallOnce(engine, store, func(scope *model.Scope, x *graph.Node) *graph.Node {
			_, final := cell.New(scope, cell.LSTM{Hidden: 3}, x).Seeds(seeds...).Done()
			return final[0] // [R, B, H]
		}, x).Value().([][][]float32)
	}
	three := model.NewStore()
	among := run(three, [][][][]float32{{{{1}}, {{1}}, {{1}}}, {{{2}}, {{2}}, {{2}}}}, 1, 2, 3)
	second := must(trial.Take(three, 1))
	alone := run(second, [][][][]float32{{{{1}}}, {{{2}}}}, 2)
	fmt.Println(slices.Equal(alone[0][0], among[1][0]))
	// Output: true
}

// Three trials in GoMLX's Trainer and Loop, with standard and with chrono initialization, and the latter at another
// learning rate. The trainer's loss is the Total of the trials' losses, so that each trains on its own gradient alone;
// the Metric has the loss of each.
func ExampleOptimizer_trainer() {
	engine := must(backend.New(""))
	seeds := []uint64{1, 1, 1}
	adding := task.Adding{T: 40}
	data := trial.Sampled[task.Regression]{Tasks: []task.Regression{adding}, Split: "train", Batch: 32}
	batches := must(data.Open(seeds))
	network := func(scope *model.Scope, x *graph.Node) *graph.Node { // x [T, R, B, features]
		run := cell.New(scope.In("lstm"), cell.LSTM{Hidden: 24}, graph.StopGradient(x)).Seeds(seeds...)
		run.GateInit(chrono.Standard{Forget: 1}, chrono.Chrono{Tmax: 40}, chrono.Chrono{Tmax: 40})
		_, final := run.Done()
		return graph.Squeeze(cell.Dense(scope.In("read-out"), final[0], 1, cell.Orthogonal{}, seeds...), -1) // [R, B]
	}
	total := func(labels, predictions []*graph.Node) *graph.Node {
		return trial.Total(trial.SquaredError(labels[0], predictions[0]))
	}
	adam := trial.Optimizer{Method: trial.Adam{}, Rates: []float64{3e-3, 3e-3, 1e-2}}
	trainer := train.NewTrainer(engine, model.NewStore(), network, total, adam,
		nil, []metric.Interface{trial.Metric("loss", trial.SquaredError)})
	must(train.NewLoop(trainer).RunSteps(loader.New(batches, 0), 300))
	metrics := must(trainer.Eval(dataset.Take(loader.New(batches, 300), 10))) // sequences never seen
	for r, loss := range metrics[len(metrics)-1].Value().([]float64) {        // GoMLX's own metrics are before ours
		fmt.Printf("trial %d, better than the memoryless %.3f by half: %v\n", r, adding.Memoryless(),
			loss < adding.Memoryless()/2)
	}
	// Output:
	// trial 0, better than the memoryless 0.167 by half: false
	// trial 1, better than the memoryless 0.167 by half: false
	// trial 2, better than the memoryless 0.167 by half: true
}

// A trial that diverges is left out of the sum, and does not stop the others.
func ExampleTotal() {
	engine := must(backend.New(""))
	total := func(losses *graph.Node) *graph.Node { return trial.Total(losses) }
	fmt.Println(graph.MustExecOnce(engine, total, []float64{0.5, math.NaN(), 0.25}).Value())
	// Output: 0.75
}

// Two trials. At the third evaluation, the second has not come below its lowest loss before, and its rate is halved.
func ExampleReduceOnPlateau() {
	losses := [][]float64{{0.9, 0.9}, {0.7, 0.5}, {0.6, 0.8}}
	factors, err := trial.ReduceOnPlateau(losses)
	fmt.Println(factors, err)
	// Output: [1 0.5] <nil>
}

// Batch n of a trial depends only on its seed and n: an interrupted training resumes at batch n, and the same seed gets
// the same data alone and next to others.
func ExampleSampled() {
	data := trial.Sampled[task.Symbols]{Tasks: []task.Symbols{task.Copy{T: 5}}, Split: "train", Batch: 1}
	among, _ := data.Open([]uint64{1, 2})
	alone, _ := data.Open([]uint64{2})
	for place, batches := range []trial.Batches{alone, among} { // in alone it is the first, in among the second
		x, _, _ := batches.Batch(7)
		fmt.Print(x[0].Shape())
		for _, step := range x[0].Value().([][][]int32)[:10] {
			fmt.Print(" ", step[place][0])
		}
		fmt.Println()
	}
	// Output:
	// (Int32)[25, 1, 1] 6 0 1 6 5 5 1 2 2 0
	// (Int32)[25, 2, 1] 6 0 1 6 5 5 1 2 2 0
}
