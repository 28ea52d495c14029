package bench

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/attention"
	"github.com/gomlx/gomlx/ml/layers/norm"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// A layered model is made of GoMLX's own layers and trained by GoMLX's Adam: what people who take an engine alone will
// try first.
type layered struct {
	logits   func(scope *model.Scope, inputs *Node) *Node
	inputs   []int // dimensions; of symbols, if there are any to read
	symbols  int32
	labels   []int // dimensions
	products float64
}

// update is a training update; it returns the loss.
func (p layered) update(scope *model.Scope, inputs, labels *Node) *Node {
	l := loss.SparseCategoricalCrossEntropyLogits([]*Node{labels}, []*Node{p.logits(scope, inputs)})
	l = ReduceAllMean(l)
	optimizer.Adam().LearningRate(1e-3).Done().UpdateGraph(scope, inputs.Graph(), l)
	return l
}

// draw returns random inputs and labels.
func (p layered) draw() (inputs, labels *tensors.Tensor) {
	if p.symbols > 0 {
		inputs = drawSymbols(1, p.symbols, p.inputs...)
	} else {
		rng, flat := rand.New(rand.NewPCG(1, 0)), make([]float32, shapes.Make(dtypes.Float32, p.inputs...).Size())
		for i := range flat {
			flat[i] = float32(rng.NormFloat64())
		}
		inputs = tensors.FromFlatDataAndDimensions(flat, p.inputs...)
	}
	return inputs, drawSymbols(2, symbols, p.labels...)
}

// perceptron has two hidden layers, for images of 28×28 pixels in a row.
func perceptron(batch int) *layered {
	const in, hidden = 784, 512
	return &layered{
		logits: func(scope *model.Scope, x *Node) *Node {
			for i := range 2 {
				x = activation.Relu(layers.Dense(scope.In("hidden-%d", i), x, true, hidden))
			}
			return layers.Dense(scope.In("read-out"), x, true, symbols)
		},
		inputs: []int{batch, in}, labels: []int{batch, 1},
		// Nobody asks for the gradient with respect to the inputs.
		products: 2 * float64(batch) * (2*in*hidden + 3*hidden*hidden + 3*hidden*symbols),
	}
}

// convolutional has two convolutions, each with pooling, and a hidden layer, for images of 28×28 pixels.
func convolutional(batch int) *layered {
	const side, filters, hidden = 28, 32, 128
	const first, second = side * side * 9 * filters, side * side / 4 * 9 * filters * 2 * filters
	const dense = side * side / 16 * 2 * filters * hidden
	return &layered{
		logits: func(scope *model.Scope, x *Node) *Node {
			for i := range 2 {
				c := layers.Convolution(scope.In("convolution-%d", i), x).Channels(filters << i)
				x = activation.Relu(c.KernelSize(3).PadSame().Done())
				x = MaxPool(x).Window(2).Done()
			}
			x = activation.Relu(layers.Dense(scope.In("hidden"), Reshape(x, batch, -1), true, hidden))
			return layers.Dense(scope.In("read-out"), x, true, symbols)
		},
		inputs: []int{batch, side, side, 1}, labels: []int{batch, 1},
		products: 2 * float64(batch) * (2*first + 3*second + 3*dense + 3*hidden*symbols),
	}
}

// transformer predicts each symbol from those before it.
func transformer(batch, length int) *layered {
	const width, heads, depth, vocabulary = 128, 4, 4, 64
	const weights = depth * (4*width*width + 8*width*width)
	return &layered{
		logits: func(scope *model.Scope, x *Node) *Node {
			positions := scope.VariableWithShape("positions", shapes.Make(dtypes.Float32, length, width))
			x = Add(layers.Embedding(scope.In("embedding"), x, dtypes.Float32, vocabulary, width),
				InsertAxes(positions.NodeValue(x.Graph()), 0))
			for i := range depth {
				s := scope.In("block-%d", i)
				normed := norm.LayerNorm(s.In("norm-1"), x, -1).Done()
				attended := attention.SelfAttention(s.In("attention"), normed, heads, width/heads)
				x = Add(x, attended.WithCausalMask(true).Done())
				h := layers.Dense(s.In("wide"), norm.LayerNorm(s.In("norm-2"), x, -1).Done(), true, 4*width)
				x = Add(x, layers.Dense(s.In("narrow"), activation.Gelu(h), true, width))
			}
			return layers.Dense(scope.In("read-out"), norm.LayerNorm(scope.In("norm"), x, -1).Done(), true, symbols)
		},
		inputs: []int{batch, length, 1}, symbols: vocabulary, labels: []int{batch, length, 1},
		products: 3 * 2 * float64(batch*length) * float64(weights+2*depth*length*width+width*symbols),
	}
}
