package figures

import "github.com/warptime/warptime/replication"

// Fig3 draws W Figure 3: standard against chrono initialization on the copy and variable copy tasks.
func Fig3(records []*replication.Record) *Figure {
	return trainingFigure{
		name:    "fig3",
		panels:  []string{"copy500", "copy2000", "varcopy500", "varcopy1000"},
		titles:  []string{"copy, T = 500", "copy, T = 2000", "variable copy, T = 500", "variable copy, T = 1000"},
		columns: 2,
		says:    "Figure 3. Training loss of LSTMs on the copy task (a, b) and the variable copy task (c, d), on fresh sequences at every step; spikes are cut off at the frame.",
	}.draw(records)
}
