package simd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

// named names all computations.
type named struct {
	*Backend
	name string
}

func (n named) Builder(string) compute.Builder { return n.Backend.Builder(n.name) }

// lstmOver is an LSTM: the shapes of its inputs and weights, and what makes its outputs h of them.
func lstmOver(steps, batch, inputs, hidden, unroll int) (args []shapes.Shape, outputs func(in []*Node) *Node) {
	c := must(cell.LSTM{Hidden: hidden}.Layer(inputs))
	args = append(args, shapes.Make(dtypes.Float32, steps, 1, batch, inputs))
	for _, w := range c.Weights {
		args = append(args, shapes.Make(dtypes.Float32, append([]int{1}, w.Dims...)...))
	}
	return args, func(in []*Node) *Node {
		xs, weights := c.Prepare([]*Node{StopGradient(in[0])}, cell.ByName(c.Weights, in[1:]))
		zero := Zeros(in[0].Graph(), shapes.Make(dtypes.Float32, 1, batch, hidden))
		ys, _ := scan.New(c.Step).Unroll(unroll).Done([]*Node{zero, zero}, xs, weights)
		return ys[0]
	}
}

// An LSTM over three steps, forwards and backwards, after each stage: testdata/lstm.txt. Commit a change
// of it only when you know what caused it.
func TestStages(t *testing.T) {
	const steps, batch, inputs, hidden = 3, 2, 5, 4
	var out strings.Builder
	dumpTo = &out
	b := must(New("threads=1")).(*Backend)
	defer b.Finalize()
	args, lstm := lstmOver(steps, batch, inputs, hidden, 1)
	texts := make(map[string]string)
	for _, what := range []string{"forward", "backward"} {
		t.Setenv(Dump, what)
		out.Reset()
		exec := MustNewExec(named{b, what}, func(in []*Node) []*Node {
			h := lstm(in)
			if what == "forward" {
				return []*Node{h}
			}
			return Gradient(ReduceAllSum(Mul(h, h)), in[1:]...)
		})
		must(exec.Compile(args...))
		for _, stage := range strings.Split(out.String(), "\n# "+what+": ")[1:] {
			name, text, _ := strings.Cut(stage, "\n")
			name, _, _ = strings.Cut(name, " ")
			texts[what+" "+name] = text
		}
	}
	datadriven.RunTest(t, "testdata/lstm.txt", func(t *testing.T, d *datadriven.TestData) string {
		text, ok := texts[d.Cmd+" "+d.CmdArgs[0].Key]
		if !ok {
			return fmt.Sprintln("no such stage:", d.Cmd, d.CmdArgs)
		}
		return text
	})
}
