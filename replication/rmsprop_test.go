package replication

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/backend"
)

func newBackend(t testing.TB, name string) compute.Backend {
	t.Helper()
	b, err := backend.New(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// descend makes the given number of steps from w, [R, n], on the loss Σ a·w⁴/4 + c·w, whose gradient is a·w³ + c, and returns w after every step.
func descend[F float32 | float64](t *testing.T, o optimizer.Interface, w, a, c [][]F, steps int) [][][]F {
	t.Helper()
	store := model.NewStore()
	exec := model.MustNewExec(newBackend(t, "go"), store, func(scope *model.Scope, a, c *graph.Node) *graph.Node {
		v := scope.In("cell").VariableWithValue("w", w).NodeValue(a)
		square := graph.Square(v)
		loss := graph.Add(graph.MulScalar(graph.Mul(a, graph.Square(square)), 0.25), graph.Mul(c, v))
		o.UpdateGraph(scope, a.Graph(), graph.ReduceAllSum(loss))
		return loss
	})
	var path [][][]F
	for range steps {
		exec.MustCall(a, c)
		path = append(path, store.GetVariable("/cell/w").MustValue().Value().([][]F))
	}
	return path
}

func TestRMSpropEqualsItsDefinition(t *testing.T) {
	o := RMSprop{Rates: []float64{1e-3, 1e-2, 0.25}, Alpha: 0.9, Epsilon: 1e-8}
	w := [][]float64{{1, -2}, {0.5, 3}, {-1.5, 0.1}}
	a := [][]float64{{1, 0.5}, {2, 0.1}, {3, 4}}
	c := [][]float64{{0.1, 0}, {-1, 2}, {0, -0.3}}
	const steps = 30
	got := descend(t, o, w, a, c, steps)

	theta, v := [3][2]float64{}, [3][2]float64{}
	for r := range theta {
		copy(theta[r][:], w[r])
	}
	for n := range steps {
		for r := range theta {
			rate := float64(float32(o.Rates[r])) // rates are kept in float32
			for i := range theta[r] {
				g := a[r][i]*math.Pow(theta[r][i], 3) + c[r][i]
				v[r][i] = 0.9*v[r][i] + 0.1*g*g
				theta[r][i] -= rate * g / (math.Sqrt(v[r][i]) + 1e-8)
				if e := math.Abs(got[n][r][i] - theta[r][i]); e > 1e-12 {
					t.Fatalf("step %d, trial %d, weight %d: %g, want %g", n+1, r, i, got[n][r][i], theta[r][i])
				}
			}
		}
	}
}

// On a constant gradient c, v at step n is (1−αⁿ)·c², so that the step is rate·sign(c)/√(1−αⁿ), whatever the gradient's size.
func TestRMSpropFirstSteps(t *testing.T) {
	const alpha, rate = 0.9, 1. / 64 // a power of two: exact in float32
	o := RMSprop{Rates: []float64{rate, 2 * rate}, Alpha: alpha, Epsilon: 1e-12}
	w, a, c := [][]float64{{0}, {0}}, [][]float64{{0}, {0}}, [][]float64{{1e-3}, {-1e3}}
	path := descend(t, o, w, a, c, 5)
	at := 0.
	for n := range path {
		at += rate / math.Sqrt(1-math.Pow(alpha, float64(n+1)))
		if e := math.Abs(path[n][0][0] + at); e > 1e-9 { // 1e-9 = ε/|c|
			t.Errorf("trial 0 after step %d: %g, want %g", n+1, path[n][0][0], -at)
		}
		if e := math.Abs(path[n][1][0] - 2*at); e > 1e-9 {
			t.Errorf("trial 1 after step %d: %g, want %g", n+1, path[n][1][0], 2*at)
		}
	}
}

// What the comment on RMSprop says of GoMLX's own: it divides v by 1−αⁿ, so that on a constant gradient every step is one rate long.
func TestGoMLXsRMSPropCorrectsTheStart(t *testing.T) {
	const rate = 1. / 64
	theirs := optimizer.RMSProp().LearningRate(rate).Betas(0, 0.9).Epsilon(1e-12).Done()
	path := descend(t, theirs, [][]float64{{0}}, [][]float64{{0}}, [][]float64{{1}}, 3)
	for n := range path {
		if want := -rate * float64(n+1); math.Abs(path[n][0][0]-want) > 1e-9 {
			t.Errorf("after step %d: %g, want %g", n+1, path[n][0][0], want)
		}
	}
}

func TestRMSpropTrialAloneEqualsAmongOthers(t *testing.T) {
	w := [][]float32{{1, -2}, {0.5, 3}, {-1.5, 0.1}}
	a := [][]float32{{1, 0.5}, {2, 0.1}, {3, 4}}
	c := [][]float32{{0.1, 0}, {-1, 2}, {float32(math.NaN()), -0.3}} // a trial that has gone astray stays alone with it
	rates := []float64{1e-3, 1e-2, 0.25}
	const steps = 10
	among := descend(t, RMSprop{Rates: rates, Alpha: 0.9, Epsilon: 1e-8}, w, a, c, steps)[steps-1]
	for r := range 2 {
		alone := descend(t, RMSprop{Rates: rates[r : r+1], Alpha: 0.9, Epsilon: 1e-8}, w[r:r+1], a[r:r+1], c[r:r+1], steps)[steps-1]
		for i := range alone[0] {
			if alone[0][i] != among[r][i] {
				t.Errorf("trial %d, weight %d: %g alone, %g among others", r, i, alone[0][i], among[r][i])
			}
		}
	}
	if !math.IsNaN(float64(among[2][0])) {
		t.Errorf("a NaN gradient left the weight at %g", among[2][0])
	}
}

func TestRMSpropRatesCanChangeBetweenSteps(t *testing.T) {
	o := RMSprop{Rates: []float64{1, 1}, Alpha: 0, Epsilon: 0} // without memory each step is one rate long
	store := model.NewStore()
	exec := model.MustNewExec(newBackend(t, "go"), store, func(scope *model.Scope, g *graph.Graph) *graph.Node {
		v := scope.VariableWithValue("w", []float32{0, 0}).NodeValue(g)
		loss := graph.ReduceAllSum(v)
		o.UpdateGraph(scope, g, loss)
		return loss
	})
	exec.MustCall()
	o.LearningRates(store).MustSetValue(tensors.FromValue([]float32{0.5, 0}))
	exec.MustCall()
	if got := store.GetVariable("/w").MustValue().Value().([]float32); got[0] != -1.5 || got[1] != -1 {
		t.Errorf("weights after steps of 1 and of {0.5, 0}: %v, want [-1.5 -1]", got)
	}
	if n := optimizer.GetGlobalStep(store); n != 2 {
		t.Errorf("global step is %d, want 2", n)
	}
	if err := o.Clear(store.RootScope()); err != nil || store.NumVariables() != 2 { // w and the global step
		t.Errorf("after Clear: %v, %d variables, want 2", err, store.NumVariables())
	}
}
