package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
)

// closing is W's sentence on Penn Treebank taken literally: "the transform gate biases to b".
type closing struct{ chrono.Range }

func (c closing) Draw(rng *rand.Rand, units int) chrono.Biases {
	drawn := c.Range.Draw(rng, units)
	return chrono.Biases{Forget: drawn.Input, Input: drawn.Forget}
}

// W footnote 9: with gates that stand still, a step keeps (1−t)^Depth of the state, so that time scales are divided
// by Depth. For every unit and each of the three ways to set the biases, of which the literal one keeps least.
func TestTimeScalesDivideByDepth(t *testing.T) {
	const steps, hidden, depth = 6, 50, 10
	open := chrono.Range{Min: 2, Max: 12}
	inits := []chrono.GateInit{chrono.Standard{Forget: 2}, open, closing{open}}
	n := cell.RHN{Hidden: hidden, Depth: depth}
	x := tensors.FromFlatDataAndDimensions(make([]float64, steps*len(inits)), steps, len(inits), 1, 1)
	store := model.NewStore()
	out := model.MustCallOnceN(goBackend, store, func(s *model.Scope, x *Node) []*Node {
		ones := Ones(x.Graph(), shapes.Make(x.DType(), len(inits), 1, hidden))
		ys, _ := cell.New(s, n, x).Seeds(7, 7, 7).GateInit(inits...).WeightInit(cell.ScaledIdentity{}).From(ones).Done()
		return ys
	}, x)
	for r := range inits {
		h, weights := sequence(out[0], r, 0), weightsOf(n, 1, store, r)
		transform := weights["bias"][hidden:]
		for layer := 2; layer <= depth; layer++ {
			compare(t, "the biases of another layer", weights[fmt.Sprint("bias ", layer)], weights["bias"], 0)
		}
		for u, b := range transform {
			keeps := 1 / (1 + math.Exp(b))
			for step := range steps {
				if got, want := h[step][u], math.Pow(keeps, float64(depth*(step+1))); math.Abs(got/want-1) > 1e-12 {
					t.Fatalf("%#v, unit %d: %g is left after %d steps, want %g", inits[r], u, got, step+1, want)
				}
			}
			switch r {
			case 0:
				if b != -2 {
					t.Fatalf("unit %d: standard transform bias %g, want -2", u, b)
				}
			case 1:
				if b > 0 || b < -math.Log(11)-1e-12 {
					t.Fatalf("unit %d: chrono transform bias %g, want it in [-log 11, 0]", u, b)
				}
			case 2:
				if chronoBias := weightsOf(n, 1, store, 1)["bias"][hidden+u]; b != -chronoBias {
					t.Fatalf("unit %d: literal transform bias %g, want the opposite of %g", u, b, chronoBias)
				}
			}
		}
	}
}

// The candidates' biases start where Spread says, each layer's otherwise, and at zero without it.
func TestRHNSpread(t *testing.T) {
	d := cell.Draws{Seed: 3, Scope: "/", WeightInit: cell.Orthogonal{}, GateInit: chrono.Standard{Forget: 2}}
	const hidden = 500
	wide, none := cell.RHN{Hidden: hidden, Depth: 2, Spread: 0.04}, cell.RHN{Hidden: hidden, Depth: 2}
	drawn, plain := d.All(layerOf(wide, 3).Weights), d.All(layerOf(none, 3).Weights)
	for _, name := range []string{"bias", "bias 2"} {
		candidate := drawn[name][:hidden]
		least, most := slices.Min(candidate), slices.Max(candidate)
		if least < -0.04 || least > -0.038 || most > 0.04 || most < 0.038 {
			t.Errorf("%s: from %g to %g, want them to fill ±0.04", name, least, most)
		}
		compare(t, "without spread", plain[name][:hidden], make([]float64, hidden), 0)
		compare(t, "transform gates", drawn[name][hidden:], plain[name][hidden:], 0)
	}
	if slices.Equal(drawn["bias"], drawn["bias 2"]) {
		t.Error("both layers have the same biases")
	}
}
