package cell_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"

	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
)

// forecaster reads x [B, T, 1] from where it left off. It returns a forecast [B, T, 1] after each step, and the states.
func forecaster(scope *model.Scope, in []*Node) []*Node {
	ys, states := cell.New(scope.In("gru"), cell.GRU{Hidden: 16}, in[0]).From(in[1:]...).Done()
	return append([]*Node{layers.Dense(scope.In("read-out"), ys[0], true, 1)}, states...)
}

// forecasts answers each number of a client with a forecast of the next.
type forecasts struct {
	step    *model.Exec
	mutex   sync.Mutex
	clients map[string][]any // the states of each
}

func (f *forecasts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, err := strconv.ParseFloat(r.FormValue("x"), 32)
	if err != nil {
		http.Error(w, "want a number x", http.StatusBadRequest)
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	client := r.PathValue("client")
	results, err := f.step.Call(append([]any{[][][]float32{{{float32(x)}}}}, f.clients[client]...)...)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	f.clients[client] = xslices.Map(results[1:], func(state *tensors.Tensor) any { return state })
	fmt.Fprint(w, results[0].Value().([][][]float32)[0][0][0])
}

// A server of forecasts, one step of time per request. Each client has a stream of its own. Forecasts are those of the
// whole streams at once.
func Example_server() {
	engine := must(backend.New(""))
	store := model.NewStore() // load the variables of a trained model, for example by GoMLX's package checkpoint
	handler := http.NewServeMux()
	handler.Handle("POST /forecasts/{client}", &forecasts{
		step: model.MustNewExec(engine, store, forecaster), clients: make(map[string][]any),
	})
	server := httptest.NewServer(handler)
	defer server.Close()
	const clients, steps = 8, 20
	var wait sync.WaitGroup
	streams, answers := make([][][]float32, clients), make([][]float32, clients)
	for c := range clients {
		wait.Go(func() {
			for t := range steps {
				x, y := float32(math.Sin(float64(c+t))), float32(0)
				response := must(http.Post(fmt.Sprintf("%s/forecasts/%d?x=%g", server.URL, c, x), "", nil))
				must(fmt.Fscan(response.Body, &y))
				response.Body.Close()
				streams[c], answers[c] = append(streams[c], []float32{x}), append(answers[c], y)
			}
		})
	}
	wait.Wait()
	worst := 0.
	for c, all := range model.MustCallOnceN(engine, store, forecaster, streams)[0].Value().([][][]float32) {
		for t, y := range all {
			worst = max(worst, math.Abs(float64(y[0]-answers[c][t])))
		}
	}
	fmt.Println("as all at once:", worst < 1e-6)
	// Output: as all at once: true
}
