package record_test

import (
	"fmt"
	"os"

	"github.com/warptime/warptime/replication/record"
)

// A run of two updates writes its record, which is then read.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	h := record.Header{
		Paper: "warp", Figure: "fig3", Panel: "copy500", Scale: "quick",
		Updates: 2, Window: 2, Batch: 32, Units: 64, Steps: 120,
		Experiment: []byte(`{"data":{"is":"trial.Symbols"}}`), Backend: "go",
		Environment: record.Environment{Commit: "unknown"},
	}
	for number := range 3 {
		h.Trials = append(h.Trials, record.Trial{Arm: "chrono", Number: number, Seed: uint64(number)})
	}
	path := record.Path(dir, h)
	w, err := record.Open(path, h)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	r := w.Record()
	r.Points = append(r.Points, record.Point{Update: 2, Series: record.Train, Values: []float64{2.31, 2.29, 2.30}})
	if err := w.Finish(0.5, map[string]record.Values{"loss": {2.31, 2.29, 2.30}}, nil); err != nil {
		panic(err)
	}

	r, err = record.Read(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Name(), record.SpreadOf(r.End.Final["loss"]))
	_, err = record.Open(path, h)
	fmt.Println(err != nil) // nothing is overwritten unasked
	// Output:
	// warp/fig3 copy500 quick 2.3 [2.29, 2.31]
	// true
}
