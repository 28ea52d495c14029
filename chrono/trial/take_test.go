package trial

import (
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/internal/check"
)

func TestTake(t *testing.T) {
	store := model.NewStore()
	set := func(path string, value any) {
		check.Got(store.CreateVariable(path, tensors.MustFromAnyValue(value)))(t)
	}
	_, err := Take(store, 0)
	check.Rejected(t, "no weights", err, "without trainable variables")
	set("/cell/w", [][][]float32{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}, {{9, 10}, {11, 12}}})
	set("/b", []float64{0.5, 1.5, 2.5})
	set("/step", int64(7))
	store.GetVariable("/step").SetTrainable(false)
	for r := range 3 {
		one := check.Got(Take(store, r))(t)
		first := float32(4*r + 1)
		for path, want := range map[string]any{
			"/cell/w": [][]float32{{first, first + 1}, {first + 2, first + 3}},
			"/b":      float64(r) + 0.5,
		} {
			got := one.GetVariable(path)
			check.Equal(t, got.MustValue().Value(), want, "trial %d: %s", r, path)
			check.That(t, got.Trainable, "trial %d: %s is not trainable", r, path)
		}
		check.Equal(t, one.NumVariables(), 2, "variables of trial %d", r)
	}
	for _, r := range []int{-1, 3} {
		_, err := Take(store, r)
		check.Rejected(t, "no such trial", err, "of 3, want 0 to 2")
	}
	set("/other", []float32{1, 2})
	_, err = Take(store, 0)
	check.Rejected(t, "two lengths", err, "differ in their first axis")
}

// The learning rates of a checkpoint, which somebody has looked at, are no weights, nor is what an optimizer or a
// metric keeps where all of a checkpoint was loaded at once.
func TestTakeFromCheckpoint(t *testing.T) {
	o := Optimizer{Method: SGD{}, Rates: []float64{0.5}}
	d := begin(t, "go", model.NewStore(), o, theta0)
	d.update(coefA, coefC)
	store := saved(t, d.store)
	check.Equal(t, o.LearningRates(store).MustValue().Value().([]float64), []float64{0.5, 0.5, 0.5}, "rates")
	o.GradientNorms(store)
	_, err := Take(store, 0)
	check.Rejected(t, "no weights", err, "without trainable variables")
	all := copied(t, d.store)
	for _, path := range []string{"/metrics/Moving Average Loss/mean", "/optimizers/AdamOptimizer/w"} {
		check.Got(all.CreateVariable(path, tensors.FromValue(float32(0.5))))(t)
	}
	one := check.Got(Take(all, 0))(t)
	check.Equal(t, one.NumVariables(), 2, "weights")
}
