package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/internal/need"
)

// OnEach runs a test on every engine of [backend.List] that is present, each as a subtest with the engine's name. It
// skips the absent ones, or fails where WARPTIME_REQUIRE names them.
func OnEach(t *testing.T, test func(t *testing.T, name string, b compute.Backend)) {
	for _, engine := range backend.List() {
		t.Run(engine.Name, func(t *testing.T) {
			if engine.Missing != "" {
				need.Skip(t, engine.Name, engine.Missing)
			}
			test(t, engine.Name, Start(t, engine.Name))
		})
	}
}

// Weighted is a loss of results in which every element has a weight of its own, so that no two gradients can be mixed
// up. Integers and booleans do not count; there must be a float.
func Weighted(results []*Node) *Node {
	var loss *Node
	for i, result := range results {
		if !result.DType().IsFloat() {
			continue
		}
		weights := Sin(AddScalar(IotaFull(result.Graph(), result.Shape()), float64(i)))
		term := ReduceAllSum(Mul(weights, result))
		if loss == nil {
			loss = term
		} else {
			loss = Add(loss, term)
		}
	}
	return loss
}

// Start starts an engine for the time of a test; for the meaning of name see [backend.Choose].
func Start(t *testing.T, name string) compute.Backend {
	t.Helper()
	b, err := backend.New(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// Random is a tensor of normally distributed numbers that float32 has, too, with the deviation 0.7.
func Random[F float32 | float64](rng *rand.Rand, dims ...int) *tensors.Tensor {
	flat := make([]F, shapes.Make(dtypes.Float64, dims...).Size())
	for i := range flat {
		flat[i] = F(float32(0.7 * rng.NormFloat64()))
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}
