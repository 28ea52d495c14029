package simd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/lstm"
	"github.com/gomlx/gomlx/ml/layers/norm"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// lstmOver is an LSTM: the shapes of its inputs and weights, and what makes its outputs h of them.
func lstmOver(steps, batch, inputs, hidden, unroll int) (args []shapes.Shape, outputs func(in []*Node) *Node) {
	c := must(cell.LSTM{Hidden: hidden}.Layer(inputs))
	args = append(args, shapes.Make(dtypes.Float32, steps, 1, batch, inputs))
	for _, w := range c.Weights {
		args = append(args, shapes.Make(dtypes.Float32, append([]int{1}, w.Dims...)...))
	}
	return args, func(in []*Node) *Node {
		byName := make(map[string]*Node)
		for i, w := range c.Weights {
			byName[w.Name] = in[1+i]
		}
		xs, weights := c.Prepare([]*Node{StopGradient(in[0])}, byName)
		zero := Zeros(in[0].Graph(), shapes.Make(dtypes.Float32, 1, batch, hidden))
		ys, _ := scan.New(c.Step).Unroll(unroll).Done([]*Node{zero, zero}, xs, weights)
		return ys[0]
	}
}

// An LSTM over three steps, forwards and backwards, as it will run: testdata/lstm.txt. Commit a change of it only when
// you know what caused it.
func TestStages(t *testing.T) {
	const steps, batch, inputs, hidden = 3, 2, 5, 4
	var out strings.Builder
	dumpTo = &out
	b := must(New("threads=1")).(*Backend)
	defer b.Finalize()
	args, lstm := lstmOver(steps, batch, inputs, hidden, 1)
	datadriven.RunTest(t, "testdata/lstm.txt", func(t *testing.T, d *datadriven.TestData) string {
		what := d.Cmd
		t.Setenv(Dump, what)
		out.Reset()
		exec := MustNewExec(b, func(in []*Node) []*Node {
			h := lstm(in)
			if what == "forward" {
				return []*Node{h}
			}
			return Gradient(ReduceAllSum(Mul(h, h)), in[1:]...)
		})
		must(exec.WithName(what).Compile(args...))
		_, layout, _ := strings.Cut(out.String(), ": layout")
		return "# layout" + layout
	})
}

// deep are networks of any depth, for 4 rows of 8 features.
var deep = map[string]func(scope *model.Scope, x *Node, depth int) *Node{
	"blocks": func(scope *model.Scope, x *Node, depth int) *Node {
		for i := range depth {
			block := scope.In("block %d", i)
			y := norm.LayerNorm(block, x, -1).Done()
			y = activation.Gelu(layers.Dense(block.In("first"), y, true, 16))
			x = Add(x, layers.Dense(block.In("second"), y, true, 8))
		}
		return x
	},
	"unrolled": func(scope *model.Scope, x *Node, depth int) *Node {
		x = layers.Dense(scope.In("input"), x, true, depth*8)
		x, _, _ = lstm.New(scope.In("lstm"), Reshape(x, 4, depth, 8), 8).Done()
		return x
	},
}

// compiles is an environment variable with the name and depth of a network. It makes TestCompilesInLinearTime compile
// the network's training update, and no more.
const compiles = "SIMD_TEST_COMPILES"

// A graph that is twice as large takes twice the work to compile, up to a logarithm. Work is the number of statements
// that are executed, those of package slices included. A build for coverage counts them.
func TestCompilesInLinearTime(t *testing.T) {
	var name string
	var depth int
	if n, _ := fmt.Sscan(os.Getenv(compiles), &name, &depth); n == 2 {
		checkLayout = nil
		_, err := model.MustNewExec(testBackend(t), model.NewStore(), func(scope *model.Scope, x *Node) *Node {
			y := deep[name](scope, x, depth)
			loss := ReduceAllSum(Mul(y, y))
			optimizer.Adam().Done().UpdateGraph(scope, x.Graph(), loss)
			return loss
		}).Compile(shapes.Make(dtypes.Float32, 4, 8))
		check.OK(t, err)
		return
	}
	dir := t.TempDir()
	program, profile := filepath.Join(dir, "program"), filepath.Join(dir, "profile")
	run := func(what string, args ...string) {
		c := exec.Command(args[0], args[1:]...)
		c.Env = append(os.Environ(), compiles+"="+what)
		out, err := c.CombinedOutput()
		check.Must(t, err == nil, "%v: %v\n%s", args, err, out)
	}
	run("", need.Program(t, "go"), "test", "-c", "-o", program, "-covermode=count",
		"-coverpkg=./internal/...,slices,container/heap", ".")
	for name := range deep {
		work := func(depth int) (sum int) {
			run(fmt.Sprint(name, " ", depth), program, "-test.run="+t.Name(), "-test.coverprofile="+profile)
			text := must(os.ReadFile(profile))
			for line := range strings.Lines(string(text)) {
				var statements, times int
				_, counts, _ := strings.Cut(line, " ")
				fmt.Sscan(counts, &statements, &times)
				sum += statements * times
			}
			return sum
		}
		w := []int{work(50), work(100), work(200)}
		growth := float64(w[2]-w[1]) / float64(w[1]-w[0])
		t.Logf("%s: %d statements for depths of 50, 100 and 200", name, w)
		check.That(t, growth <= 2.25,
			"%s: the second doubling of the depth adds %.2f times what the first adds, want 2", name, growth)
	}
}
