package backend

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/internal/wrap"
)

// newGo is GoMLX's Go backend, with two defects of compute v0.1.6 got round: that of Return, and this one
// (internal/gobackend/passes, ImplicitBroadcastFusion): where an operation in a loop, or in another closure, takes a
// broadcast value of equal rank, as in the gradient of every sum, the operation is given the value before the
// broadcast; but the order in which the closure computes its values was fixed before that, so that it fails when it
// runs: an input is “not computed yet”.
//
// Broadcasts from a smaller rank are left alone. So that is what every broadcast in a closure is made here.
func newGo(options string) (compute.Backend, error) {
	plain, err := gobackend.New(options)
	if err != nil {
		return nil, err
	}
	return &wrap.Backend{Backend: plain, Wrap: func(f *wrap.Function) compute.Function { return goFunction{f} }}, nil
}

type goFunction struct{ *wrap.Function }

// BroadcastInDim implements compute.Function. Axis i of x becomes axis axes[i] of s.
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
