package simd

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// half reports the types that are computed with as float32 and only stored in 16 bits.
func half(d dtypes.DType) bool { return d == dtypes.Float16 || d == dtypes.BFloat16 }

// wide is the type in which values of a type are computed.
func wide(d dtypes.DType) dtypes.DType {
	if half(d) {
		return dtypes.Float32
	}
	return d
}

// wide converts 16-bit floats to float32.
func (f *function) wide(n *ir.Node) *ir.Node { return f.convert(n, wide(n.Shape.DType)) }

// typed is a shape with another type.
func typed(s shapes.Shape, d dtypes.DType) shapes.Shape {
	s.DType = d
	return s
}

func (f *function) convert(n *ir.Node, to dtypes.DType) *ir.Node {
	from := n.Shape.DType
	if from == to {
		return n
	}
	if half(to) && from != dtypes.Float32 || half(from) && to != dtypes.Float32 {
		return f.convert(f.convert(n, dtypes.Float32), to)
	}
	return f.add(compute.OpTypeConvertDType, typed(n.Shape, to), nil, n)
}

// broadcast repeats n to the given dimensions, by the rule of binary operations: n is a scalar, or has axes of size 1.
func (f *function) broadcast(n *ir.Node, dims []int) *ir.Node {
	if slices.Equal(n.Shape.Dimensions, dims) {
		return n
	}
	return f.add(compute.OpTypeBroadcastInDim, shapes.Make(n.Shape.DType, dims...), upTo(0, n.Shape.Rank()), n)
}

// elementwise adds an operation on operands of the output's dimensions, in float32 where the type has 16 bits.
func (f *function) elementwise(op compute.OpType, output shapes.Shape, in ...*ir.Node) *ir.Node {
	for i := range in {
		in[i] = f.broadcast(f.wide(in[i]), output.Dimensions)
	}
	return f.convert(f.add(op, typed(output, wide(output.DType)), nil, in...), output.DType)
}

func (f *function) unary(op compute.OpType, x value) (value, error) {
	return f.infer(op, nil, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.UnaryOp(op, in[0].Shape)
	}, x)
}

func (f *function) binary(op compute.OpType, lhs, rhs value) (value, error) {
	infer, as := shapeinference.BinaryOp, op
	if shapeinference.ComparisonOperations.Has(op) {
		infer = shapeinference.ComparisonOp
	}
	if op == compute.OpTypeNotEqual {
		as = compute.OpTypeEqual // shapeinference has NotEqual among the comparisons, but accepts Equal only
	}
	return f.infer(op, nil, func(in []*ir.Node) (shapes.Shape, error) {
		s, err := infer(as, in[0].Shape, in[1].Shape)
		if err == nil && s.Size() > 0 && in[0].Shape.Size()*in[1].Shape.Size() == 0 {
			err = errors.Errorf("%s: %s and %s, want no axis of size 1 beside one of 0", op, in[0].Shape, in[1].Shape)
		}
		return s, err
	}, lhs, rhs)
}

func (f *function) predicate(op compute.OpType, x value) (value, error) {
	return f.record(op, func(in []*ir.Node) *ir.Node {
		if !in[0].Shape.DType.IsFloat() {
			ir.Fail("%s: %s is not of floating point", op, in[0].Shape)
		}
		return f.elementwise(op, shapes.Make(dtypes.Bool, in[0].Shape.Dimensions...), in...)
	}, x)
}

func (f *function) Where(cond, onTrue, onFalse value) (value, error) {
	return f.infer(compute.OpTypeWhere, nil, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Where(in[0].Shape, in[1].Shape, in[2].Shape)
	}, cond, onTrue, onFalse)
}

func (f *function) ConvertDType(x value, dtype dtypes.DType) (value, error) {
	return f.record(compute.OpTypeConvertDType, func(in []*ir.Node) *ir.Node {
		return f.convert(in[0], dtype)
	}, x)
}

func (f *function) Identity(x value) (value, error) {
	return f.record(compute.OpTypeIdentity, func(in []*ir.Node) *ir.Node {
		return f.add(compute.OpTypeIdentity, in[0].Shape, nil, in...)
	}, x)
}

// identity adds a barrier: the same memory, but a value of its own that no simplification looks through.
func (f *function) identity(n *ir.Node) *ir.Node {
	return f.add(compute.OpTypeOptimizationBarrier, n.Shape, nil, n)
}

func (f *function) OptimizationBarrier(operands ...value) ([]value, error) {
	return f.recordMulti(compute.OpTypeOptimizationBarrier, func(in []*ir.Node) []*ir.Node {
		return xslices.Map(in, f.identity)
	}, operands...)
}

// SchedulingBarrier returns its operand. One thread of control runs all operations in an order that respects what they
// need, and nothing observes that order.
func (f *function) SchedulingBarrier(operand value, dependencies ...value) (value, error) {
	return f.record(compute.OpTypeSchedulingBarrier, func(in []*ir.Node) *ir.Node {
		return f.identity(in[0])
	}, append([]value{operand}, dependencies...)...)
}

func (f *function) Iota(shape shapes.Shape, axis int) (value, error) {
	return f.record(compute.OpTypeIota, func([]*ir.Node) *ir.Node {
		if axis < 0 || axis >= shape.Rank() {
			ir.Fail("Iota: axis %d of shape %s", axis, shape)
		}
		if shape.DType == dtypes.Bool {
			ir.Fail("Iota: booleans do not count")
		}
		return f.convert(f.add(compute.OpTypeIota, typed(shape, wide(shape.DType)), axis), shape.DType)
	})
}

func (f *function) Reshape(x value, dims ...int) (value, error) {
	return f.infer(compute.OpTypeReshape, nil, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Reshape(in[0].Shape, dims)
	}, x)
}

func (f *function) BroadcastInDim(x value, output shapes.Shape, axes []int) (value, error) {
	return f.infer(compute.OpTypeBroadcastInDim, slices.Clone(axes), func(in []*ir.Node) (shapes.Shape, error) {
		if !slices.IsSorted(axes) || output.DType != in[0].Shape.DType {
			return output, errors.Errorf("BroadcastInDim: %s to %s by axes %v, want one type and increasing axes",
				in[0].Shape, output, axes)
		}
		return output, shapeinference.BroadcastInDim(in[0].Shape, output, axes, nil)
	}, x)
}

func (f *function) Transpose(x value, permutation ...int) (value, error) {
	return f.infer(compute.OpTypeTranspose, slices.Clone(permutation), func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Transpose(in[0].Shape, permutation)
	}, x)
}

func (f *function) Slice(x value, starts, limits, strides []int) (value, error) {
	if len(strides) == 0 {
		strides = slices.Repeat([]int{1}, len(starts))
	}
	d := ir.SliceData{Starts: slices.Clone(starts), Limits: slices.Clone(limits), Strides: slices.Clone(strides)}
	return f.infer(compute.OpTypeSlice, d, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Slice(in[0].Shape, starts, limits, strides)
	}, x)
}

func (f *function) Reverse(x value, axes ...int) (value, error) {
	return f.record(compute.OpTypeReverse, func(in []*ir.Node) *ir.Node {
		checkAxes(compute.OpTypeReverse, axes, in[0].Shape)
		return f.add(compute.OpTypeReverse, in[0].Shape, slices.Clone(axes), in...)
	}, x)
}

// checkAxes fails unless these are different axes of a shape.
func checkAxes(op compute.OpType, axes []int, shape shapes.Shape) {
	for i, a := range axes {
		if a < 0 || a >= shape.Rank() || slices.Contains(axes[:i], a) {
			ir.Fail("%s: axes %v of shape %s, want different ones that it has", op, axes, shape)
		}
	}
}

// checkIndices fails unless indices are integers, of different axes of an operand.
func checkIndices(op compute.OpType, indices *ir.Node, axes []int, operand *ir.Node) {
	if !indices.Shape.DType.IsInt() {
		ir.Fail("%s: indices %s, want integers", op, indices.Shape)
	}
	checkAxes(op, axes, operand.Shape)
}

// startsOf returns the start indices of dynamic slices, which are given one by one or all in one tensor.
func (f *function) startsOf(op compute.OpType, operand *ir.Node, starts []*ir.Node) []*ir.Node {
	rank := operand.Shape.Rank()
	if len(starts) == 1 && slices.Equal(starts[0].Shape.Dimensions, []int{rank}) {
		all := starts[0]
		starts = nil
		for i := range rank {
			starts = append(starts, f.reshape(f.slice(all, 0, i, i+1)))
		}
	}
	if len(starts) != rank {
		ir.Fail("%s: %d start indices for shape %s", op, len(starts), operand.Shape)
	}
	for _, s := range starts {
		if !s.Shape.IsScalar() || !s.Shape.DType.IsInt() {
			ir.Fail("%s: start index of shape %s, expected an integer scalar", op, s.Shape)
		}
	}
	return starts
}

func (f *function) DynamicSlice(operand value, starts []value, dims []int) (value, error) {
	const op = compute.OpTypeDynamicSlice
	return f.record(op, func(in []*ir.Node) *ir.Node {
		indices := f.startsOf(op, in[0], in[1:])
		s := ir.Must(shapeinference.DynamicSlice(in[0].Shape, dims))
		return f.add(op, s, nil, append(in[:1], indices...)...)
	}, append([]value{operand}, starts...)...)
}

func (f *function) DynamicUpdateSlice(operand, update value, starts []value) (value, error) {
	const op = compute.OpTypeDynamicUpdateSlice
	return f.record(op, func(in []*ir.Node) *ir.Node {
		indices := f.startsOf(op, in[0], in[2:])
		s := ir.Must(shapeinference.DynamicUpdateSlice(in[0].Shape, in[1].Shape))
		for i, d := range in[1].Shape.Dimensions {
			if d > s.Dimensions[i] {
				ir.Fail("DynamicUpdateSlice: %s does not fit into %s", in[1].Shape, s)
			}
		}
		return f.add(op, s, nil, append(in[:2], indices...)...)
	}, append([]value{operand, update}, starts...)...)
}

func (f *function) Pad(x, fill value, axes ...compute.PadAxis) (value, error) {
	return f.infer(compute.OpTypePad, slices.Clone(axes), func(in []*ir.Node) (shapes.Shape, error) {
		s, err := shapeinference.Pad(in[0].Shape, axes...)
		if err == nil && !in[1].Shape.Equal(shapes.Make(s.DType)) {
			err = errors.Errorf("Pad: fill value %s for %s", in[1].Shape, s)
		}
		return s, err
	}, x, fill)
}

func (f *function) Concatenate(axis int, operands ...value) (value, error) {
	return f.infer(compute.OpTypeConcatenate, axis, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Concatenate(ir.ShapesOf(in), axis)
	}, operands...)
}

func (f *function) Bitcast(x value, dtype dtypes.DType) (value, error) {
	return f.record(compute.OpTypeBitcast, func(in []*ir.Node) *ir.Node {
		ir.Check(checkShape(shapes.Make(dtype)))
		s := ir.Must(shapeinference.Bitcast(in[0].Shape, dtype))
		op := compute.OpTypeBitcast
		if dtype.Size() == in[0].Shape.DType.Size() {
			op = ir.OpReinterpret
		}
		if dtype == dtypes.Bool {
			s.DType = dtypes.Uint8 // all but 0 become 1: loops take no other byte for true
		}
		return f.convert(f.add(op, s, nil, in[0]), dtype)
	}, x)
}

func (f *function) reduce(op compute.OpType, x value, axes []int) (value, error) {
	return f.record(op, func(in []*ir.Node) *ir.Node {
		if axes = slices.Clone(axes); len(axes) == 0 {
			axes = upTo(0, in[0].Shape.Rank())
		}
		checkAxes(op, axes, in[0].Shape)
		slices.Sort(axes)
		s := ir.Must(shapeinference.Reduce(in[0].Shape, axes))
		w := f.wide(in[0])
		return f.convert(f.add(op, typed(s, w.Shape.DType), axes, w), in[0].Shape.DType)
	}, x)
}

func (f *function) ArgMinMax(x value, axis int, dtype dtypes.DType, isMin bool) (value, error) {
	return f.record(compute.OpTypeArgMinMax, func(in []*ir.Node) *ir.Node {
		s := in[0].Shape
		if s.DType == dtypes.Bool {
			s.DType = dtypes.Uint8 // shapeinference refuses booleans
		}
		s = ir.Must(shapeinference.ArgMinMax(s, axis, dtype))
		bits := dtype.Bits()
		if !dtype.IsUnsigned() {
			bits--
		}
		switch n := in[0].Shape.Dimensions[axis]; {
		case n == 0:
			ir.Fail("ArgMinMax: axis %d of shape %s has no elements", axis, in[0].Shape)
		case dtype.IsInt() && uint64(n-1)>>bits > 0:
			ir.Fail("ArgMinMax: axis %d of shape %s has more elements than %s has indices", axis, in[0].Shape, dtype)
		}
		d := ir.ArgData{Axis: axis, IsMin: isMin}
		return f.convert(f.add(compute.OpTypeArgMinMax, typed(s, dtypes.Int64), d, f.wide(in[0])), dtype)
	}, x)
}

func (f *function) DotGeneral(lhs value, lhsContract, lhsBatch []int, rhs value, rhsContract, rhsBatch []int,
	config compute.DotGeneralConfig) (value, error) {
	return f.record(compute.OpTypeDotGeneral, func(in []*ir.Node) *ir.Node {
		if in[0].Shape.DType == dtypes.Bool {
			ir.NotImplemented("DotGeneral of booleans")
		}
		s := ir.Must(shapeinference.DotGeneral(in[0].Shape, lhsContract, lhsBatch, in[1].Shape, rhsContract, rhsBatch,
			config))
		accumulator := config.AccumulatorDType
		if accumulator == dtypes.InvalidDType {
			accumulator = in[0].Shape.DType
			if sameKind := s.DType.IsFloat() || accumulator.IsInt(); sameKind && s.DType.Size() > accumulator.Size() {
				accumulator = s.DType // as in XLA: what it has room for must not overflow before
			}
		}
		accumulator = wide(accumulator)
		d := ir.DotData{LhsContract: slices.Clone(lhsContract), LhsBatch: slices.Clone(lhsBatch),
			RhsContract: slices.Clone(rhsContract), RhsBatch: slices.Clone(rhsBatch)}
		dot := f.add(compute.OpTypeDotGeneral, typed(s, accumulator), d, f.convert(in[0], accumulator),
			f.convert(in[1], accumulator))
		return f.convert(dot, s.DType)
	}, lhs, rhs)
}

func (f *function) Gather(operand, indices value, indexVectorAxis int,
	offsetOutputAxes, collapsedSliceAxes, startIndexMap, sliceSizes []int, sorted bool) (value, error) {
	return f.record(compute.OpTypeGather, func(in []*ir.Node) *ir.Node {
		checkIndices(compute.OpTypeGather, in[1], startIndexMap, in[0])
		if !slices.IsSorted(offsetOutputAxes) {
			ir.Fail("Gather: axes %v, want increasing ones", offsetOutputAxes)
		}
		if dims := in[1].Shape.Dimensions; indexVectorAxis == len(dims) { // shapeinference.Gather panics
			in[1] = f.reshape(in[1], append(slices.Clone(dims), 1)...)
		}
		s := ir.Must(shapeinference.Gather(in[0].Shape, in[1].Shape, indexVectorAxis, offsetOutputAxes,
			collapsedSliceAxes, startIndexMap, sliceSizes, sorted))
		return f.add(compute.OpTypeGather, s, ir.GatherData{IndexVectorAxis: indexVectorAxis,
			OffsetOutputAxes: slices.Clone(offsetOutputAxes), Collapsed: slices.Clone(collapsedSliceAxes),
			StartIndexMap: slices.Clone(startIndexMap), Slices: slices.Clone(sliceSizes)}, in...)
	}, operand, indices)
}

// checkUpdates fails for what shapeinference.Scatter accepts, unless windows have different axes, and the updates one
// window for each index.
func checkUpdates(op compute.OpType, in []*ir.Node, d ir.ScatterData) {
	operand, updates := in[0].Shape, in[2].Shape
	indices := ir.Without(in[1].Shape.Dimensions, []int{d.IndexVectorAxis})
	if windows := ir.Without(updates.Dimensions, d.UpdateWindowAxes); !slices.Equal(windows, indices) {
		ir.Fail("%s: windows %v in updates %s, want %v, as many as indices", op, windows, updates, indices)
	}
	checkAxes(op, d.UpdateWindowAxes, updates)
	checkAxes(op, d.Inserted, operand)
}

// scatter adds a Scatter operation on an operand, indices and updates.
func (f *function) scatter(op compute.OpType, in []*ir.Node, d ir.ScatterData) *ir.Node {
	checkIndices(op, in[1], d.ToOperand, in[0])
	s := ir.Must(shapeinference.Scatter(in[0].Shape, in[1].Shape, in[2].Shape, d.IndexVectorAxis, d.UpdateWindowAxes,
		d.Inserted, d.ToOperand))
	checkUpdates(op, in, d)
	if s.Size() == 0 {
		return in[0]
	}
	in[0], in[2] = f.wide(in[0]), f.wide(in[2])
	return f.convert(f.add(op, typed(s, in[0].Shape.DType), d, in...), s.DType)
}

func (f *function) recordScatter(op compute.OpType, x, indices, updates value, vectorAxis int,
	windowAxes, inserted, toOperand []int) (value, error) {
	return f.record(op, func(in []*ir.Node) *ir.Node {
		return f.scatter(op, in, ir.ScatterData{IndexVectorAxis: vectorAxis, UpdateWindowAxes: slices.Clone(windowAxes),
			Inserted: slices.Clone(inserted), ToOperand: slices.Clone(toOperand)})
	}, x, indices, updates)
}

func (f *function) ScatterSum(x, indices, updates value, vectorAxis int, windowAxes, inserted, toOperand []int,
	_, _ bool) (value, error) {
	return f.recordScatter(compute.OpTypeScatterSum, x, indices, updates, vectorAxis, windowAxes, inserted, toOperand)
}

func (f *function) ScatterMax(x, indices, updates value, vectorAxis int, windowAxes, inserted, toOperand []int,
	_, _ bool) (value, error) {
	return f.recordScatter(compute.OpTypeScatterMax, x, indices, updates, vectorAxis, windowAxes, inserted, toOperand)
}

func (f *function) ScatterMin(x, indices, updates value, vectorAxis int, windowAxes, inserted, toOperand []int,
	_, _ bool) (value, error) {
	return f.recordScatter(compute.OpTypeScatterMin, x, indices, updates, vectorAxis, windowAxes, inserted, toOperand)
}

func (f *function) RNGBitGenerator(state value, shape shapes.Shape) (value, value, error) {
	outs, err := f.recordMulti(compute.OpTypeRNGBitGenerator, func(in []*ir.Node) []*ir.Node {
		if !in[0].Shape.Equal(compute.RNGStateShape) {
			ir.Fail("RNGBitGenerator: state %s, expected %s", in[0].Shape, compute.RNGStateShape)
		}
		if shape.DType == dtypes.Bool {
			ir.Fail("RNGBitGenerator: a boolean has no random bits")
		}
		return f.addMulti(compute.OpTypeRNGBitGenerator, []shapes.Shape{compute.RNGStateShape, shape}, nil, nil, in[0])
	}, state)
	if err != nil {
		return nil, nil, err
	}
	return outs[0], outs[1], nil
}
