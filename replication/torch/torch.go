// Package torch holds what train.py found: LSTMs of W on the adding and copy tasks in PyTorch, written from the paper.
// They share no code with the rest of this project. Its results are kept as that script wrote them.
package torch

import (
	"embed"
	"encoding/json"
	"fmt"
)

// A Result is what one run of train.py wrote, without what says how it was trained.
type Result struct {
	Updates, Window int // of training; updates between two points of a curve
	Memoryless      float64
	Trials          []Trial
}

// A Trial is one network.
type Trial struct {
	Arm    string    // "chrono": a key of the task's arms in train.py
	Losses []float64 // mean training loss over each window
}

//go:embed *.json
var results embed.FS

// Of is the result of a task, and panics if there is none.
func Of(task string) (r Result) {
	text, err := results.ReadFile(task + ".json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		panic(fmt.Errorf("the results of task %q in PyTorch: %w", task, err))
	}
	return r
}
