package figures

import "github.com/warptime/warptime/replication"

// Fig4 draws W Figure 4: standard against chrono initialization on the adding task.
func Fig4(records []*replication.Record) *Figure {
	return trainingFigure{
		name:    "fig4",
		panels:  []string{"adding200", "adding750"},
		titles:  []string{"adding, T = 200", "adding, T = 750"},
		columns: 2,
		levels: func(r *replication.Record) []level {
			if memoryless, ok := r.Number("memoryless"); ok { // where the claims take a trial for converged
				return []level{{y: replication.ConvergedShare * memoryless, label: "a tenth of it", dashes: dotted, left: true}}
			}
			return nil
		},
		says: "Figure 4. Mean squared error of LSTMs on the adding task, on fresh sequences at every step; spikes are cut off at the frame. Below the dotted line, a trial counts as converged.",
	}.draw(records)
}
