package trial

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
)

// On a constant gradient c, m̂ is c and v̂ is c², so that every step is one rate long, whatever the gradient's size: in
// float32 too, and from the first update on, where 1−β₂ is 1e-3.
func TestAdamFirstSteps(t *testing.T) {
	const rate = 0.5
	o := Optimizer{Method: Adam{0.9, 0.999, 1e-12}, Rates: []float64{rate}}
	a, c := make([][5]float32, 1), [][5]float32{{1e-3, -1e3, 1, -1, 7}}
	d := begin(t, "go", model.NewStore(), o, make([][5]float32, 1))
	for n := 1; n <= 5; n++ {
		d.update(a, c)
		for i, x := range d.theta[0] {
			want := math.Copysign(rate*float64(n), -float64(c[0][i]))
			if math.Abs(float64(x)-want) > 1e-6*rate*float64(n) { // a few roundings of float32, 6e-8 each
				t.Errorf("update %d, gradient %g: %g, want %g", n, c[0][i], x, want)
			}
		}
	}
}

// So are the steps of weights of half floats, in which v of this gradient, and ε, are 0.
func TestAdamOfHalfFloats(t *testing.T) {
	for _, engine := range engines() {
		for _, dtype := range []dtypes.DType{dtypes.Float16, dtypes.BFloat16} {
			b, store := conformance.Start(t, engine), model.NewStore()
			o := Optimizer{Method: DefaultAdam(), Rates: []float64{0.5}, Clip: 1}
			for n := 1.; n <= 4; n++ {
				got := model.MustCallOnce(b, store, func(scope *model.Scope, x *graph.Node) *graph.Node {
					w := scope.WithInitializer(initializer.Zero).VariableWithShape("w", shapes.Make(dtype))
					o.UpdateGraph(scope, x.Graph(), graph.MulScalar(w.NodeValue(x), 1e-3))
					return graph.ConvertDType(w.NodeValue(x), dtypes.Float64)
				}, 1.)
				want := []float64{-0.5 * n}
				check.Near(t, conformance.Numbers(got), want, 1e-2, "%s on %s, update %g", dtype, engine, n)
			}
		}
	}
}

// The first steps of a weight that was frozen at first are as long: also when training is resumed after them.
func TestAdamFirstStepsOfFrozenWeights(t *testing.T) {
	store, b := model.NewStore(), conformance.Start(t, "go")
	update := func(frozen bool) {
		model.MustCallOnce(b, store, func(scope *model.Scope, x *graph.Node) *graph.Node {
			v, w := scope.VariableWithValue("v", 0.), scope.In("in").VariableWithValue("w", 0.).SetTrainable(!frozen)
			loss := graph.Sub(v.NodeValue(x), graph.MulScalar(w.NodeValue(x), 3))
			Optimizer{Method: DefaultAdam(), Rates: []float64{0.5}}.UpdateGraph(scope, x.Graph(), loss)
			return loss
		}, 1.)
	}
	for range 100 {
		update(true)
	}
	for n := 1.; n <= 4; n++ {
		update(false)
		for path, want := range map[string]float64{"/v": -0.5 * (100 + n), "/in/w": 0.5 * n} {
			got := conformance.Numbers(store.GetVariable(path).MustValue())
			check.Near(t, got, []float64{want}, 1e-6, "update %g: %s", n, path)
		}
		if n == 2 {
			store = copied(t, store)
		}
	}
}

// Two graphs update different weights in turn, as those of two networks that train against each other do. The steps of
// each weight are as long as if it were alone, also of one that both graphs update.
func TestAdamOfSeveralGraphs(t *testing.T) {
	o, gradients := Optimizer{Method: Adam{0.9, 0.999, 1e-12}, Rates: []float64{0.5}}, []float64{1, -3, 2, 0.5}
	store, alone, b := model.NewStore(), model.NewStore(), conformance.Start(t, "go")
	update := func(store *model.Store, gradient float64, names ...string) {
		model.MustCallOnce(b, store, func(scope *model.Scope, c *graph.Node) *graph.Node {
			loss := graph.ZerosLike(c)
			for _, name := range names {
				loss = graph.Add(loss, graph.Mul(scope.VariableWithValue(name, 0.).NodeValue(c), c))
			}
			o.UpdateGraph(scope, c.Graph(), loss)
			return loss
		}, gradient)
	}
	for _, c := range gradients {
		update(store, c, "first", "both")
		update(store, c, "first", "both")
		update(store, c, "second", "both")
	}
	for name, times := range map[string]int{"first": 2, "second": 1, "both": 3} {
		for _, c := range gradients {
			for range times {
				update(alone, c, name)
			}
		}
		got := conformance.Numbers(store.GetVariable(name).MustValue())
		check.Near(t, got, conformance.Numbers(alone.GetVariable(name).MustValue()), 1e-12, "weight %s", name)
	}
}
