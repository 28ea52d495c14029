package cell_test

import (
	"encoding/csv"
	"fmt"
	"log"
	"math"
	"math/rand"
	"os"
	"strconv"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
)

// weather is a CSV file of hours and their temperatures: a day's course that is now stronger, now weaker.
func weather() string {
	file := "hour,temperature\n"
	for t := range 1200 {
		hour := float64(t)
		file += fmt.Sprintf("%d,%.2f\n", t, 2*math.Sin(hour*math.Pi/12)*(1+0.5*math.Sin(hour/70)))
	}
	return file
}

// A forecast: the next hour's temperature, from those of the last 24. The trained model is saved; scripts/serve has it
// in production.
func Example_forecast() {
	const past = 24
	rows := must(csv.NewReader(strings.NewReader(weather())).ReadAll())
	var series [][]float32 // [hours, 1]
	for _, row := range rows[1:] {
		value := must(strconv.ParseFloat(row[1], 32))
		series = append(series, []float32{float32(value)})
	}
	engine := must(backend.New(""))
	batches := func(part [][]float32) *dataset.InMemoryDataset {
		var windows [][][]float32 // [B, past, 1]
		for t := range len(part) - past {
			windows = append(windows, part[t:t+past])
		}
		all := must(dataset.InMemoryFromData(engine, "weather", []any{windows}, []any{part[past:]})) // [B, 1]
		return all.WithRand(rand.New(rand.NewSource(1))).Shuffle().BatchSize(32, true)
	}
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	trainer := train.NewTrainer(engine, store, func(scope *model.Scope, x *Node) *Node {
		h := cell.New(scope.In("gru"), cell.GRU{Hidden: 16}, x).Last() // [B, 16]
		return layers.Dense(scope.In("read-out"), h, true, 1)
	}, loss.MeanSquaredError, optimizer.Adam().LearningRate(1e-2).Done(), nil, nil)
	must(train.NewLoop(trainer).RunEpochs(batches(series[:1000]), 7))
	metrics := must(trainer.Eval(batches(series[1000:])))
	fmt.Println("off by less than 0.2:", metrics[0].Value().(float32) < 0.2*0.2)
	dir := must(os.MkdirTemp("", "forecast"))
	defer os.RemoveAll(dir) // scripts/serve has the two files that are in it now
	if err := must(checkpoint.Build(store).Dir(dir).Done()).Save(); err != nil {
		log.Fatal(err)
	}
	// Output: off by less than 0.2: true
}
