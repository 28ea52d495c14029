package cell_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// modules are cells that PyTorch has, too, and how many blocks of rows its arrays have.
var modules = map[cell.Cell]int{
	cell.RNN{Hidden: 2}: 1, cell.LSTM{Hidden: 2}: 4, cell.GRU{Hidden: 2, ResetAfter: true}: 3,
}

// stateDict are random weights of a module with two units.
func stateDict(rng *rand.Rand, blocks, inputs, layers, directions int, biases bool) map[string]*tensors.Tensor {
	const hidden = 2
	arrays := make(map[string]*tensors.Tensor)
	for layer := range layers {
		for _, suffix := range []string{"", "_reverse"}[:directions] {
			suffix = fmt.Sprintf("_l%d%s", layer, suffix)
			arrays["weight_ih"+suffix] = random(rng, blocks*hidden, inputs)
			arrays["weight_hh"+suffix] = random(rng, blocks*hidden, hidden)
			if biases {
				arrays["bias_ih"+suffix] = random(rng, blocks*hidden)
				second := make([]float64, blocks*hidden) // 0, but for n of a GRU: else it would be added to the first
				if blocks == 3 {
					second[4], second[5] = rng.NormFloat64(), rng.NormFloat64()
				}
				arrays["bias_hh"+suffix] = tensors.FromFlatDataAndDimensions(second, blocks*hidden)
			}
		}
		inputs = hidden * directions
	}
	return arrays
}

// withPrefix puts a prefix before all names.
func withPrefix(prefix string, arrays map[string]*tensors.Tensor) map[string]*tensors.Tensor {
	all := make(map[string]*tensors.Tensor)
	for name, array := range arrays {
		all[prefix+name] = array
	}
	return all
}

// Weights of PyTorch that are read and written again are the same: of every cell that PyTorch has too, with layers and
// directions, with biases and without, for one model and for each of two trials, whether or not the network has run
// before. (TestLengthsEqualPyTorch tests that they compute the same, with both biases.)
func TestTorchThereAndBack(t *testing.T) {
	const inputs = 3
	rng := rand.New(rand.NewPCG(81, 81))
	for i := range 1 << 5 {
		layers, directions, biases, count, ranBefore := 1+i&1, 1+i>>1&1, i>>2&1 == 1, 1+i>>3&1, i>>4 == 1
		for c, blocks := range modules {
			what := fmt.Sprintf("%#v, case %b", c, i)
			var trials []map[string]*tensors.Tensor
			for range count {
				trials = append(trials, withPrefix("a.", stateDict(rng, blocks, inputs, layers, directions, biases)))
			}
			x := []*tensors.Tensor{random(rng, 2, 4, inputs), random(rng, 4, 2, 2, inputs)}[count-1]
			store := model.NewStore()
			run := func(s *model.Scope, x *Node) *Node {
				b := cell.New(s, c, x).Seeds([]uint64{1, 2}[:count]...).Layers(layers)
				if directions == 2 {
					b.Bidirectional()
				}
				return b.Last()
			}
			if ranBefore {
				model.MustCallOnce(goBackend, store, run, x)
			}
			check.OK(t, cell.FromTorch(store.RootScope(), c, "", trials...))
			model.MustCallOnce(goBackend, store, run, x)
			back := must(cell.ToTorch(store.RootScope(), c, "a."))
			check.Equal(t, len(back), count, "%s", what)
			for r, got := range back {
				check.Equal(t, len(got), 4*layers*directions, "%s", what)
				for name, array := range got {
					want := make([]float64, array.Size())
					if given := trials[r][name]; given != nil {
						want = flat(t, given)
					}
					check.Near(t, flat(t, array), want, 0, "%s, %s", what, name)
				}
			}
		}
	}
}

// Modules of float16 and bfloat16 become float32.
func TestTorchHalves(t *testing.T) {
	for _, half := range []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(float16.FromFloat32s(0.5, -3, 1, 2), 4, 1),
		tensors.FromFlatDataAndDimensions(bfloat16.FromFloat32s(0.5, -3, 1, 2), 4, 1),
	} {
		scope := model.NewStore().RootScope()
		arrays := map[string]*tensors.Tensor{"weight_ih": half, "weight_hh": half} // of an nn.LSTMCell
		check.OK(t, cell.FromTorch(scope, cell.LSTM{Hidden: 1}, "", arrays))
		value := must(scope.GetVariable("input").Value())
		check.Equal(t, value.Value(), any([][]float32{{0.5, -3, 1, 2}}), "%s", half.Shape())
	}
}

// What is not PyTorch's is rejected in one line, and changes nothing. So is a network of another size than was read.
func TestTorchRejects(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	lstm := cell.LSTM{Hidden: 2}
	two := stateDict(rng, 4, 3, 2, 2, true)
	with := func(changes map[string]*tensors.Tensor) map[string]*tensors.Tensor { // nil deletes
		arrays := maps.Clone(two)
		maps.Copy(arrays, changes)
		maps.DeleteFunc(arrays, func(_ string, array *tensors.Tensor) bool { return array == nil })
		return arrays
	}
	type changes = map[string]*tensors.Tensor
	store := model.NewStore()
	scope := store.RootScope()
	check.OK(t, cell.FromTorch(scope, lstm, "", two))
	before := tensors.MustCopyFlatData[float64](store.GetVariable("/layer 0/forwards/input").MustValue())
	from := func(c cell.Cell, prefix string, trials ...map[string]*tensors.Tensor) error {
		return cell.FromTorch(scope, c, prefix, trials...)
	}
	to := func(scope *model.Scope, c cell.Cell) error {
		_, err := cell.ToTorch(scope, c, "")
		return err
	}
	run := func(layers int, bidirectional bool) error {
		return exceptions.TryCatch[error](func() {
			model.MustCallOnce(goBackend, store, func(s *model.Scope, x *Node) *Node {
				b := cell.New(s, lstm, x).Layers(layers)
				if bidirectional {
					b.Bidirectional()
				}
				return b.Last()
			}, random(rng, 1, 2, 3))
		})
	}
	of := func(c cell.Cell) *model.Store {
		return stored(goBackend, random(rng, 1, 2, 3), func(s *model.Scope, x *Node) []*Node {
			return []*Node{cell.New(s, c, x).Last()}
		})
	}
	rnn, normalized, leaky := cell.RNN{Hidden: 2}, of(cell.Normalized(lstm)), of(cell.Leaky{Hidden: 2})
	several := withPrefix("encoder.", two)
	maps.Copy(several, withPrefix("decoder.", two))
	for words, err := range map[string]error{
		"GRU…ResetAfter":    from(cell.GRU{Hidden: 2}, "", two),
		"embedding…PyTorch": from(embedding{lstm}, "", two),
		"Hidden:0":          from(cell.LSTM{}, "", two),
		"nil":               cell.FromTorch(nil, lstm, "", two),
		"no arrays":         from(lstm, ""),
		`[]…"weight_ih_l0"`: from(lstm, "", changes{}),
		`1 arrays such as ["x"]…"weight_ih_l0"`:    from(lstm, "", changes{"x": two["bias_ih_l0"]}),
		`prefixes ["decoder." "encoder."], not ""`: from(lstm, "", several),
		`prefixes [""], not "encoder."`:            from(lstm, "encoder.", two),
		`"weight_ih_l0" is…[8, 3], want [12 3]`:    from(cell.LSTM{Hidden: 3}, "", two),
		`no matrix "weight_ih_l0"`:                 from(lstm, "", with(changes{"weight_ih_l0": nil})),
		`no "weight_ih_l1_reverse"…[8 4]`:          from(lstm, "", with(changes{"weight_ih_l1_reverse": nil})),
		`"weight_ih_l1" is…[8, 3], want [8 4]`:     from(lstm, "", with(changes{"weight_ih_l1": random(rng, 8, 3)})),
		`"weight_hh_l0" is (Float32)…of one type`: from(lstm, "", with(changes{
			"weight_hh_l0": tensors.FromShape(shapes.Make(dtypes.Float32, 8, 2))})),
		`"weight_ih_l0" is (Int32)…floating-point`: from(lstm, "", with(changes{
			"weight_ih_l0": tensors.FromShape(shapes.Make(dtypes.Int32, 8, 3))})),
		`is no matrix "weight_ih_l0"`: from(lstm, "", with(changes{
			"weight_ih_l0": tensors.FromShape(shapes.Make(dtypes.Float64, 8, 0))})),
		`"bias_ih_l0" and "bias_ih_l1" there is one`: from(lstm, "",
			with(changes{"bias_ih_l1": nil, "bias_hh_l1": nil})),
		"Layers(2).Bidirectional()…those of Layers(3).Bidirectional()": from(lstm, "",
			stateDict(rng, 4, 3, 3, 2, false)),
		"input is…[3, 8]…make…[2, 3, 8]":                       from(lstm, "", two, two),
		`trial 1 has Layers(2)…want Layers(2).Bidirectional()`: from(lstm, "", two, stateDict(rng, 4, 3, 2, 1, true)),
		"no variable":                   to(scope.In("nowhere"), lstm),
		"input is…[3, 8], want…[3, 12]": to(scope, cell.LSTM{Hidden: 3}),
		"layer normalization…lacks":     to(normalized.RootScope(), lstm),
		`"leak"…another cell's`:         to(leaky.RootScope(), rnn),
		`RNN{Hidden:2}…"leak"…another cell's`: cell.FromTorch(leaky.RootScope(), rnn, "",
			stateDict(rng, 1, 3, 1, 1, true)),
		"scope / holds…Layers(2).Bidirectional()…those of Layers(1)": run(1, false),
		"Bidirectional()…Layers(3).Bidirectional()":                  run(3, true),
	} {
		check.Rejected(t, words, err, words)
	}
	check.OK(t, run(2, true))
	check.Near(t, flat(t, store.GetVariable("/layer 0/forwards/input").MustValue()), before, 0, "weights")
	check.Equal(t, store.NumVariables(), 4*3, "variables")
}
