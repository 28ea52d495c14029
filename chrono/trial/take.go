package trial

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Take returns a store with the weights of trial r, counted from 0: one model, with weights of the same paths without
// the axis of trials. The weights are the trainable variables, all of which must have the trials as their first axis,
// [R, …]. Other variables are left behind, such as an optimizer's, and frozen weights, which a model would draw anew:
// make those trainable before. Those of a checkpoint are there once a graph has used them. A store does not say whether
// it is of trials: weights of one model whose first axes are all equal are cut, too.
//
// The error is one line: store is nil, there are no weights, they differ in their first axis, there is no trial r, or a
// weight has no value yet.
func Take(store *model.Store, r int) (*model.Store, error) {
	if store == nil {
		return nil, errNoStore
	}
	var weights []*model.Variable
	for v := range store.IterVariables() {
		if isWeight(v) {
			weights = append(weights, v)
		}
	}
	if len(weights) == 0 {
		return nil, fmt.Errorf("trial: trial %d of a store without trainable variables (those of a checkpoint are "+
			"there once a graph has used them)", r)
	}
	trials, err := commonTrials(weights)
	if err != nil {
		return nil, err
	}
	if r < 0 || r >= trials {
		return nil, fmt.Errorf("trial: trial %d of %d, want 0 to %d", r, trials, trials-1)
	}
	one := model.NewStore()
	for _, v := range weights {
		all, err := v.Value()
		if err != nil {
			return nil, err
		}
		if all == nil {
			return nil, fmt.Errorf("trial: weight %s has no value yet", v.Path())
		}
		shape := shapes.Make(all.DType(), all.Shape().Dimensions[1:]...)
		part := tensors.FromShape(shape)
		var failed error
		err = all.ConstBytes(func(from []byte) {
			failed = part.MutableBytes(func(to []byte) { copy(to, from[r*len(to):]) })
		})
		if err = errors.Join(err, failed); err != nil {
			return nil, err
		}
		if _, err := one.CreateVariable(v.Path(), part); err != nil {
			return nil, err
		}
	}
	return one, nil
}
