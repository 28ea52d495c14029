package replication

import "github.com/warptime/warptime/chrono/task"

// fig4 is W Figure 4: LSTMs with standard and with chrono initialization on the adding task.
var fig4 = Figure{
	Name:  "fig4",
	Title: "Standard and chrono initialization on the adding task",
	Panels: []Panel{
		addingPanel("adding200", "Adding, T = 200", map[string]Settings{
			"quick":   {T: 100, Hidden: 64, Batch: 32, Steps: 2_500, Trials: 3, Rate: 2e-3},
			"reduced": {T: 200, Hidden: 128, Batch: 32, Steps: 6_000, Trials: 3},
			"paper":   {T: 200, Hidden: 128, Batch: 128, Steps: 20_000, Trials: 5},
		}),
		addingPanel("adding750", "Adding, T = 750", map[string]Settings{
			"quick":   {T: 200, Hidden: 64, Batch: 32, Steps: 2_000, Trials: 3, Rate: 2e-3},
			"reduced": {T: 400, Hidden: 128, Batch: 32, Steps: 5_000, Trials: 3},
			"paper":   {T: 750, Hidden: 128, Batch: 128, Steps: 40_000, Trials: 5},
		}),
	},
	Open: append([]Choice{
		{"read-out", "one number, from the last state, without a squashing function", "the task asks for one number at the end"},
		{"number of steps (adding)", "20,000 and 40,000 at scale paper", "published replications stop at 10,000 (T=200) and 30,000 (T=750); standard initialization is to have time to finish"},
	}, lstmChoices...),
}

func addingPanel(name, title string, scales map[string]Settings) Panel {
	return Panel{
		Name: name, Title: title, Arms: lstmArms, Final: "mse",
		Task:       func(s Settings, _ float64) task.Task { return task.Adding{T: s.T} },
		Memoryless: func(Settings, float64) float64 { return task.AddingMemoryless() },
		Scales:     withTmax(1, scales), // W Section 3: Tmax = T
	}
}
