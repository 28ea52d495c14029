package replication

import (
	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
)

// fig3 is W Figure 3: LSTMs with standard and with chrono initialization on the copy and variable copy tasks.
var fig3 = Figure{
	Name:  "fig3",
	Title: "Standard and chrono initialization on the copy and variable copy tasks",
	Panels: []Panel{
		copyPanel("copy500", "Copy, T = 500", 3./2, func(s Settings, _ float64) task.Task { return task.Copy{T: s.T} }, map[string]Settings{
			"quick":   {T: 60, Hidden: 64, Batch: 32, Steps: 1_500, Trials: 3, Rate: 4e-3},
			"reduced": {T: 200, Hidden: 128, Batch: 32, Steps: 6_000, Trials: 3},
			"paper":   {T: 500, Hidden: 128, Batch: 128, Steps: 30_000, Trials: 5},
		}),
		copyPanel("copy2000", "Copy, T = 2000", 3./2, func(s Settings, _ float64) task.Task { return task.Copy{T: s.T} }, map[string]Settings{
			"quick":   {T: 120, Hidden: 64, Batch: 32, Steps: 1_000, Trials: 3, Rate: 4e-3},
			"reduced": {T: 500, Hidden: 128, Batch: 32, Steps: 6_000, Trials: 3},
			"paper":   {T: 2000, Hidden: 128, Batch: 128, Steps: 30_000, Trials: 5},
		}),
		copyPanel("varcopy500", "Variable copy, T = 500", 1, func(s Settings, _ float64) task.Task { return task.VariableCopy{T: s.T} }, map[string]Settings{
			"quick":   {T: 60, Hidden: 64, Batch: 32, Steps: 1_500, Trials: 3, Rate: 4e-3},
			"reduced": {T: 200, Hidden: 128, Batch: 32, Steps: 6_000, Trials: 3},
			"paper":   {T: 500, Hidden: 128, Batch: 128, Steps: 30_000, Trials: 5},
		}),
		copyPanel("varcopy1000", "Variable copy, T = 1000", 1, func(s Settings, _ float64) task.Task { return task.VariableCopy{T: s.T} }, map[string]Settings{
			"quick":   {T: 120, Hidden: 64, Batch: 32, Steps: 1_000, Trials: 3, Rate: 4e-3},
			"reduced": {T: 400, Hidden: 128, Batch: 32, Steps: 6_000, Trials: 3},
			"paper":   {T: 1000, Hidden: 128, Batch: 128, Steps: 30_000, Trials: 5},
		}),
	},
	Open: append([]Choice{
		{"which steps the loss is averaged over", "all T+20", "the memoryless loss that the paper gives, 10·log 8/(T+20), is that average"},
		{"length of a variable copy", "T+20 as in the copy task, dummies after the output", "Henaff et al. 2016, whose set-up it is, have one length; a batch needs one"},
	}, lstmChoices...),
}

// lstmChoices are what the paper leaves open in Figures 3 and 4 alike.
var lstmChoices = []Choice{
	{"learning rate at scale quick", "4e-3 (copy) and 2e-3 (adding) in place of the paper's 1e-3",
		"a few minutes hold 1,000 to 2,500 steps; of 1e-3, 2e-3 and 4e-3 these are the rates at which something is learned in them"},
	{"batch", "128 at scale paper", "published replications use 32 to 128; the largest has the least noise and costs a GPU nothing"},
	{"number of steps", "30,000 at scale paper", "the least that published replications of the copy task use"},
	{"trials", "5 at scale paper, 3 below", "the paper's curves are single or say nothing; its Figure 1 uses 5"},
	{"curve", "mean training loss between two points; every batch is new, so that it is a test loss too", "the paper's axes have no name"},
	{"input and recurrent weights, biases of the cell and output gate", "see package cell", "the paper speaks of gate biases only"},
	{"RMSprop's ε", "1e-8", "not given; PyTorch's default"},
}

// copyPanel declares a panel of Figure 3. Chrono's Tmax is T times a factor: 3/2 for copy, 1 for variable copy.
func copyPanel(name, title string, tmax float64, t func(Settings, float64) task.Task, scales map[string]Settings) Panel {
	return Panel{
		Name: name, Title: title, Arms: lstmArms, Final: "loss",
		Task:       t,
		Memoryless: func(s Settings, _ float64) float64 { return task.CopyMemoryless(s.T) },
		Scales:     withTmax(tmax, scales),
	}
}

// lstmArms are what Figures 3 and 4 compare: W Section 3, forget biases of 1 against W(16).
var lstmArms = []Arm{
	{Name: "standard", Cell: "lstm", Gates: func(Settings) (chrono.Init, error) { return chrono.Standard(1), nil }},
	{Name: "chrono", Cell: "lstm", Gates: func(s Settings) (chrono.Init, error) { return chrono.Chrono(s.Tmax) }},
}

// withTmax sets Tmax to the same multiple of T at every scale.
func withTmax(factor float64, scales map[string]Settings) map[string]Settings {
	for name, s := range scales {
		s.Tmax = factor * float64(s.T)
		scales[name] = s
	}
	return scales
}
