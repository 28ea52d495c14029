package replication

import "github.com/warptime/warptime/chrono/task"

// fig5 is W Figure 5: the same three architectures, trained on short warps and tested on longer ones.
var fig5 = Figure{
	Name:  "fig5",
	Title: "Generalization from short warps to long ones",
	Panels: []Panel{{
		Name: "generalization", Title: "Trained on warps up to 50", Arms: warpArms, Final: "loss",
		Task:       func(s Settings, _ float64) task.Task { return trainedWarp(s) },
		Memoryless: func(s Settings, _ float64) float64 { return task.WarpMemoryless(trainedWarp(s)) },
		Tests: func(s Settings, _ float64) []Test {
			tests := []Test{{Task: trainedWarp(s), Split: "valid", Accuracy: "valid_accuracy"}}
			for _, longest := range s.TestWarps {
				// W Appendix A: warps between 100, twice the longest trained on, and an increasing maximum.
				warp := task.Warp{Length: testLength(longest), Min: 2 * int(s.TrainWarp), Max: int(longest)}
				tests = append(tests, Test{Task: warp, Split: "test", Accuracy: TestAccuracy(longest)})
			}
			return tests
		},
		Scales: map[string]Settings{
			"quick": {T: 100, Hidden: 32, Batch: 32, Steps: 600, Trials: 3, Sequences: 6_400, HalveAfter: 100, Valid: 64, Test: 64,
				TrainWarp: 10, TestWarps: []float64{20, 40, 60, 80, 100}},
			"reduced": {T: 250, Hidden: 64, Batch: 32, Steps: 1_500, Trials: 3, Sequences: 16_000, HalveAfter: 100, Valid: 256, Test: 256,
				TrainWarp: 50, TestWarps: []float64{100, 200, 300, 400, 500}},
			"paper": {T: 500, Hidden: 64, Batch: 32, Steps: 4_687, Window: 43, Trials: 5, Sequences: 50_000, HalveAfter: 100, Valid: 1_024, Test: 1_024,
				TrainWarp: 50, TestWarps: []float64{100, 150, 200, 250, 300, 350, 400, 450, 500}},
		},
	}},
	Open: append([]Choice{
		{"uniform or variable warps", "variable", "the caption says uniform, the text says a variable warping task"},
		{"length of the test sequences", "ten of the longest warp", "in 500 steps a warp of 500 has one character, and nothing to remember"},
		{"the maxima", "100 to 500, in steps of 50 at scale paper", "the text speaks of warps eight to ten times longer than the training set's"},
	}, warpChoices...),
}

func trainedWarp(s Settings) task.Warp {
	return task.Warp{Length: s.T, Min: 1, Max: int(s.TrainWarp)}
}

// testLength is the length of test sequences with warps up to longest: room for ten characters at least.
func testLength(longest float64) int { return 10 * int(longest) }
