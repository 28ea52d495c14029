package main

import (
	_ "embed"

	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
)

//go:embed forecast.json
var description string

//go:embed forecast.bin
var values []byte

// load loads the checkpoint. GOMLX_BACKEND may name the engine.
func load() (*model.Exec, error) {
	store := model.NewStore()
	checkpoint.Load(store).FromEmbed(description, values).MustDone()
	engine, err := backend.New("")
	if err != nil {
		return nil, err
	}
	return model.NewExec(engine, store, forecaster)
}

// forecaster reads x [B, T, 1] from where it left off. It returns a forecast [B, T, 1] after each step, and the states.
func forecaster(scope *model.Scope, in []*Node) []*Node {
	ys, states := cell.New(scope.In("gru"), cell.GRU{Hidden: 16}, in[0]).From(in[1:]...).Done()
	return append([]*Node{layers.Dense(scope.In("read-out"), ys[0], true, 1)}, states...)
}

// next takes the next number of a stream, and its states, which are none before the first number. It returns a forecast
// of the number after it, and the new states.
func next(trained *model.Exec, x float32, states []any) (forecast float32, after []any, err error) {
	results, err := trained.Call(append([]any{[][][]float32{{{x}}}}, states...)...)
	if err != nil {
		return 0, nil, err
	}
	after = xslices.Map(results[1:], func(state *tensors.Tensor) any { return state })
	return results[0].Value().([][][]float32)[0][0][0], after, nil
}
