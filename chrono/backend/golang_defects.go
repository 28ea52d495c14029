package backend

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/internal/wrap"
)

// newGo is GoMLX's Go backend, with two defects of compute v0.1.6 got round, in Return and in BroadcastInDim. There is
// a test for each, which fails once it is mended.
func newGo(options string) (compute.Backend, error) {
	plain, err := gobackend.New(options)
	if err != nil {
		return nil, err
	}
	return &wrap.Backend{Backend: plain, Wrap: func(f *wrap.Function) compute.Function { return goFunction{f} }}, nil
}

type goFunction struct{ *wrap.Function }

// BroadcastInDim implements compute.Function, with this defect got round (internal/gobackend/passes,
// ImplicitBroadcastFusion): where an operation in a loop, or in another closure, takes a broadcast value of equal rank,
// as in the gradient of every sum, the operation is given the value before the broadcast; but the order in which the
// closure computes its values was fixed before that, so that it fails when it runs: an input is “not computed yet”.
//
// Broadcasts from a smaller rank are left alone. So that is what every broadcast in a closure is made here. Axis i of x
// becomes axis axes[i] of s.
func (f goFunction) BroadcastInDim(x compute.Value, s shapes.Shape, axes []int) (compute.Value, error) {
	from, err := f.Shape(x)
	if err != nil {
		return nil, err
	}
	if f.Parent() == nil || from.Rank() < s.Rank() || from.Rank() != len(axes) {
		return f.Function.BroadcastInDim(x, s, axes)
	}
	var dims, kept []int // without those that are repeated
	for i, axis := range axes {
		if from.Dimensions[i] == s.Dimensions[axis] {
			dims, kept = append(dims, from.Dimensions[i]), append(kept, axis)
		}
	}
	if len(dims) == from.Rank() {
		return x, nil
	}
	if x, err = f.Reshape(x, dims...); err != nil {
		return nil, err
	}
	return f.Function.BroadcastInDim(x, s, kept)
}

// Return implements compute.Function, with a defect of compute v0.1.6 got round: a closure that returns a value twice
// fails when it runs, because the second output is “not computed”. GoMLX returns copies of a node that is returned
// twice, but the Go backend makes one value of two nodes that compute the same, such as two states of a loop, or their
// gradients.
func (f goFunction) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	outputs = slices.Clone(outputs)
	for i, output := range outputs {
		if !slices.Contains(outputs[:i], output) {
			continue
		}
		same, err := f.Identity(output)
		if err != nil {
			return err
		}
		outputs[i] = same
	}
	return f.Function.Return(outputs, shardings)
}
