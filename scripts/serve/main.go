//go:build !js

// Serve answers each number of a stream with a forecast of the next, over HTTP, by a trained model:
//
//	go generate ./scripts/serve
//	go run ./scripts/serve &
//	curl -d x=0.5 localhost:8080/forecasts/mine
//
// The page at http://localhost:8080 makes the same forecasts in the browser: it calls the model as WebAssembly, which
// go generate compiles. The server works without it, too.
//
// forecast.json and forecast.bin are the checkpoint that Example_forecast of package cell saves.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/gomlx/gomlx/ml/model"
)

//go:generate env GOOS=js GOARCH=wasm go build -o page/forecast.wasm .
//go:generate cp -f $GOROOT/lib/wasm/wasm_exec.js page

//go:embed page
var files embed.FS

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
	forecast, states, err := next(f.model, float32(x), f.streams[stream])
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	f.streams[stream] = states
	fmt.Fprint(w, forecast)
}

func handler() (http.Handler, error) {
	trained, err := load()
	if err != nil {
		return nil, err
	}
	page, err := fs.Sub(files, "page")
	mux := http.NewServeMux()
	mux.Handle("POST /forecasts/{stream}", &forecasts{model: trained, streams: make(map[string][]any)})
	mux.Handle("GET /", http.FileServerFS(page))
	return mux, err
}

func main() {
	address := flag.String("at", "localhost:8080", "serve at this `address`")
	flag.Parse()
	handler, err := handler()
	if flag.NArg() > 0 {
		err = fmt.Errorf("argument %q, want options only: see -help", flag.Arg(0))
	}
	if err == nil {
		err = http.ListenAndServe(*address, handler)
	}
	fmt.Fprintln(os.Stderr, "serve:", err)
	os.Exit(2)
}
