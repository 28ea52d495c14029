package loader_test

import (
	"fmt"
	"log"

	"github.com/warptime/warptime/chrono/loader"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

// Two trials of the copy task, with seeds 1 and 2, in batches of 32 sequences each, from batch 1000 on.
func ExampleNew() {
	data := trial.Sampled[task.Symbols]{Tasks: []task.Symbols{task.Copy{T: 500}}, Split: "train", Batch: 32}
	batches, err := data.Open([]uint64{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	for batch, err := range loader.New(batches, 1000).Iter() {
		fmt.Println(batch.Inputs[0].Shape(), batch.Labels[0].Shape(), err)
		break
	}
	// Output: (Int32)[520, 2, 32] (Int32)[520, 2, 32] <nil>
}
