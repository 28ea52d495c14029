package cell_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/warptime/warptime/chrono/cell"
)

// Outputs and gradients equal those of PyTorch's nn.LSTM in float64. Needs a python3 that has torch.
func TestEqualsPyTorch(t *testing.T) {
	python := ""
	for _, candidate := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(candidate, "-c", "import torch").Run() == nil {
			python = candidate
			break
		}
	}
	if python == "" {
		t.Skip("no python3 with torch (Debian: apt-get install python3-torch)")
	}
	const steps, batch, inputs, hidden = 12, 3, 2, 5
	l := cell.LSTM{Hidden: hidden}
	args := arguments(rand.New(rand.NewPCG(8, 8)), l, inputs, steps, 1, batch)
	x, weights := args[0], args[3:]

	nested := func(flat []float64, width int) (rows [][]float64) {
		for ; len(flat) > 0; flat = flat[width:] {
			rows = append(rows, flat[:width])
		}
		return rows
	}
	var xs [][][]float64
	for rows := nested(flat(t, x), inputs); len(rows) > 0; rows = rows[batch:] {
		xs = append(xs, rows[:batch])
	}
	request, err := json.Marshal(map[string]any{
		"x":         xs,
		"input":     nested(flat(t, weights[0]), 4*hidden),
		"bias":      flat(t, weights[1]),
		"recurrent": nested(flat(t, weights[2]), 4*hidden),
	})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, "testdata/lstm.py")
	command.Stdin = bytes.NewReader(request)
	reply, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][]float64
	if err := json.Unmarshal(reply, &want); err != nil {
		t.Fatal(err)
	}

	out := MustExecOnceN(goBackend, func(nodes []*Node) []*Node {
		stepXs, stepWeights := l.Prepare(nodes[:1], nodes[1:])
		h, c := Zeros(nodes[0].Graph(), args[1].Shape()), Zeros(nodes[0].Graph(), args[2].Shape())
		_, ys := looped(5)(l.Step, []*Node{h, c}, stepXs, stepWeights)
		loss := ReduceAllSum(Mul(Sin(IotaFull(ys[0].Graph(), ys[0].Shape())), ys[0]))
		return append([]*Node{ys[0]}, Gradient(loss, nodes[1:]...)...)
	}, x, weights[0], weights[1], weights[2])
	for i, name := range []string{"h", "input", "bias", "recurrent"} {
		got := flat(t, out[i])
		if len(got) != len(want[name]) {
			t.Fatalf("%s: %d values, PyTorch has %d", name, len(got), len(want[name]))
		}
		for j, w := range want[name] {
			if math.Abs(got[j]-w) > 1e-10*(1+math.Abs(w)) {
				t.Fatalf("%s, element %d: got %g, PyTorch has %g", name, j, got[j], w)
			}
		}
	}
}
