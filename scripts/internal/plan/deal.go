package plan

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/run"
)

// Costs are roughly proportional to how long tasks take.
func Costs(tasks []experiment.Task) []float64 {
	costs := make([]float64, len(tasks))
	for i := range tasks {
		costs[i] = run.All(&tasks[i]).Work()
	}
	return costs
}

// LongestFirst sorts tasks by their costs.
func LongestFirst(tasks []experiment.Task) []experiment.Task {
	sorted := make([]experiment.Task, len(tasks))
	for place, i := range order(Costs(tasks)) {
		sorted[place] = tasks[i]
	}
	return sorted
}

// order lists the indices of costs, the largest first.
func order(costs []float64) []int {
	indices := xslices.Iota(0, len(costs))
	slices.SortStableFunc(indices, func(a, b int) int { return cmp.Compare(costs[b], costs[a]) })
	return indices
}

// Deal gives each of some costs, the largest first, to whichever of n machines is free first. It returns whose each is,
// and when the last machine is done.
func Deal(costs []float64, n int) (machine []int, done float64) {
	machine = make([]int, len(costs))
	busy := make([]float64, max(1, min(n, len(costs)))) // others would have nothing to do
	for _, i := range order(costs) {
		free := slices.Index(busy, slices.Min(busy))
		machine[i] = free
		busy[free] += costs[i]
	}
	return machine, slices.Max(busy)
}
