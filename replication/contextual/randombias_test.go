package contextual

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
)

// Only the bias is drawn otherwise: uniform between ±√(3/H), other for every seed.
func TestRandomBias(t *testing.T) {
	const hidden = 300
	plain := fastWeights(hidden)
	random := RandomBias{plain}
	draw := func(c cell.Cell, seed uint64) map[string][]float64 {
		layer, err := c.Layer(5)
		check.OK(t, err)
		return initialValues(cell.Draws{Seed: seed, Scope: "cell", WeightInit: cell.He{}}, layer.Weights)
	}
	drawn, want, other := draw(random, 1), draw(plain, 1), draw(random, 2)
	for name, values := range want {
		if name != "bias" && !slices.Equal(drawn[name], values) {
			t.Errorf("%s is %v, and without a random bias %v", name, drawn[name], values)
		}
	}
	limit, squares := math.Sqrt(3.0/hidden), 0.0
	for u, b := range drawn["bias"] {
		if math.Abs(b) > limit || b == other["bias"][u] {
			t.Errorf("bias %d is %g, want at most ±%g, and not that of seed 2, %g", u, b, limit, other["bias"][u])
		}
		squares += b * b / hidden
	}
	if deviation := limit / math.Sqrt(3); math.Abs(math.Sqrt(squares)-deviation) > 0.1*deviation {
		t.Errorf("the biases' deviation is %g, want %g", math.Sqrt(squares), deviation)
	}
}

// All symbols are alike at first, so every sequence gets the same answer; but the embedding learns, in every arm.
func TestStartFromZero(t *testing.T) {
	tasks := tasksOf(t, "beyond-start", experiment.Options{Scale: "quick", Panel: "retrieval", Trials: 2, Seed: 1})
	if len(tasks) != 3 {
		t.Fatalf("%d arms, want 3", len(tasks))
	}
	for _, task := range tasks {
		seeds, store := []uint64{task.Trials[0].Seed, task.Trials[1].Seed}, model.NewStore()
		out := computed(t, store, task.Network, task.Data, seeds,
			func(_, labels []*graph.Node, output experiment.Output) []*graph.Node {
				g := output.Prediction.Graph()
				var psi *graph.Node
				for v := range store.IterVariables() {
					if v.Name() == "psi" {
						psi = v.NodeValue(g)
					}
				}
				loss := trial.Total(trial.CrossEntropy{}.Losses(labels[0], output.Prediction))
				return []*graph.Node{output.Prediction, psi, graph.Gradient(loss, psi)[0]}
			})
		for r, sequences := range out[0].Value().([][][]float32) {
			for b, answer := range sequences {
				for k, logit := range answer {
					if math.Abs(float64(logit-sequences[0][k])) > 1e-5 {
						t.Fatalf("%s, trial %d: sequences 0 and %d get %v and %v", task, r, b, sequences[0], answer)
					}
				}
			}
		}
		for r, trial := range out[1].Value().([][][]float32) {
			largest := 0.0
			for s, numbers := range trial {
				for i, x := range numbers {
					if x != 0 {
						t.Fatalf("%s, trial %d: psi of symbol %d starts at %v", task, r, s, numbers)
					}
					largest = max(largest, math.Abs(float64(out[2].Value().([][][]float32)[r][s][i])))
				}
			}
			if largest < 1e-6 {
				t.Errorf("%s, trial %d: the embedding has no gradient above %g", task, r, largest)
			}
		}
	}
}

// tasksOf are what is trained for the panels whose records go by the name of a figure.
func tasksOf(t *testing.T, name string, o experiment.Options) []experiment.Task {
	t.Helper()
	found, err := experiment.Find(Paper.Trained(), name)
	check.OK(t, err)
	tasks, err := found[0].Tasks(o)
	check.OK(t, err)
	return tasks
}

// initialValues are those of weights that do not start from zeros, by name.
func initialValues(d cell.Draws, weights []cell.Weight) map[string][]float64 {
	values := map[string][]float64{}
	for _, w := range weights {
		if d.Name = w.Name; w.Init != nil {
			values[w.Name] = w.Init(d)
		}
	}
	return values
}
