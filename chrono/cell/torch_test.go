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

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
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
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python(), "testdata/"+script)
	command.Stdin = bytes.NewReader(text)
	answer, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		t.Fatal(err)
	}
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
	weights := c.Weights(inputs)
	for _, w := range weights {
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
		stepXs, stepWeights := c.Prepare(nodes[:1], cell.ByName(weights, nodes[1+len(states):]))
		ys, _ := scan.New(c.Step).Unroll(3).Done(nodes[1:1+len(states)], stepXs, stepWeights)
		loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
		return append([]*Node{ys[0]}, Gradient(loss, nodes...)...)
	}, anys(args)...)
	equalsTorch(t, append([]string{"outputs"}, names...), out, want)
}

// Outputs and gradients of a masked recurrent highway network equal those of the same network in PyTorch.
func TestRHNEqualsPyTorch(t *testing.T) {
	c := maskedRHN{cell.RHN{Hidden: len(rhnMask), Depth: 4}}
	cellEqualsTorch(t, c, "rhn.py", []string{"h"}, map[string]any{"mask": rhnMask})
}

// Outputs and gradients of a batch-normalized LSTM equal those of one with PyTorch's batch normalization.
func TestBNLSTMEqualsPyTorch(t *testing.T) {
	c := cell.BNLSTM{Hidden: 5, Gain: 0.1, Epsilon: 1e-3}
	cellEqualsTorch(t, c, "bnlstm.py", []string{"h", "c"}, map[string]any{"epsilon": c.Epsilon})
}

// Outputs and gradients equal those of PyTorch's nn.LSTM, which begins at zero.
func TestLSTMEqualsPyTorch(t *testing.T) {
	const steps, batch, inputs, hidden = 12, 3, 2, 5
	l := cell.LSTM{Hidden: hidden}
	args := arguments(rand.New(rand.NewPCG(8, 8)), l, inputs, steps, 1, batch)
	x, weights := args[0], args[3:]
	want := pyTorch(t, "lstm.py", map[string]any{
		"x":         nested(flat(t, x), steps, batch, inputs),
		"input":     nested(flat(t, weights[0]), inputs, 4*hidden),
		"bias":      flat(t, weights[1]),
		"recurrent": nested(flat(t, weights[2]), hidden, 4*hidden),
	})
	out := MustExecOnceN(goBackend, func(nodes []*Node) []*Node {
		stepXs, stepWeights := l.Prepare(nodes[:1], cell.ByName(l.Weights(inputs), nodes[1:]))
		h, c := Zeros(nodes[0].Graph(), args[1].Shape()), Zeros(nodes[0].Graph(), args[2].Shape())
		ys, _ := scan.New(l.Step).Unroll(5).Done([]*Node{h, c}, stepXs, stepWeights)
		loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
		return append([]*Node{ys[0]}, Gradient(loss, nodes[1:]...)...)
	}, x, weights[0], weights[1], weights[2])
	equalsTorch(t, []string{"h", "input", "bias", "recurrent"}, out, want)
}

// Outputs and gradients of fast weights equal those of the same network in PyTorch, in both orders.
func TestFastWeightsEqualPyTorch(t *testing.T) {
	for i, preliminary := range []bool{false, true} {
		f := cell.FastWeights{
			Hidden: 5, Decay: 0.9, Rate: 0.4, Inner: 1 + i, Preliminary: preliminary, Activation: cell.ReLU{},
			Norm: cell.LayerNorm{Epsilon: 1e-3, Learned: true},
		}
		cellEqualsTorch(t, f, "fastweights.py", []string{"h", "A"}, map[string]any{
			"decay": f.Decay, "rate": f.Rate, "epsilon": f.Norm.Epsilon, "inner": f.Inner, "preliminary": i,
		})
	}
}
