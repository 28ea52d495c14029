package simd

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// normalization is what batch normalizations have in common: x, float32 at least, and for each of its features, along
// one axis, a number.
type normalization struct {
	*function
	x       *ir.Node
	axis    int
	others  []int // the axes that are not of features
	perEach shapes.Shape
}

// normalization checks the operands of a batch normalization, x and numbers for each feature, and widens them.
func (f *function) normalization(op compute.OpType, axis int, in []*ir.Node) *normalization {
	s := in[0].Shape
	if axis < 0 || axis >= s.Rank() || !s.DType.IsFloat() {
		ir.Fail("%s: features along axis %d of %s", op, axis, s)
	}
	for i, n := range in[1:] {
		want := shapes.Make(s.DType, s.Dimensions[axis])
		if op == compute.OpTypeBatchNormGradient && i == 3 {
			want = s // the gradient
		}
		if !n.Shape.Equal(want) {
			ir.Fail("%s: operand %d is %s, want %s, for features along axis %d of %s", op, i+1, n.Shape, want, axis, s)
		}
	}
	for i := range in {
		in[i] = f.wide(in[i])
	}
	return &normalization{f, in[0], axis, slices.Delete(upTo(0, s.Rank()), axis, axis+1),
		shapes.Make(in[0].Shape.DType, s.Dimensions[axis])}
}

// each repeats the numbers of features to the shape of x.
func (f *normalization) each(v *ir.Node) *ir.Node {
	return f.add(compute.OpTypeBroadcastInDim, f.x.Shape, []int{f.axis}, v)
}

func (f *normalization) of(op compute.OpType, a, b *ir.Node) *ir.Node {
	return f.elementwise(op, a.Shape, a, b)
}

// sum adds up over all but the features; mean divides that by how many there are.
func (f *normalization) sum(v *ir.Node) *ir.Node {
	return f.add(compute.OpTypeReduceSum, f.perEach, f.others, v)
}

func (f *normalization) mean(v *ir.Node) *ir.Node {
	count := float64(f.x.Shape.Size()) / float64(max(1, f.perEach.Size()))
	return f.of(compute.OpTypeDiv, f.sum(v), f.number(f.perEach.DType, count))
}

// scale is 1/√(variance + ε).
func (f *normalization) scale(variance *ir.Node, epsilon float32) *ir.Node {
	sum := f.of(compute.OpTypeAdd, variance, f.number(f.perEach.DType, float64(epsilon)))
	return f.elementwise(compute.OpTypeRsqrt, f.perEach, sum)
}

// normal is (x − mean) · scale.
func (f *normalization) normal(mean, scale *ir.Node) *ir.Node {
	return f.of(compute.OpTypeMul, f.of(compute.OpTypeSub, f.x, f.each(mean)), f.each(scale))
}

func (f *normalization) affine(normal, scale, offset *ir.Node) *ir.Node {
	return f.of(compute.OpTypeAdd, f.of(compute.OpTypeMul, normal, f.each(scale)), f.each(offset))
}

func (f *function) BatchNormForInference(x, scale, offset, mean, variance value, epsilon float32, axis int) (
	value, error) {
	const op = compute.OpTypeBatchNormForInference
	return f.record(op, func(in []*ir.Node) *ir.Node {
		d := in[0].Shape.DType
		n := f.normalization(op, axis, in)
		normal := n.normal(in[3], n.scale(in[4], epsilon))
		return f.convert(n.affine(normal, in[1], in[2]), d)
	}, x, scale, offset, mean, variance)
}

// recordThree is record for three values.
func (f *function) recordThree(op compute.OpType, build func(in []*ir.Node) [3]*ir.Node, operands ...value) (
	a, b, c value, err error) {
	err = ir.Catch(func() {
		in := f.values(op, operands)
		d := in[0].Shape.DType
		r := build(in)
		a, b, c = f.convert(r[0], d), f.convert(r[1], d), f.convert(r[2], d)
	})
	return a, b, c, err
}

func (f *function) BatchNormForTraining(x, scale, offset value, epsilon float32, axis int) (
	normalized, batchMean, batchVariance value, err error) {
	const op = compute.OpTypeBatchNormForTraining
	return f.recordThree(op, func(in []*ir.Node) [3]*ir.Node {
		n := f.normalization(op, axis, in)
		mean := n.mean(n.x)
		deviation := n.of(compute.OpTypeSub, n.x, n.each(mean))
		variance := n.mean(n.of(compute.OpTypeMul, deviation, deviation))
		y := n.affine(n.normal(mean, n.scale(variance, epsilon)), in[1], in[2])
		return [3]*ir.Node{y, mean, variance}
	}, x, scale, offset)
}

// BatchNormGradient: with x̂ = (x − mean)/√(variance + ε), the offset's gradient is Σ g, the scale's Σ g·x̂,
// and that of x is scale/√(variance + ε) · (g − mean of g − x̂ · mean of g·x̂).
func (f *function) BatchNormGradient(x, scale, mean, variance, gradient value, epsilon float32, axis int) (
	gradX, gradScale, gradOffset value, err error) {
	const op = compute.OpTypeBatchNormGradient
	return f.recordThree(op, func(in []*ir.Node) [3]*ir.Node {
		n := f.normalization(op, axis, in)
		g, by := in[4], n.scale(in[3], epsilon)
		normal := n.normal(in[2], by)
		product := n.of(compute.OpTypeMul, g, normal)
		dx := n.of(compute.OpTypeSub, g, n.each(n.mean(g)))
		dx = n.of(compute.OpTypeSub, dx, n.of(compute.OpTypeMul, normal, n.each(n.mean(product))))
		dx = n.of(compute.OpTypeMul, dx, n.each(n.of(compute.OpTypeMul, in[1], by)))
		return [3]*ir.Node{dx, n.sum(product), n.sum(g)}
	}, x, scale, mean, variance, gradient)
}
