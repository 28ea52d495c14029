package simd_test

import (
	"iter"
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	_ "github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// GoMLX's Go backend can deadlock on two cores when it runs operations in parallel.
const reference = "go:ops_sequential"

// trainFNN trains a small network with Adam, on data that it draws in the graph, and returns the loss.
func trainFNN(t *testing.T, b compute.Backend, steps int) float64 {
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(42))
	trainer := train.NewTrainer(b, store, func(scope *model.Scope, _ any, inputs []*Node) []*Node {
		g := inputs[0].Graph()
		x := scope.RandomUniform(g, shapes.Make(dtypes.Float32, 64, 2))
		// A loop that nothing is differentiated through: the target is x1 · 2³, one doubling after the other.
		state := []*Node{Const(g, int32(0)), StopGradient(Slice(x, AxisRange(), AxisRange(1, 2)))}
		three, one := Const(g, int32(3)), Const(g, int32(1))
		cond := NewClosure(g, func(g *Graph) []*Node {
			i := Parameter(g, "i", state[0].Shape())
			Parameter(g, "x", state[1].Shape())
			return []*Node{LessThan(i, three)}
		})
		body := NewClosure(g, func(g *Graph) []*Node {
			i, x := Parameter(g, "i", state[0].Shape()), Parameter(g, "x", state[1].Shape())
			return []*Node{Add(i, one), Add(x, x)}
		})
		target := Add(While(cond, body, state...)[1], Sin(Slice(x, AxisRange(), AxisRange(0, 1))))
		return []*Node{fnn.New(scope, x, 1).NumHiddenLayers(2, 32).Activation(activation.TypeRelu).Done(), target}
	}, func(_, predictions []*Node) *Node {
		return loss.MeanSquaredError(predictions[1:], predictions[:1])
	}, optimizer.Adam().LearningRate(0.01).Done(), nil, nil)
	metrics, err := train.NewLoop(trainer).RunSteps(withInput{}, steps)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return float64(metrics[1].Value().(float32))
}

// withInput is a dataset of one number, since models need an input to take their graph from: the model above draws its
// own data.
type withInput struct{}

func (withInput) Name() string { return "nothing" }

func (withInput) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		for {
			if !yield(train.Batch{Inputs: []*tensors.Tensor{tensors.FromValue(float32(0))}}, nil) {
				return
			}
		}
	}
}

// A GoMLX model trains, and as it does on GoMLX's Go backend: both draw the same numbers.
func TestTrainsAsGo(t *testing.T) {
	b := newBackend(t, "simd")
	got, want := trainFNN(t, b, 50), trainFNN(t, newBackend(t, reference), 50)
	// Rounding differs, and 50 steps of Adam amplify it.
	if math.Abs(got-want) > 1e-3*want {
		t.Errorf("loss after 50 steps: %g, on Go %g", got, want)
	}
	if after := trainFNN(t, b, 400); !(after < got/10) {
		t.Errorf("loss %g after 50 steps, %g after 400", got, after)
	}
}

func newBackend(t testing.TB, config string) compute.Backend {
	t.Helper()
	b, err := compute.NewWithConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}
