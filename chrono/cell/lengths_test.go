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
	"github.com/warptime/warptime/chrono/weights"
	"github.com/warptime/warptime/internal/check"
)

var packedCells = map[string]cell.Cell{"lstm": cell.LSTM{Hidden: 4}, "gru": cell.GRU{Hidden: 4, ResetAfter: true}}

// Two layers in two directions over sequences of unequal length equal PyTorch's over packed sequences: outputs, last
// states and the gradient of the inputs, with NaN where the inputs are padding.
func TestLengthsEqualPyTorch(t *testing.T) {
	all, err := weights.Read("testdata/packed.npz") // testdata/packed.py made them
	check.OK(t, err)
	modules, err := weights.Read("testdata/packed.safetensors")
	check.OK(t, err)
	lengths := tensors.MustCopyFlatData[int64](all["lengths"])
	x := all["x"].Value().([][][]float64) // [B, T, I]
	for b, length := range lengths {
		for _, row := range x[b][length:] {
			row[0], row[1] = math.NaN(), math.Inf(1)
		}
	}
	conformance.OnEach(t, func(t *testing.T, _ string, engine compute.Backend) {
		for name, c := range packedCells {
			store := model.NewStore()
			check.OK(t, cell.FromTorch(store.RootScope(), c, name+".", modules))
			arrays := []string{"y", "gradient", "h", "c"}[:2+len(cell.StateDims(c))]
			out := model.MustCallOnceN(engine, store, func(s *model.Scope, x, lengths *Node) []*Node {
				ys, final := cell.New(s, c, x).Layers(2).Bidirectional().Lengths(lengths).Unroll(2).Done()
				loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
				out := append([]*Node{ys[0]}, Gradient(loss, x)...)
				for state := range cell.StateDims(c) {
					var layers []*Node // and directions, [B, H] each
					for i := state; i < len(final); i += len(cell.StateDims(c)) {
						layers = append(layers, final[i])
					}
					out = append(out, Stack(layers, 0))
				}
				return out
			}, x, lengths)
			for i, array := range arrays {
				compare(t, fmt.Sprintf("%s, %s", c, array), flat(t, out[i]), flat(t, all[name+"/"+array]), 2e-15)
			}
		}
	})
}

// A length beyond T counts as T, and a negative one as 0, however large its type. A sequence of no steps ends in its
// initial state.
func TestImpossibleLengths(t *testing.T) {
	x := random(rand.New(rand.NewPCG(62, 63)), 3, 1, 1, 2)
	outputs := func(lengths any) (all []float64) {
		for _, out := range model.MustCallOnceN(goBackend, model.NewStore(), func(s *model.Scope, x, l *Node) []*Node {
			var all []*Node
			for _, reverse := range []bool{false, true} {
				b := cell.New(s.In("reverse %v", reverse), cell.GRU{Hidden: 2}, x).Lengths(l)
				b.InitialState(cell.Constant{Values: []float64{0.5}})
				if reverse {
					b.Reverse()
				}
				ys, final := b.Done()
				all = append(all, ys[0], final[0], b.Gates()[0].Values)
			}
			return all
		}, x, lengths) {
			all = append(all, flat(t, out)...)
		}
		return all
	}
	none := outputs([][]int32{{0}}) // the initial state, and zeros
	compare(t, "no steps", none, slices.Repeat(slices.Concat(make(row, 6), row{0.5, 0.5}, make(row, 6)), 2), 0)
	for count, impossible := range map[int32][]any{
		3: {[][]uint8{{math.MaxUint8}}, [][]int32{{math.MaxInt32}}, [][]uint32{{math.MaxUint32}}, [][]int64{{1 << 32}},
			[][]int64{{math.MaxInt64}}, [][]uint64{{math.MaxUint64}}},
		0: {[][]int8{{-1}}, [][]int32{{-3}}, [][]int32{{math.MinInt32}}, [][]int64{{-1 << 32}}, [][]int64{{2 - 1<<32}},
			[][]int64{{math.MinInt64}}},
	} {
		want := outputs([][]int32{{count}})
		for _, lengths := range impossible {
			compare(t, fmt.Sprintf("%T %v", lengths, lengths), outputs(lengths), want, 0)
		}
	}
}
