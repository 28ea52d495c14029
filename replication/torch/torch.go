// Package torch holds what train.py found: the LSTMs of W on the adding and copy tasks in PyTorch, written from the
// paper and sharing no code with the rest of this project. Its results are kept as that script wrote them.
package torch

import (
	_ "embed"
	"encoding/json"
)

// A Result is what one run of train.py wrote.
type Result struct {
	Task                   string
	Steps, Hidden, Batch   int
	Tmax, Rate, Alpha      float64
	Updates, Window        int // of training; updates between two points of a curve
	Memoryless             float64
	Torch, Python, Machine string
	Seconds                float64
	Trials                 []Trial
}

// A Trial is one network.
type Trial struct {
	Arm    string // "standard" or "chrono"
	Seed   int
	Losses []float64 // mean training loss over each window
}

// Adding and Copy are the results of the two tasks.
var (
	Adding = parsed(adding)
	Copy   = parsed(copying)

	//go:embed adding.json
	adding []byte
	//go:embed copy.json
	copying []byte
)

func parsed(text []byte) (r Result) {
	if err := json.Unmarshal(text, &r); err != nil {
		panic(err) // a test reads it
	}
	return r
}

// Curves returns the losses of an arm's trials.
func (r Result) Curves(arm string) [][]float64 {
	var curves [][]float64
	for _, t := range r.Trials {
		if t.Arm == arm {
			curves = append(curves, t.Losses)
		}
	}
	return curves
}
