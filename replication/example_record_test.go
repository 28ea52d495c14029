package replication_test

import (
	"fmt"
	"os"

	"github.com/warptime/warptime/replication"
)

// A run of one step writes its record, which is then read.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	h := replication.Header{Figure: "fig3", Panel: "copy500", Scale: "quick", Backend: "go", Settings: map[string]any{"hidden": 64}}
	for trial := range 3 {
		h.Models = append(h.Models, replication.Model{Arm: "chrono", Trial: trial, Seed: uint64(trial)})
	}
	path := replication.RecordPath(dir, h)
	w, err := replication.Create(path, h, false)
	if err != nil {
		panic(err)
	}
	w.Point(1, "train", []float64{2.31, 2.29, 2.30}) // an error stays, and shows in Finish
	if err := w.Finish(1, 0.5, map[string][]float64{"loss": {2.31, 2.29, 2.30}}); err != nil {
		panic(err)
	}

	r, err := replication.Read(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Panel, r.Scale, replication.SpreadOf(r.End.Final["loss"]))
	_, err = replication.Create(path, h, false)
	fmt.Println(err != nil) // nothing is overwritten unasked
	// Output:
	// copy500 quick 2.3 [2.29, 2.31]
	// true
}
