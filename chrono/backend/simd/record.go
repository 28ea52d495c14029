package simd

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// half reports the types that are computed with as float32 and only stored in 16 bits.
func half(d dtypes.DType) bool { return d == dtypes.Float16 || d == dtypes.BFloat16 }

// wide converts 16-bit floats to float32.
func (f *function) wide(n *ir.Node) *ir.Node {
	if half(n.Shape.DType) {
		return f.convert(n, dtypes.Float32)
	}
	return n
}

func (f *function) convert(n *ir.Node, to dtypes.DType) *ir.Node {
	from := n.Shape.DType
	if from == to {
		return n
	}
	if half(to) && from != dtypes.Float32 || half(from) && to != dtypes.Float32 {
		return f.convert(f.convert(n, dtypes.Float32), to)
	}
	s := n.Shape.Clone()
	s.DType = to
	return f.add(compute.OpTypeConvertDType, s, nil, n)
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
	if !half(output.DType) {
		return f.add(op, output, nil, in...)
	}
	s := output.Clone()
	s.DType = dtypes.Float32
	return f.convert(f.add(op, s, nil, in...), output.DType)
}

func (f *function) unary(op compute.OpType, x value) (value, error) {
	return f.record(op, nil, func(in []*ir.Node) (shapes.Shape, error) {
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
	return f.record(op, nil, func(in []*ir.Node) (shapes.Shape, error) {
		s, err := infer(as, in[0].Shape, in[1].Shape)
		if err == nil && s.Size() > 0 && in[0].Shape.Size()*in[1].Shape.Size() == 0 {
			err = errors.Errorf("%s: %s and %s, want no axis of size 1 beside one of 0", op, in[0].Shape, in[1].Shape)
		}
		return s, err
	}, lhs, rhs)
}

func (f *function) predicate(op compute.OpType, x value) (value, error) {
	return f.record(op, nil, func(in []*ir.Node) (shapes.Shape, error) {
		if !in[0].Shape.DType.IsFloat() {
			return shapes.Invalid(), errors.Errorf("%s: %s is not of floating point", op, in[0].Shape)
		}
		return shapes.Make(dtypes.Bool, in[0].Shape.Dimensions...), nil
	}, x)
}

func (f *function) Where(cond, onTrue, onFalse value) (value, error) {
	return f.record(compute.OpTypeWhere, nil, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Where(in[0].Shape, in[1].Shape, in[2].Shape)
	}, cond, onTrue, onFalse)
}

func (f *function) ConvertDType(x value, dtype dtypes.DType) (value, error) {
	in, err := f.values(compute.OpTypeConvertDType, x)
	if err != nil {
		return nil, err
	}
	if err := checkShape(shapes.Make(dtype)); err != nil {
		return nil, err
	}
	return f.convert(in[0], dtype), nil
}

// identity adds a barrier: the same memory, but a value of its own that no simplification looks through.
func (f *function) identity(n *ir.Node) *ir.Node {
	return f.add(compute.OpTypeOptimizationBarrier, n.Shape, nil, n)
}

func (f *function) Identity(x value) (value, error) {
	return f.record(compute.OpTypeIdentity, nil, func(in []*ir.Node) (shapes.Shape, error) {
		return in[0].Shape, nil
	}, x)
}

func (f *function) OptimizationBarrier(operands ...value) ([]value, error) {
	in, err := f.values(compute.OpTypeOptimizationBarrier, operands...)
	if err != nil {
		return nil, err
	}
	for i := range in {
		in[i] = f.identity(in[i])
	}
	return asValues(in), nil
}

// SchedulingBarrier returns its operand. One thread of control runs all operations in an order that respects what they
// need, and nothing observes that order.
func (f *function) SchedulingBarrier(operand value, dependencies ...value) (value, error) {
	in, err := f.values(compute.OpTypeSchedulingBarrier, append([]value{operand}, dependencies...)...)
	if err != nil {
		return nil, err
	}
	return f.identity(in[0]), nil
}

func (f *function) Iota(shape shapes.Shape, axis int) (value, error) {
	if _, err := f.values(compute.OpTypeIota); err != nil {
		return nil, err
	}
	if err := checkShape(shape); err != nil {
		return nil, err
	}
	if axis < 0 || axis >= shape.Rank() {
		return nil, errors.Errorf("Iota: axis %d of shape %s", axis, shape)
	}
	if shape.DType == dtypes.Bool {
		return nil, errors.New("Iota: booleans do not count")
	}
	s := shape.Clone()
	if half(s.DType) {
		s.DType = dtypes.Float32
	}
	return f.convert(f.add(compute.OpTypeIota, s, axis), shape.DType), nil
}

func (f *function) Reshape(x value, dims ...int) (value, error) {
	return f.record(compute.OpTypeReshape, nil, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Reshape(in[0].Shape, dims)
	}, x)
}

func (f *function) BroadcastInDim(x value, output shapes.Shape, axes []int) (value, error) {
	return f.record(compute.OpTypeBroadcastInDim, slices.Clone(axes), func(in []*ir.Node) (shapes.Shape, error) {
		if !slices.IsSorted(axes) || output.DType != in[0].Shape.DType {
			return output, errors.Errorf("BroadcastInDim: %s to %s by axes %v, want one type and increasing axes",
				in[0].Shape, output, axes)
		}
		return output, shapeinference.BroadcastInDim(in[0].Shape, output, axes, nil)
	}, x)
}

func (f *function) Transpose(x value, permutation ...int) (value, error) {
	return f.record(compute.OpTypeTranspose, slices.Clone(permutation), func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Transpose(in[0].Shape, permutation)
	}, x)
}

func (f *function) Slice(x value, starts, limits, strides []int) (value, error) {
	if len(strides) == 0 {
		strides = slices.Repeat([]int{1}, len(starts))
	}
	d := ir.SliceData{Starts: slices.Clone(starts), Limits: slices.Clone(limits), Strides: slices.Clone(strides)}
	return f.record(compute.OpTypeSlice, d, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Slice(in[0].Shape, starts, limits, strides)
	}, x)
}

func (f *function) Reverse(x value, axes ...int) (value, error) {
	return f.record(compute.OpTypeReverse, slices.Clone(axes), func(in []*ir.Node) (shapes.Shape, error) {
		return in[0].Shape, checkAxes(compute.OpTypeReverse, axes, in[0].Shape)
	}, x)
}

// checkAxes returns an error unless these are different axes of a shape.
func checkAxes(op compute.OpType, axes []int, shape shapes.Shape) error {
	for i, a := range axes {
		if a < 0 || a >= shape.Rank() || slices.Contains(axes[:i], a) {
			return errors.Errorf("%s: axes %v of shape %s, want different ones that it has", op, axes, shape)
		}
	}
	return nil
}

// checkIndices returns an error unless indices are integers, of different axes of an operand.
func checkIndices(op compute.OpType, indices *ir.Node, axes []int, operand *ir.Node) error {
	if !indices.Shape.DType.IsInt() {
		return errors.Errorf("%s: indices %s, want integers", op, indices.Shape)
	}
	return checkAxes(op, axes, operand.Shape)
}

// startsOf returns the start indices of dynamic slices, which are given one by one or all in one tensor.
func (f *function) startsOf(op compute.OpType, operand *ir.Node, starts []*ir.Node) ([]*ir.Node, error) {
	rank := operand.Shape.Rank()
	if len(starts) == 1 && slices.Equal(starts[0].Shape.Dimensions, []int{rank}) {
		all := starts[0]
		starts = nil
		for i := range rank {
			starts = append(starts, f.reshape(f.slice(all, 0, i, i+1)))
		}
	}
	if len(starts) != rank {
		return nil, errors.Errorf("%s: %d start indices for shape %s", op, len(starts), operand.Shape)
	}
	for _, s := range starts {
		if !s.Shape.IsScalar() || !s.Shape.DType.IsInt() {
			return nil, errors.Errorf("%s: start index of shape %s, expected an integer scalar", op, s.Shape)
		}
	}
	return starts, nil
}

func (f *function) DynamicSlice(operand value, starts []value, dims []int) (value, error) {
	in, err := f.values(compute.OpTypeDynamicSlice, append([]value{operand}, starts...)...)
	if err != nil {
		return nil, err
	}
	indices, err := f.startsOf(compute.OpTypeDynamicSlice, in[0], in[1:])
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.DynamicSlice(in[0].Shape, dims)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeDynamicSlice, s, nil, append(in[:1], indices...)...), nil
}

func (f *function) DynamicUpdateSlice(operand, update value, starts []value) (value, error) {
	in, err := f.values(compute.OpTypeDynamicUpdateSlice, append([]value{operand, update}, starts...)...)
	if err != nil {
		return nil, err
	}
	indices, err := f.startsOf(compute.OpTypeDynamicUpdateSlice, in[0], in[2:])
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.DynamicUpdateSlice(in[0].Shape, in[1].Shape)
	if err != nil {
		return nil, err
	}
	for i, d := range in[1].Shape.Dimensions {
		if d > s.Dimensions[i] {
			return nil, errors.Errorf("DynamicUpdateSlice: %s does not fit into %s", in[1].Shape, s)
		}
	}
	return f.add(compute.OpTypeDynamicUpdateSlice, s, nil, append(in[:2], indices...)...), nil
}

func (f *function) Pad(x, fill value, axes ...compute.PadAxis) (value, error) {
	padding := slices.Clone(axes)
	return f.record(compute.OpTypePad, padding, func(in []*ir.Node) (shapes.Shape, error) {
		s, err := shapeinference.Pad(in[0].Shape, axes...)
		if err == nil && !in[1].Shape.Equal(shapes.Make(s.DType)) {
			err = errors.Errorf("Pad: fill value %s for %s", in[1].Shape, s)
		}
		return s, err
	}, x, fill)
}

func (f *function) Concatenate(axis int, operands ...value) (value, error) {
	return f.record(compute.OpTypeConcatenate, axis, func(in []*ir.Node) (shapes.Shape, error) {
		return shapeinference.Concatenate(ir.ShapesOf(in), axis)
	}, operands...)
}

func (f *function) Bitcast(x value, dtype dtypes.DType) (value, error) {
	in, err := f.values(compute.OpTypeBitcast, x)
	if err != nil {
		return nil, err
	}
	if err := checkShape(shapes.Make(dtype)); err != nil {
		return nil, err
	}
	s, err := shapeinference.Bitcast(in[0].Shape, dtype)
	if err != nil {
		return nil, err
	}
	op := compute.OpTypeBitcast
	if dtype.Size() == in[0].Shape.DType.Size() {
		op = ir.OpReinterpret
	}
	if dtype == dtypes.Bool {
		s.DType = dtypes.Uint8 // all but 0 become 1: loops take no other byte for true
	}
	return f.convert(f.add(op, s, nil, in[0]), dtype), nil
}

func (f *function) reduce(op compute.OpType, x value, axes []int) (value, error) {
	in, err := f.values(op, x)
	if err != nil {
		return nil, err
	}
	if axes = slices.Clone(axes); len(axes) == 0 {
		axes = upTo(0, in[0].Shape.Rank())
	}
	if err := checkAxes(op, axes, in[0].Shape); err != nil {
		return nil, err
	}
	slices.Sort(axes)
	s, err := shapeinference.Reduce(in[0].Shape, axes)
	if err != nil {
		return nil, err
	}
	w := f.wide(in[0])
	s.DType = w.Shape.DType
	return f.convert(f.add(op, s, axes, w), in[0].Shape.DType), nil
}

func (f *function) ArgMinMax(x value, axis int, dtype dtypes.DType, isMin bool) (value, error) {
	in, err := f.values(compute.OpTypeArgMinMax, x)
	if err != nil {
		return nil, err
	}
	s := in[0].Shape.Clone()
	if s.DType == dtypes.Bool {
		s.DType = dtypes.Uint8 // shapeinference refuses booleans
	}
	s, err = shapeinference.ArgMinMax(s, axis, dtype)
	if err != nil {
		return nil, err
	}
	if in[0].Shape.Dimensions[axis] == 0 {
		return nil, errors.Errorf("ArgMinMax: axis %d of shape %s has no elements", axis, in[0].Shape)
	}
	s.DType = dtypes.Int64
	return f.convert(f.add(compute.OpTypeArgMinMax, s, ir.ArgData{Axis: axis, IsMin: isMin}, f.wide(in[0])), dtype), nil
}

func (f *function) DotGeneral(lhs value, lhsContract, lhsBatch []int, rhs value,
	rhsContract, rhsBatch []int,
	config compute.DotGeneralConfig) (value, error) {
	in, err := f.values(compute.OpTypeDotGeneral, lhs, rhs)
	if err != nil {
		return nil, err
	}
	if in[0].Shape.DType == dtypes.Bool {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: DotGeneral of booleans", Name)
	}
	s, err := shapeinference.DotGeneral(in[0].Shape, lhsContract, lhsBatch, in[1].Shape, rhsContract, rhsBatch, config)
	if err != nil {
		return nil, err
	}
	accumulator := config.AccumulatorDType
	if accumulator == dtypes.InvalidDType {
		accumulator = in[0].Shape.DType
	}
	if half(accumulator) {
		accumulator = dtypes.Float32
	}
	output := s.DType
	s.DType = accumulator
	dot := f.add(compute.OpTypeDotGeneral, s,
		ir.DotData{LhsContract: slices.Clone(lhsContract), LhsBatch: slices.Clone(lhsBatch),
			RhsContract: slices.Clone(rhsContract), RhsBatch: slices.Clone(rhsBatch)},
		f.convert(in[0], accumulator), f.convert(in[1], accumulator))
	return f.convert(dot, output), nil
}

func (f *function) Gather(operand, indices value, indexVectorAxis int,
	offsetOutputAxes, collapsedSliceAxes, startIndexMap, sliceSizes []int, sorted bool) (value, error) {
	return f.record(compute.OpTypeGather, ir.GatherData{IndexVectorAxis: indexVectorAxis,
		OffsetOutputAxes: slices.Clone(offsetOutputAxes), Collapsed: slices.Clone(collapsedSliceAxes),
		StartIndexMap: slices.Clone(startIndexMap), Slices: slices.Clone(sliceSizes)},
		func(in []*ir.Node) (shapes.Shape, error) {
			if err := checkIndices(compute.OpTypeGather, in[1], startIndexMap, in[0]); err != nil {
				return shapes.Invalid(), err
			}
			if !slices.IsSorted(offsetOutputAxes) {
				return shapes.Invalid(), errors.Errorf("Gather: axes %v, want increasing ones", offsetOutputAxes)
			}
			return shapeinference.Gather(in[0].Shape, in[1].Shape, indexVectorAxis, offsetOutputAxes,
				collapsedSliceAxes, startIndexMap, sliceSizes, sorted)
		}, operand, indices)
}

// checkUpdates returns an error for what shapeinference.Scatter accepts, unless windows have different axes, and the
// updates one window for each index.
func checkUpdates(op compute.OpType, in []*ir.Node, indexVectorAxis int, window, inserted []int) error {
	operand, indices, updates := in[0].Shape, slices.Clone(in[1].Shape.Dimensions), in[2].Shape
	if indexVectorAxis < len(indices) {
		indices = slices.Delete(indices, indexVectorAxis, indexVectorAxis+1)
	}
	var windows []int
	for a, d := range updates.Dimensions {
		if !slices.Contains(window, a) {
			windows = append(windows, d)
		}
	}
	if !slices.Equal(windows, indices) {
		return errors.Errorf("%s: windows %v in updates %s, want %v, as many as indices", op, windows, updates, indices)
	}
	if err := checkAxes(op, window, updates); err != nil {
		return err
	}
	return checkAxes(op, inserted, operand)
}

func (f *function) scatter(op compute.OpType, operand, indices, updates value, indexVectorAxis int,
	updateWindowAxes, insertedWindowAxes, scatterAxesToOperandAxes []int) (value, error) {
	in, err := f.values(op, operand, indices, updates)
	if err != nil {
		return nil, err
	}
	if err := checkIndices(op, in[1], scatterAxesToOperandAxes, in[0]); err != nil {
		return nil, err
	}
	s, err := shapeinference.Scatter(in[0].Shape, in[1].Shape, in[2].Shape, indexVectorAxis, updateWindowAxes,
		insertedWindowAxes, scatterAxesToOperandAxes)
	if err != nil {
		return nil, err
	}
	if err := checkUpdates(op, in, indexVectorAxis, updateWindowAxes, insertedWindowAxes); err != nil {
		return nil, err
	}
	if s.Size() == 0 {
		return in[0], nil
	}
	dtype := s.DType
	s = s.Clone()
	in[0], in[2] = f.wide(in[0]), f.wide(in[2])
	s.DType = in[0].Shape.DType
	return f.convert(f.add(op, s, ir.ScatterData{IndexVectorAxis: indexVectorAxis,
		UpdateWindowAxes: slices.Clone(updateWindowAxes), Inserted: slices.Clone(insertedWindowAxes),
		ToOperand: slices.Clone(scatterAxesToOperandAxes)}, in...), dtype), nil
}

func (f *function) ScatterSum(operand, indices, updates value, indexVectorAxis int,
	updateWindowAxes, insertedWindowAxes, scatterAxesToOperandAxes []int, _, _ bool) (value, error) {
	return f.scatter(compute.OpTypeScatterSum, operand, indices, updates, indexVectorAxis, updateWindowAxes,
		insertedWindowAxes, scatterAxesToOperandAxes)
}

func (f *function) ScatterMax(operand, indices, updates value, indexVectorAxis int,
	updateWindowAxes, insertedWindowAxes, scatterAxesToOperandAxes []int, _, _ bool) (value, error) {
	return f.scatter(compute.OpTypeScatterMax, operand, indices, updates, indexVectorAxis, updateWindowAxes,
		insertedWindowAxes, scatterAxesToOperandAxes)
}

func (f *function) ScatterMin(operand, indices, updates value, indexVectorAxis int,
	updateWindowAxes, insertedWindowAxes, scatterAxesToOperandAxes []int, _, _ bool) (value, error) {
	return f.scatter(compute.OpTypeScatterMin, operand, indices, updates, indexVectorAxis, updateWindowAxes,
		insertedWindowAxes, scatterAxesToOperandAxes)
}

func (f *function) RNGBitGenerator(state value, shape shapes.Shape) (value, value, error) {
	in, err := f.values(compute.OpTypeRNGBitGenerator, state)
	if err != nil {
		return nil, nil, err
	}
	if !in[0].Shape.Equal(compute.RNGStateShape) {
		return nil, nil, errors.Errorf("RNGBitGenerator: state %s, expected %s", in[0].Shape, compute.RNGStateShape)
	}
	if err := checkShape(shape); err != nil {
		return nil, nil, err
	}
	if shape.DType == dtypes.Bool {
		return nil, nil, errors.New("RNGBitGenerator: a boolean has no random bits")
	}
	outs := f.addMulti(compute.OpTypeRNGBitGenerator, []shapes.Shape{compute.RNGStateShape, shape}, nil, in[0])
	return outs[0], outs[1], nil
}
