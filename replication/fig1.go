package replication

import (
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
)

// fig1 is W Figure 1: plain, leaky and gated RNNs on warped and padded sequences, the loss against maximum_warping.
var fig1 = Figure{
	Name:  "fig1",
	Title: "Three recurrent architectures on warped and padded sequences",
	Panels: []Panel{
		warpPanel("uniform-warp", "Uniform warping", func(s Settings, x float64) task.Task { return task.Warp{Length: s.T, Min: int(x), Max: int(x)} }),
		warpPanel("uniform-pad", "Uniform padding", func(s Settings, x float64) task.Task { return task.Pad{Length: s.T, Min: int(x), Max: int(x)} }),
		warpPanel("variable-warp", "Variable warping", func(s Settings, x float64) task.Task { return task.Warp{Length: s.T, Min: 1, Max: int(x)} }),
		warpPanel("variable-pad", "Variable padding", func(s Settings, x float64) task.Task { return task.Pad{Length: s.T, Min: 1, Max: int(x)} }),
	},
	Open: append([]Choice{
		{"values of maximum_warping", "1, where all succeed, and four up to 100", "the paper's axis ends there"},
	}, warpChoices...),
}

// warpChoices are what the paper leaves open in Figures 1 and 5 alike.
var warpChoices = []Choice{
	{"first learning rate", "8e-3, and 4e-3 for the plain RNN",
		"each architecture's best of those tried at scale quick: 2e-3, 4e-3, 8e-3 (gated), 4e-3, 8e-3, 1.6e-2 (leaky), 2e-4, 1e-3, 4e-3 (plain); the rate is halved anyway"},
	{"initial biases of the gates", "0: gates start at 1/2", "the paper says nothing in this experiment, and a bias drawn from the warping would give the answer away"},
	{"which loss decides on halving the rate", "the mean over a validation set of its own, the same sequences each time, taken every 100 batches; it must fall below the lowest so far",
		"the paper's evaluation loss on its 10,000 test sequences would cost several times the training itself"},
}

// warpArms are the architectures of Figures 1 and 5, W(2), W(5) and W(10).
var warpArms = []Arm{
	{Name: "rnn", Cell: "rnn", Rate: 4e-3},
	{Name: "leaky", Cell: "leaky", Rate: 8e-3, Gates: halfOpen},
	{Name: "gated", Cell: "gated", Rate: 8e-3, Gates: halfOpen},
}

// halfOpen starts gates at 1/2.
func halfOpen(Settings) (chrono.Init, error) { return chrono.Standard(0), nil }

// warpPanel declares a panel of Figure 1. Its result is the loss on a test set drawn as the training set is.
func warpPanel(name, title string, t func(Settings, float64) task.Task) Panel {
	return Panel{
		Name: name, Title: title, Arms: warpArms, Final: "loss",
		Task:       t,
		Memoryless: func(s Settings, x float64) float64 { return warpMemoryless(t(s, x)) },
		Best:       func(Settings, float64) float64 { return 0 }, // see task.Warp and task.Pad
		Tests: func(s Settings, x float64) []Test {
			return []Test{{Task: t(s, x), Split: "test", Loss: "test_loss", Accuracy: "test_accuracy"}}
		},
		Scales: map[string]Settings{
			"quick":   {T: 100, Hidden: 32, Batch: 32, Steps: 600, Trials: 3, Sequences: 6_400, HalveAfter: 100, Valid: 64, Test: 128, Sweep: []float64{1, 5, 10, 20}},
			"reduced": {T: 250, Hidden: 64, Batch: 32, Steps: 1_500, Trials: 3, Sequences: 16_000, HalveAfter: 100, Valid: 256, Test: 1_024, Sweep: []float64{1, 10, 20, 50}},
			// 3 passes through 50,000 sequences in batches of 32: 4687.5 steps.
			"paper": {T: 500, Hidden: 64, Batch: 32, Steps: 4_687, Window: 43, Trials: 5, Sequences: 50_000, HalveAfter: 100, Valid: 1_024, Test: 10_016, Sweep: []float64{1, 10, 25, 40, 55, 70, 85, 100}},
		},
	}
}

func warpMemoryless(t task.Task) float64 {
	if pad, ok := t.(task.Pad); ok {
		return task.PadMemoryless(pad)
	}
	return task.WarpMemoryless(t.(task.Warp))
}
