package contextual

import (
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// What the figures take from the declarations stands here.

// RetrievalAt is the task of Figure 2 at a scale; false if it is not declared there.
func RetrievalAt(scale record.Scale) (task.Retrieval, bool) {
	declared, ok := Fig2.Panels[0].Sizes[scale].Declaration.(retrieval)
	return declared.task(), ok
}

// RetrieverSketch is the network of Figure 1: that of the learned arm of Figure 2 at the paper's scale.
func RetrieverSketch() Retriever {
	return networkOf(Fig2, learnedArm).(Retriever)
}

// ForecasterSketch is the network of Figure 3, that of the learned arm of Figure 5 at the paper's scale, and its first
// state.
func ForecasterSketch() (Forecaster, cell.Normal) {
	network := networkOf(Fig5, learnedArm).(Forecaster)
	return network, network.InitialState.(cell.Normal)
}

// networkOf is the network of a part of a figure's only panel.
func networkOf(f experiment.Figure, part string) experiment.Network {
	for _, run := range f.Panels[0].Sizes[record.Paper].Runs([]uint64{0}) {
		if run.Part == part {
			return run.Network
		}
	}
	panic("no part " + part + " in " + f.ID()) // its declaration has it
}

// StartOf is a series' value at t = 0, from those at t = 1 … t_f as Trajectories have them.
func StartOf(periods float64, trajectory []float64) float64 {
	return Unscaled(trajectory)[0] / validatedDecay.At(periods, 1) * validatedDecay.Height()
}

// Unscaled are trajectories as they are, not in thousandths.
func Unscaled(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / Thousandths
	}
	return out
}
