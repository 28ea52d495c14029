package cell_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"gonum.org/v1/gonum/floats"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// The equations of today's networks, written once more in plain Go.

func softplus(x float64) float64 { return math.Log1p(math.Exp(x)) }

// unitwise runs a recurrence whose units depend on the inputs and on their own states alone.
func unitwise(next func(x []float64, w map[string][]float64, hidden, u int, h float64) (float64, float64)) reference {
	return func(hidden int, x [][]float64, w map[string][]float64, first [][]float64) (
		out [][]float64, gates [][][]float64) {
		h := first[0]
		gates = make([][][]float64, 1)
		for _, row := range x {
			now, gate := make([]float64, hidden), make([]float64, hidden)
			for u := range hidden {
				now[u], gate[u] = next(row, w, hidden, u, h[u])
			}
			h = now
			out, gates[0] = append(out, h), append(gates[0], gate)
		}
		return out, gates
	}
}

var minGRUReference = unitwise(func(x []float64, w map[string][]float64, hidden, u int, h float64) (float64, float64) {
	z := sigmoid(affine(x, nil, w, "", 2*hidden, hidden+u))
	return z*affine(x, nil, w, "", 2*hidden, u) + (1-z)*h, z
})

var rglruReference = unitwise(func(x []float64, w map[string][]float64, hidden, u int, h float64) (float64, float64) {
	z := func(block int) float64 { return affine(x, nil, w, "", 3*hidden, block*hidden+u) }
	r, i := sigmoid(z(1)), sigmoid(z(2))
	a := math.Exp(-8 * r * softplus(w["decay"][u]))
	return a*h + math.Sqrt(1-a*a)*i*z(0), r
})

func selectiveReference(hidden int, x [][]float64, w map[string][]float64, first [][]float64) (
	out [][]float64, _ [][][]float64) {
	states := len(first[0]) / hidden
	for _, row := range x {
		of := func(name string, n int) float64 {
			sum := 0.
			for i, v := range row {
				sum += v * w[name][i*states+n]
			}
			return sum
		}
		y := make([]float64, hidden)
		for u := range hidden {
			v, delta := affine(row, nil, w, "", 2*hidden, u), softplus(affine(row, nil, w, "", 2*hidden, hidden+u))
			y[u] = w["skip"][u] * v
			for n := range states {
				h := &first[0][n*hidden+u]
				*h = math.Exp(-delta*math.Exp(w["decay"][n*hidden+u]))**h + delta*of("in", n)*v
				y[u] += *h * of("out", n)
			}
		}
		out = append(out, y)
	}
	return out, nil
}

func lruReference(hidden int, x [][]float64, w map[string][]float64, first [][]float64) ([][]float64, [][][]float64) {
	h := make([]complex128, hidden)
	for u := range h {
		h[u] = complex(first[0][u], first[1][u])
	}
	var out [][]float64
	for _, row := range x {
		re, im := make([]float64, hidden), make([]float64, hidden)
		for u := range h {
			lambda := cmplx.Exp(complex(-math.Exp(w["decay"][u]), math.Exp(w["angle"][u])))
			var in complex128
			for i, v := range row {
				in += complex(v, 0) * complex(w["input"][i*2*hidden+u], w["input"][i*2*hidden+hidden+u])
			}
			h[u] = lambda*h[u] + complex(math.Exp(w["scale"][u]), 0)*in
			re[u], im[u] = real(h[u]), imag(h[u])
		}
		out = append(out, append(re, im...))
	}
	return out, nil
}

// An associative scan computes the states and gradients of the loop, for lengths that are powers of two and others.
func TestAssociative(t *testing.T) {
	for _, c := range []cell.Cell{cell.MinGRU{Hidden: 3}, cell.RGLRU{Hidden: 3}, cell.LRU{Hidden: 3}} {
		for _, steps := range []int{1, 2, 3, 7, 8, 13} {
			args := arguments(rand.New(rand.NewPCG(5, 5)), c, 3, steps, 2, 2)
			layer := layerOf(c, 3)
			states := len(layer.StateDims)
			out := MustExecOnceN(goBackend, func(nodes []*Node) []*Node {
				xs, weights := layer.Prepare(nodes[:1], cell.ByName(layer.Weights, nodes[1+states:]))
				var zeros []*Node
				for _, state := range nodes[1 : 1+states] {
					zeros = append(zeros, ZerosLike(state))
				}
				ys, _ := scan.New(layer.Step).Done(zeros, xs, weights)
				var all []*Node
				if states == 1 {
					all = scan.Associative(scan.Affine, xs...)[1:]
				} else {
					lambda := make([]*Node, 2)
					for i, w := range weights {
						lambda[i] = BroadcastToShape(InsertAxes(w, 0), xs[0].Shape())
					}
					all = scan.Associative(scan.Turning, lambda[0], lambda[1], xs[0], xs[1])[2:]
				}
				results := []*Node{ys[0], Concatenate(all, -1)}
				for _, h := range []*Node{results[0], results[1]} {
					loss := conformance.Weighted([]*Node{h})
					results = append(results, Gradient(loss, append(nodes[:1:1], nodes[1+states:]...)...)...)
				}
				return results
			}, anys(args)...)
			gradients := (len(out) - 2) / 2
			compare(t, "states", flat(t, out[1]), flat(t, out[0]), 1e-12)
			for i := range gradients {
				compare(t, "gradient", flat(t, out[2+gradients+i]), flat(t, out[2+i]), 1e-11)
			}
		}
	}
}

// Outputs and gradients equal those of the papers' equations in PyTorch, those with layer normalization among them.
func TestTodayEqualsPyTorch(t *testing.T) {
	for c, kind := range map[cell.Cell]string{
		cell.MinGRU{Hidden: 5}: "mingru", cell.RGLRU{Hidden: 5}: "rglru", cell.LRU{Hidden: 5}: "lru",
		cell.Selective{Hidden: 5, States: 3}: "selective", cell.Normalized(cell.LSTM{Hidden: 5}): "lstm",
		cell.Normalized(cell.GRU{Hidden: 5}): "gru", cell.Normalized(cell.GRU{Hidden: 5, ResetAfter: true}): "gru",
	} {
		states := map[string][]string{"lru": {"re", "im"}, "lstm": {"h", "c"}}[kind]
		if states == nil {
			states = []string{"h"}
		}
		cellEqualsTorch(t, c, "today.py", states, map[string]any{"kind": kind})
	}
}

// While its inputs are zero, a unit forgets with the time scale that was drawn for it.
func TestTimeScalesOfToday(t *testing.T) {
	const steps, hidden = 8, 40
	init := chrono.Scales{K: 1, Min: 3, Max: 300}
	for _, c := range []cell.Cell{
		cell.MinGRU{Hidden: hidden}, cell.RGLRU{Hidden: hidden}, cell.Selective{Hidden: hidden, States: 1},
		cell.LRU{Hidden: hidden},
	} {
		x := random(rand.New(rand.NewPCG(6, 6)), 1, 1, 1, hidden)
		out := model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
			first := make([]*Node, len(cell.StateDims(c)))
			for i := range first {
				dims := append([]int{1, 1}, cell.StateDims(c)[i]...)
				first[i] = MulScalar(Ones(x.Graph(), shapes.Make(x.DType(), dims...)), 0.5)
			}
			zeros := BroadcastToDims(ZerosLike(x), steps, 1, 1, hidden)
			_, final := cell.New(s, c, zeros).GateInit(init).From(first...).Done()
			size, left := Square(Reshape(first[0], -1)), Square(Reshape(final[0], -1))
			if len(final) == 2 { // Re h and Im h
				size, left = MulScalar(size, 2), Add(left, Square(Reshape(final[1], -1)))
			}
			return []*Node{Pow(Div(left, size), Const(x.Graph(), 0.5/steps))}
		}, x)
		kept := flat(t, out[0])
		scales := make([]float64, hidden)
		for u := range scales {
			scales[u] = 1 / (1 - kept[u])
		}
		if low, high := floats.Min(scales), floats.Max(scales); low < 2.99 || low > 4 || high > 301 || high < 150 {
			t.Errorf("%#v: time scales from %g to %g, want about 3 to 300", c, low, high)
		}
	}
}

// A convolution sees no later step, and its weights are those of the steps before.
func TestConvolution(t *testing.T) {
	const steps, trials, batch, features = 5, 2, 2, 3
	rng := rand.New(rand.NewPCG(7, 7))
	x := random(rng, steps, trials, batch, features)
	for _, width := range []int{1, 2, 4, 9} {
		build := func(s *model.Scope, x *Node) []*Node { return []*Node{cell.Convolution(s, x, width, 1, 2)} }
		store := stored(goBackend, x, build)
		shuffled(t, rng, store)
		got := model.MustCallOnceN(goBackend, store, build, x)[0]
		value := func(name string) []float64 {
			return flat(t, store.RootScope().GetVariable(name).MustValue())
		}
		for r := range trials {
			w, bias := trialOf(value("weights"), trials, r), trialOf(value("bias"), trials, r)
			for b := range batch {
				in, out := sequence(x, r, b), sequence(got, r, b)
				for s := range steps {
					for f := range features {
						want := bias[f]
						for k := range min(width, s+1) {
							want += w[k*features+f] * in[s-k][f]
						}
						if math.Abs(out[s][f]-want) > 1e-12 {
							t.Fatalf("width %d, step %d: %g, want %g", width, s, out[s][f], want)
						}
					}
				}
			}
		}
	}
	err := exceptions.TryCatch[error](func() { cell.Convolution(nil, nil, 0) })
	check.Rejected(t, "no inputs", err, "width is 0, want")
}
