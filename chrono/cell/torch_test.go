package cell_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// python is a python3 that has torch; "" if there is none.
var python = sync.OnceValue(func() string {
	for _, candidate := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(candidate, "-c", "import torch").Run() == nil {
			return candidate
		}
	}
	return ""
})

// pyTorch sends a request to a script of testdata, and returns its reply. It skips the test where there is no PyTorch.
func pyTorch(t *testing.T, script string, request map[string]any) (reply map[string][]float64) {
	t.Helper()
	if python() == "" {
		need.Skip(t, "torch", "no python3 has it (Debian: apt-get install python3-torch)")
	}
	text, err := json.Marshal(request)
	check.OK(t, err)
	command := exec.Command(python(), "testdata/"+script)
	command.Stdin = bytes.NewReader(text)
	answer, err := command.Output()
	check.OK(t, err)
	check.OK(t, json.Unmarshal(answer, &reply))
	return reply
}

// nested are numbers as lists in lists, of the given lengths from the outermost on.
func nested(flat []float64, dims ...int) any {
	if len(dims) == 1 {
		return flat
	}
	var lists []any
	size := len(flat) / dims[0]
	for i := range dims[0] {
		lists = append(lists, nested(flat[i*size:(i+1)*size], dims[1:]...))
	}
	return lists
}

// equalsTorch compares results with PyTorch's, by name.
func equalsTorch(t *testing.T, names []string, results []*tensors.Tensor, want map[string][]float64) {
	t.Helper()
	for i, name := range names {
		got := flat(t, results[i])
		if len(got) != len(want[name]) {
			t.Fatalf("%s: %d values, PyTorch has %d", name, len(got), len(want[name]))
		}
		for j, w := range want[name] {
			if !(math.Abs(got[j]-w) <= 1e-10*(1+math.Abs(w))) {
				t.Fatalf("%s, element %d: got %g, PyTorch has %g", name, j, got[j], w)
			}
		}
	}
}

// cellEqualsTorch compares a cell's outputs and gradients, in float64 and for one trial, with those of a script of
// testdata. States are the names of the cell's states there; more is the rest of the request.
func cellEqualsTorch(t *testing.T, c cell.Cell, script string, states []string, more map[string]any) {
	t.Helper()
	const steps, batch, inputs = 8, 3, 2
	args := arguments(rand.New(rand.NewPCG(51, 51)), c, inputs, steps, 1, batch)
	names := append([]string{"x"}, states...)
	layer := layerOf(c, inputs)
	for _, w := range layer.Weights {
		names = append(names, w.Name)
	}
	for i, name := range names {
		dims := args[i].Shape().Dimensions[1:] // without the one trial
		if name == "x" {
			dims = []int{steps, batch, inputs}
		}
		more[name] = nested(flat(t, args[i]), dims...)
	}
	want := pyTorch(t, script, more)
	out := MustExecOnceN(goBackend, func(nodes []*Node) []*Node {
		stepXs, stepWeights := layer.Prepare(nodes[:1], cell.ByName(layer.Weights, nodes[1+len(states):]))
		ys, _ := scan.New(layer.Step).Unroll(3).Done(nodes[1:1+len(states)], stepXs, stepWeights)
		loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
		return append([]*Node{ys[0]}, Gradient(loss, nodes...)...)
	}, anys(args)...)
	equalsTorch(t, append([]string{"outputs"}, names...), out, want)
}

// Weights of PyTorch that are read and written again are the same: of every cell that PyTorch has too, for one model
// and for each of two trials, whether or not the cell has run before.
func TestTorchThereAndBack(t *testing.T) {
	const inputs, hidden = 3, 2
	rng := rand.New(rand.NewPCG(81, 81))
	for c, blocks := range map[cell.Cell]int{
		cell.RNN{Hidden: hidden}: 1, cell.LSTM{Hidden: hidden}: 4, cell.GRU{Hidden: hidden, ResetAfter: true}: 3,
	} {
		for count, x := range map[int]*tensors.Tensor{1: random(rng, 2, 4, inputs), 2: random(rng, 4, 2, 2, inputs)} {
			for _, ranBefore := range []bool{false, true} {
				var trials []map[string]*tensors.Tensor
				for range count {
					trials = append(trials, map[string]*tensors.Tensor{
						"weight_ih_l0": random(rng, blocks*hidden, inputs), "bias_ih_l0": random(rng, blocks*hidden),
						"weight_hh_l0": random(rng, blocks*hidden, hidden), "bias_hh_l0": random(rng, blocks*hidden),
					})
				}
				store := model.NewStore()
				run := func(s *model.Scope, x *Node) *Node {
					return cell.New(s, c, x).Seeds([]uint64{1, 2}[:count]...).Last()
				}
				if ranBefore {
					model.MustCallOnce(goBackend, store, run, x)
				}
				check.OK(t, cell.FromTorch(store.RootScope(), c, "_l0", trials...))
				model.MustCallOnce(goBackend, store, run, x)
				back, err := cell.ToTorch(store.RootScope(), c, "_l0")
				check.OK(t, err)
				check.Equal(t, len(back), count, "trials")
				for r, want := range trials {
					ih, hh := flat(t, want["bias_ih_l0"]), flat(t, want["bias_hh_l0"])
					for i := range ih {
						if c == (cell.GRU{Hidden: hidden, ResetAfter: true}) && i >= 2*hidden {
							continue // n's biases stay two
						}
						ih[i], hh[i] = ih[i]+hh[i], 0
					}
					compare(t, "bias_ih", flat(t, back[r]["bias_ih_l0"]), ih, 1e-15)
					compare(t, "bias_hh", flat(t, back[r]["bias_hh_l0"]), hh, 1e-15)
					for _, name := range []string{"weight_ih_l0", "weight_hh_l0"} {
						compare(t, name, flat(t, back[r][name]), flat(t, want[name]), 0)
					}
				}
			}
		}
	}
}

// What is not PyTorch's is rejected in one line, and changes nothing.
func TestTorchRejects(t *testing.T) {
	const inputs, hidden = 3, 2
	lstm := func(change func(arrays map[string]*tensors.Tensor)) map[string]*tensors.Tensor {
		arrays := map[string]*tensors.Tensor{
			"weight_ih": random(rand.New(rand.NewPCG(1, 1)), 4*hidden, inputs),
			"weight_hh": random(rand.New(rand.NewPCG(1, 2)), 4*hidden, hidden),
		}
		change(arrays)
		return arrays
	}
	nothing := func(map[string]*tensors.Tensor) {}
	scope := model.NewStore().RootScope()
	if err := cell.FromTorch(scope, cell.LSTM{Hidden: hidden}, "", lstm(nothing)); err != nil {
		t.Fatalf("a layer without biases: %v", err)
	}
	for _, test := range []struct {
		mentions string
		err      error
	}{
		{"GRU…ResetAfter", cell.FromTorch(scope, cell.GRU{Hidden: hidden}, "", lstm(nothing))},
		{"Leaky", cell.FromTorch(scope, cell.Leaky{Hidden: hidden}, "", lstm(nothing))},
		{"Hidden:0", cell.FromTorch(scope, cell.LSTM{}, "", lstm(nothing))},
		{"nil", cell.FromTorch(nil, cell.LSTM{Hidden: hidden}, "", lstm(nothing))},
		{"no matrix…weight_ih_l1", cell.FromTorch(scope, cell.LSTM{Hidden: hidden}, "_l1", lstm(nothing))},
		{"no matrix", cell.FromTorch(scope, cell.LSTM{Hidden: hidden}, "")},
		{"weight_ih…want…12 3", cell.FromTorch(scope, cell.LSTM{Hidden: 3}, "", lstm(nothing))},
		{"weight_hh", cell.FromTorch(scope, cell.LSTM{Hidden: hidden}, "", lstm(func(a map[string]*tensors.Tensor) {
			delete(a, "weight_hh")
		}))},
		{"no \"bias_hh\"", cell.FromTorch(scope, cell.LSTM{Hidden: hidden}, "",
			lstm(func(a map[string]*tensors.Tensor) { a["bias_ih"] = tensors.FromValue(make([]float64, 8)) }))},
		{"bias_ih…want…[8]", cell.FromTorch(scope, cell.LSTM{Hidden: hidden}, "",
			lstm(func(a map[string]*tensors.Tensor) { a["bias_ih"] = tensors.FromValue(make([]float64, 7)) }))},
		{"variable /input…[3, 8]…[2, 3, 8]", cell.FromTorch(scope, cell.LSTM{Hidden: hidden}, "", lstm(nothing),
			lstm(nothing))},
		{"no variable", func() error {
			_, err := cell.ToTorch(scope.In("nowhere"), cell.LSTM{Hidden: hidden}, "")
			return err
		}()},
		{"variable /input…[3, 8]…want…[3, 12]", func() error {
			_, err := cell.ToTorch(scope, cell.LSTM{Hidden: 3}, "")
			return err
		}()},
	} {
		check.Rejected(t, test.mentions, test.err, test.mentions)
	}
}
