// Serve answers each number of a stream with a forecast of the next, over HTTP, by a trained model:
//
//	go run ./scripts/serve &
//	curl -d x=0.5 localhost:8080/forecasts/mine
//
// forecast.json and forecast.bin are the checkpoint that Example_forecast of package cell saves. As WebAssembly, the
// program makes the same forecasts: CI runs its example in node, too.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"sync"

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

// forecaster reads x [B, T, 1] from where it left off. It returns a forecast [B, T, 1] after each step, and the states.
func forecaster(scope *model.Scope, in []*Node) []*Node {
	ys, states := cell.New(scope.In("gru"), cell.GRU{Hidden: 16}, in[0]).From(in[1:]...).Done()
	return append([]*Node{layers.Dense(scope.In("read-out"), ys[0], true, 1)}, states...)
}

// forecasts answers each number of a stream with a forecast of the next. It keeps the states of all streams.
type forecasts struct {
	model   *model.Exec
	mutex   sync.Mutex
	streams map[string][]any // states
}

func (f *forecasts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, err := strconv.ParseFloat(r.FormValue("x"), 32)
	if err != nil || !(math.Abs(x) <= math.MaxFloat32) {
		http.Error(w, "want a number x", http.StatusBadRequest)
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	stream := r.PathValue("stream")
	results, err := f.model.Call(append([]any{[][][]float32{{{float32(x)}}}}, f.streams[stream]...)...)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	f.streams[stream] = xslices.Map(results[1:], func(state *tensors.Tensor) any { return state })
	fmt.Fprint(w, results[0].Value().([][][]float32)[0][0][0])
}

// handler loads the checkpoint. GOMLX_BACKEND may name the engine.
func handler() (http.Handler, error) {
	store := model.NewStore()
	checkpoint.Load(store).FromEmbed(description, values).MustDone()
	engine, err := backend.New("")
	if err != nil {
		return nil, err
	}
	trained, err := model.NewExec(engine, store, forecaster)
	mux := http.NewServeMux()
	mux.Handle("POST /forecasts/{stream}", &forecasts{model: trained, streams: make(map[string][]any)})
	return mux, err
}

func main() {
	address := flag.String("at", "localhost:8080", "serve at this `address`")
	flag.Parse()
	handler, err := handler()
	if err == nil {
		err = http.ListenAndServe(*address, handler)
	}
	fmt.Fprintln(os.Stderr, "serve:", err)
	os.Exit(2)
}
