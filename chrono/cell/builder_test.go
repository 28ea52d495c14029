package cell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/chrono/weights"
	"github.com/warptime/warptime/internal/check"
)

// Layers over pieces of a sequence, down to single steps, are as over all of it at once: from states that go in and
// out, and from those that are carried. They begin in a learned state. (TestLengthsEqualPyTorch compares layers in both
// directions with PyTorch's.)
func TestLayersStream(t *testing.T) {
	const batch, steps = 2, 6
	settings := map[string]func(b *cell.Builder) *cell.Builder{
		"two": func(b *cell.Builder) *cell.Builder { return b.Layers(2) },
		"three, normalized": func(b *cell.Builder) *cell.Builder {
			return b.Layers(3).LayerNorm().Dropout(0.5).RecurrentDropout(0.5) // which there is only in training
		},
	}
	for _, c := range []cell.Cell{cell.LSTM{Hidden: 3}, cell.GRU{Hidden: 3}} {
		for name, set := range settings {
			x := random(rand.New(rand.NewPCG(9, 9)), batch, steps, 2)
			build := func(s *model.Scope, in []*Node) []*Node {
				ys, final := set(cell.New(s, c, in[0])).InitialState(cell.Learned{}).From(in[1:]...).Done()
				return append(ys, final...)
			}
			store, whole := shuffled(t, rand.New(rand.NewPCG(10, 10)), build, x)
			for _, size := range []int{1, 2} {
				streamed := model.MustNewExec(goBackend, store, build)
				carried := model.MustNewExec(goBackend, store, func(s *model.Scope, x, continues *Node) []*Node {
					ys, final := set(cell.New(s, c, x)).InitialState(cell.Learned{}).Carry(continues).Done()
					return append(ys, final...)
				})
				var states []any
				for t0 := 0; t0 < steps; t0 += size {
					piece := func(x *Node) *Node { return SliceAxis(x, 1, AxisRange(t0, t0+size)) }
					part, want := MustExecOnce(goBackend, piece, x), MustExecOnce(goBackend, piece, whole[0])
					results := streamed.MustCall(append([]any{part}, states...)...)
					continues := any(t0 > 0)
					if size > 1 { // a value for each sequence
						continues = slices.Repeat([]bool{t0 > 0}, batch)
					}
					again := carried.MustCall(part, continues)
					states = anys(results[1:])
					what := fmt.Sprintf("%#v, %s, step %d", c, name, t0)
					check.Near(t, flat(t, results[0]), flat(t, want), 1e-15, "%s", what)
					check.Near(t, flat(t, again[0]), flat(t, want), 1e-15, "%s, carried", what)
					if t0+size == steps {
						for i, state := range results[1:] {
							check.Near(t, flat(t, state), flat(t, whole[1+i]), 1e-15, "%s, last state", what)
						}
					}
				}
			}
		}
	}
}

// The gates of a stack are those of its layers, one run above the other.
func TestGatesOfStacks(t *testing.T) {
	x := random(rand.New(rand.NewPCG(11, 11)), 2, 3, 2)
	var names []string
	gates := func(builders ...*cell.Builder) (values []*Node) {
		names = nil
		for _, b := range builders {
			for _, gate := range b.Gates() {
				names, values = append(names, gate.Name), append(values, gate.Values, gate.Bias)
			}
		}
		return values
	}
	out := model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x *Node) []*Node {
		below := cell.New(s.In("layer 0"), cell.LSTM{Hidden: 3}, x).Bidirectional()
		above := cell.New(s.In("layer 1"), cell.LSTM{Hidden: 3}, below.Outputs()).Bidirectional()
		above.Done()
		want := gates(below, above)
		stack := cell.New(s.ResetVisited(), cell.LSTM{Hidden: 3}, x).Layers(2).Bidirectional()
		stack.Done()
		return append(gates(stack), want...)
	}, x)
	check.Equal(t, names, []string{
		"layer 0/forwards/input", "layer 0/forwards/forget", "layer 0/backwards/input", "layer 0/backwards/forget",
		"layer 1/forwards/input", "layer 1/forwards/forget", "layer 1/backwards/input", "layer 1/backwards/forget",
	}, "names")
	got, want := out[:len(out)/2], out[len(out)/2:]
	for i := range want {
		check.Near(t, flat(t, got[i]), flat(t, want[i]), 0, "%s", names[i/2])
		check.Equal(t, got[i].Shape().Dimensions, [][]int{{2, 3, 3}, {3}}[i%2], "shape of values or of a bias")
	}
}

// Dropout drops its share of what goes from layer to layer and of what recurrent weights see, with one mask for all
// steps of a sequence, and in training alone.
func TestDropout(t *testing.T) {
	const batch, steps, units, small = 40, 3, 50, 1e-9
	ones := func(x *Node, dims ...int) *Node { return AddScalar(zeros(x, dims...), 1) }
	identity := cell.ScaledIdentity{Scale: 1}
	networks := map[string]func(s *model.Scope, x *Node) *Node{
		"between layers": func(s *model.Scope, x *Node) *Node { // h ← tanh(h + mask·x), nearly h + mask·x
			rnn := cell.New(s, cell.RNN{Hidden: units}, MulScalar(ones(x, batch, steps, units), small))
			return MulScalar(rnn.Layers(2).Dropout(0.25).WeightInit(identity).Outputs(), 1/small)
		},
		"recurrent": func(s *model.Scope, x *Node) *Node { // h ← tanh(mask·h)
			rnn := cell.New(s, cell.RNN{Hidden: units}, zeros(x, batch, steps, 1)).RecurrentDropout(0.25)
			rnn.WeightInit(identity).From(MulScalar(ones(x, batch, units), small))
			return MulScalar(rnn.Outputs(), 1/small)
		},
	}
	for name, network := range networks {
		for _, training := range []bool{true, false} {
			store := model.NewStore()
			store.SetParam(model.ParamInitialSeed, int64(1))
			out := model.MustCallOnce(goBackend, store, func(s *model.Scope, x *Node) *Node {
				s.Store().SetTraining(x.Graph(), training)
				return network(s, x)
			}, 0.)
			dropped, kept := 0., 1.
			if training {
				kept = 4. / 3
			}
			for _, sequence := range out.Value().([][][]float64) { // [T, n]
				for step, row := range sequence {
					all := kept * float64((step+1)*(step+2)/2) // what a kept unit has at this step: a sum of sums of 1
					if name == "recurrent" {
						all = math.Pow(kept, float64(step+1))
					}
					for u, first := range sequence[0] { // 0, or kept in every step
						if first == 0 {
							dropped += 1. / (batch * steps * units)
						}
						check.Must(t, math.Abs(row[u]/all-first/kept) <= 1e-6 &&
							(first == 0 || math.Abs(first/kept-1) <= 1e-6),
							"%s, step %d, unit %d: %g, at first %g", name, step, u, row[u], first)
					}
				}
			}
			check.That(t, (!training || math.Abs(dropped-0.25) <= 0.03) && (training || dropped <= 0),
				"%s, training %v: a share of %g is dropped, want 0.25, and none outside of training", name,
				training, dropped)
		}
	}
}

// Each sequence continues the one at its place in the batch before, or begins anew: then not even a NaN of
// that one comes along. While training as in evaluations, whose states do not mix. (TestLayersStream carries states
// over many batches.)
func TestCarry(t *testing.T) {
	const steps, trials, batch = 3, 2, 2
	x := random(rand.New(rand.NewPCG(71, 71)), 2*steps, trials, batch, 2)
	continues := []int8{1, 0, 0, 1}
	half := func(x *tensors.Tensor, n int) *tensors.Tensor {
		part := AxisRange(n*steps, (n+1)*steps)
		return MustExecOnce(goBackend, func(x *Node) *Node { return SliceAxis(x, 0, part) }, x)
	}
	broken := flat(t, half(x, 0))
	for i := range broken {
		if continues[i/2%len(continues)] == 0 {
			broken[i] = math.NaN()
		}
	}
	first := tensors.FromFlatDataAndDimensions(broken, steps, trials, batch, 2)
	for _, training := range []bool{false, true} {
		outputs := func(store *model.Store, training bool) *model.Exec {
			return model.MustNewExec(goBackend, store, func(s *model.Scope, in []*Node) *Node {
				s.Store().SetTraining(in[0].Graph(), training)
				b := cell.New(s, cell.LSTM{Hidden: 3}, in[0]).Seeds(1, 2)
				b.InitialState(filled{0.5})
				if len(in) > 1 {
					b.Carry(in[1])
				}
				return b.Outputs()
			})
		}
		store, none := model.NewStore(), tensors.FromFlatDataAndDimensions(make([]int8, 4), trials, batch)
		carried := outputs(store, training)
		goesOn, begins := half(carried.MustCall(x)[0], 1), carried.MustCall(half(x, 1))[0]
		carried.MustCall(first, none)
		outputs(store, !training).MustCall(half(x, 1), none)
		got := carried.MustCall(half(x, 1), tensors.FromFlatDataAndDimensions(continues, trials, batch))[0]
		for i, on := range continues {
			want := begins
			if on == 1 {
				want = goesOn
			}
			own, all := slices.Concat(rows(got, 4, i)...), slices.Concat(rows(want, 4, i)...)
			check.Near(t, own, all, 1e-15, "sequence %v", i)
		}
	}
}

// Two layers in two directions over sequences of unequal length equal PyTorch's over packed sequences: outputs, last
// states and the gradient of the inputs, with NaN where the inputs are padding.
func TestLengthsEqualPyTorch(t *testing.T) {
	all := must(weights.Read("testdata/packed.npz")) // testdata/packed.py made them
	modules := must(weights.Read("testdata/packed.safetensors"))
	lengths := tensors.MustCopyFlatData[int64](all["lengths"])
	x := all["x"].Value().([][][]float64) // [B, T, I]
	for b, length := range lengths {
		for _, row := range x[b][length:] {
			row[0], row[1] = math.NaN(), math.Inf(1)
		}
	}
	conformance.OnEach(t, func(t *testing.T, _ string, engine compute.Backend) {
		for name, c := range map[string]cell.Cell{"lstm": cell.LSTM{Hidden: 4}, "rnn": cell.RNN{Hidden: 4},
			"gru": cell.GRU{Hidden: 4, ResetAfter: true}} {
			store := model.NewStore()
			check.OK(t, cell.FromTorch(store.RootScope(), c, name+".", modules))
			arrays := []string{"y", "gradient", "h", "c"}[:2+len(layerOf(c, 1).StateDims)]
			out := model.MustCallOnceN(engine, store, func(s *model.Scope, x, lengths *Node) []*Node {
				ys, final := cell.New(s, c, x).Layers(2).Bidirectional().Lengths(lengths).Unroll(2).Done()
				loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
				out := append([]*Node{ys[0]}, Gradient(loss, x)...)
				for state := range layerOf(c, 1).StateDims {
					var layers []*Node // and directions, [B, H] each
					for i := state; i < len(final); i += len(layerOf(c, 1).StateDims) {
						layers = append(layers, final[i])
					}
					out = append(out, Stack(layers, 0))
				}
				return out
			}, x, lengths)
			for i, array := range arrays {
				check.Near(t, flat(t, out[i]), flat(t, all[name+"/"+array]), 2e-15, "%s, %s", c, array)
			}
		}
	})
}

// distance is a cell whose derivative is infinite at inputs of zero, before the loop and in it: its h is
// tanh(h·U + ||Wx·x||).
var distance = changed{cell.RNN{Hidden: 2}, func(l *cell.Layer) {
	root, prepare, step := func(z *Node) *Node { return Sqrt(Square(z)) }, l.Prepare, l.Step
	l.Prepare = func(xs []*Node, weights map[string]*Node) (stepXs, stepWeights []*Node) {
		stepXs, stepWeights = prepare(xs, weights)
		return []*Node{root(stepXs[0])}, stepWeights
	}
	l.Step = func(c *scan.Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
		return step(c, carry, []*Node{root(x[0])}, weights)
	}
}}

// Padding affects no gradient, even if a cell's derivative is infinite at zeros.
func TestPaddingBesideInfiniteDerivatives(t *testing.T) {
	const batch, steps, length = 2, 4, 3
	x := random(rand.New(rand.NewPCG(64, 64)), batch, steps, 2)
	for _, reverse := range []bool{false, true} {
		gradient := func(steps int) []float64 {
			return flat(t, model.MustCallOnce(goBackend, model.NewStore(), func(s *model.Scope, x *Node) *Node {
				b := cell.New(s, distance, SliceAxis(x, 1, AxisRange(0, steps)))
				if steps > length {
					b.Lengths(Const(x.Graph(), []int32{length, length}))
				}
				if reverse {
					b.Reverse()
				}
				return Gradient(ReduceAllSum(b.Last()), s.GetVariable("input").NodeValue(x.Graph()))[0]
			}, x))
		}
		check.Near(t, gradient(steps), gradient(length), 1e-15, "reverse %v", reverse)
	}
}

// A length beyond T counts as T, and a negative one as 0, however large its type.
func TestImpossibleLengths(t *testing.T) {
	x := random(rand.New(rand.NewPCG(62, 63)), 3, 1, 1, 2)
	last := func(lengths any) []float64 {
		return flat(t, model.MustCallOnce(goBackend, model.NewStore(), func(s *model.Scope, x, l *Node) *Node {
			gru := cell.New(s, cell.GRU{Hidden: 2}, x).Lengths(l)
			return gru.InitialState(filled{0.5}).Last()
		}, x, lengths))
	}
	for count, impossible := range map[int32][]any{
		3: {[][]uint8{{math.MaxUint8}}, [][]int32{{math.MaxInt32}}, [][]uint32{{math.MaxUint32}}, [][]int64{{1 << 32}},
			[][]int64{{math.MaxInt64}}, [][]uint64{{math.MaxUint64}}},
		0: {[][]int8{{-1}}, [][]int32{{-3}}, [][]int32{{math.MinInt32}}, [][]int64{{-1 << 32}}, [][]int64{{2 - 1<<32}},
			[][]int64{{math.MinInt64}}},
	} {
		want := last([][]int32{{count}})
		for _, lengths := range impossible {
			check.Near(t, last(lengths), want, 0, "%T %v", lengths, lengths)
		}
	}
}
