package cell_test

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	_ "github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/scan"
)

// BenchmarkCompile times building and compiling the graph of an LSTM's loss and its gradients, H = 128, which does not
// depend on T.
func BenchmarkCompile(b *testing.B) {
	const trials, batch, inputs, hidden = 1, 32, 10, 128
	l := cell.LSTM{Hidden: hidden}
	for _, name := range []string{"go:ops_sequential", "simd"} {
		engine, err := compute.NewWithConfig(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, steps := range []int{10, 500, 2000} {
			b.Run(fmt.Sprintf("%s/T=%d", name, steps), func(b *testing.B) {
				for b.Loop() {
					g := NewGraph(engine, "lstm")
					x := Parameter(g, "x", shapes.Make(dtypes.Float32, steps, trials, batch, inputs))
					list := l.Weights(inputs)
					var weights []*Node
					for _, w := range list {
						shape := shapes.Make(dtypes.Float32, append([]int{trials}, w.Dims...)...)
						weights = append(weights, Parameter(g, w.Name, shape))
					}
					zero := Zeros(g, shapes.Make(dtypes.Float32, trials, batch, hidden))
					stepXs, stepWeights := l.Prepare([]*Node{StopGradient(x)}, cell.ByName(list, weights))
					ys, _ := scan.New(l.Step).Unroll(10).Done([]*Node{zero, zero}, stepXs, stepWeights)
					loss := ReduceAllMean(Square(ys[0]))
					g.Compile(append(Gradient(loss, weights...), loss)...)
					g.Finalize()
				}
			})
		}
	}
}
