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

// Outputs and gradients equal those of PyTorch's nn.LSTM in float64.
func TestEqualsPyTorch(t *testing.T) {
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
		stepXs, stepWeights := l.Prepare(nodes[:1], nodes[1:])
		h, c := Zeros(nodes[0].Graph(), args[1].Shape()), Zeros(nodes[0].Graph(), args[2].Shape())
		_, ys := looped(5)(l.Step, []*Node{h, c}, stepXs, stepWeights)
		loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
		return append([]*Node{ys[0]}, Gradient(loss, nodes[1:]...)...)
	}, x, weights[0], weights[1], weights[2])
	equalsTorch(t, []string{"h", "input", "bias", "recurrent"}, out, want)
}

// Outputs and gradients of fast weights equal those of the same network in PyTorch, in both orders.
func TestFastWeightsEqualPyTorch(t *testing.T) {
	const steps, batch, inputs = 9, 3, 2
	for i, preliminary := range []bool{false, true} {
		f := cell.FastWeights{
			Hidden: 5, Decay: 0.9, Rate: 0.4, Inner: 1 + i, Preliminary: preliminary, Activation: cell.ReLU{},
			Norm: cell.LayerNorm{Epsilon: 1e-3, Learned: true},
		}
		names := []string{"x", "h", "A", "input", "bias", "recurrent", "gain", "shift"}
		request := map[string]any{
			"decay": f.Decay, "rate": f.Rate, "epsilon": f.Norm.Epsilon, "inner": f.Inner, "preliminary": i,
		}
		args := arguments(rand.New(rand.NewPCG(9, 9)), f, inputs, steps, 1, batch)
		for i, name := range names {
			dims := args[i].Shape().Dimensions[1:] // without the one trial
			if name == "x" {
				dims = []int{steps, batch, inputs}
			}
			request[name] = nested(flat(t, args[i]), dims...)
		}
		want := pyTorch(t, "fastweights.py", request)
		out := MustExecOnceN(goBackend, func(nodes []*Node) []*Node {
			stepXs, stepWeights := f.Prepare(nodes[:1], nodes[3:])
			_, ys := looped(4)(f.Step, nodes[1:3], stepXs, stepWeights)
			loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
			return append([]*Node{ys[0]}, Gradient(loss, nodes...)...)
		}, anys(args)...)
		equalsTorch(t, append([]string{"outputs"}, names...), out, want)
	}
}
