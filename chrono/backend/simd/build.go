package simd

import (
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// node is one value of a graph: an operation, its operands and its shape.
type node struct {
	id    int // in order of creation: operands come first
	op    compute.OpType
	shape shapes.Shape
	in    []*node
	// data holds what else defines the operation: one of the …Data types, a slice of axes, or nil. Printed with %v it
	// identifies the operation among those with the same operands.
	data any
	// outs are the values of an operation with several of them (While, If, Sort, Call, RNGBitGenerator); each of those
	// values has op opOutput, this node as its operand, and its position as data.
	outs []*node
	fn   *function
}

// opOutput is one value of an operation that has several.
const opOutput = compute.OpTypeLast + 1

type (
	constantData struct{ bytes []byte }
	sliceData    struct{ starts, limits, strides []int }
	dotData      struct{ lhsContract, lhsBatch, rhsContract, rhsBatch []int }
	gatherData   struct {
		indexVectorAxis                                    int
		offsetOutputAxes, collapsed, startIndexMap, slices []int
	}
	scatterData struct {
		indexVectorAxis                       int
		updateWindowAxes, inserted, toOperand []int
	}
	argData struct {
		axis  int
		isMin bool
	}
	callData  struct{ fn *function }
	whileData struct{ cond, body *function }
	ifData    struct{ onTrue, onFalse *function }
	sortData  struct {
		before *function
		axis   int
		stable bool
	}
)

// builder is the backend's compute.Builder: it records graphs as they are built, with their shapes inferred and
// checked.
type builder struct {
	notimplemented.Builder
	backend  *Backend
	name     string
	main     *function
	named    map[string]*function
	nodes    int
	compiled bool
}

// Builder returns a builder for a new computation.
func (b *Backend) Builder(name string) compute.Builder {
	bld := &builder{backend: b, name: name, named: make(map[string]*function)}
	bld.main = bld.newFunction(compute.MainName, nil)
	return bld
}

func (b *builder) Name() string           { return b.name }
func (b *builder) Main() compute.Function { return b.main }

func (b *builder) NewFunction(name string) (compute.Function, error) {
	if name == "" || name == compute.MainName || b.named[name] != nil {
		return nil, errors.Errorf("function name %q is empty, reserved or taken", name)
	}
	f := b.newFunction(name, nil)
	b.named[name] = f
	return f, nil
}

func (b *builder) OpShape(v compute.Value) (shapes.Shape, error) { return b.main.Shape(v) }

func (b *builder) DeviceAssignment(devices ...compute.DeviceNum) error {
	if len(devices) != 1 || devices[0] != 0 {
		return errors.Errorf("backend %s has device 0 only, cannot assign %v", Name, devices)
	}
	return nil
}

// Compile simplifies, fuses and plans what was built. See the package comment.
func (b *builder) Compile() (compute.Executable, error) {
	if b.compiled {
		return nil, errors.Errorf("computation %q was compiled already", b.name)
	}
	if !b.main.returned {
		return nil, errors.Errorf("computation %q: main function did not return", b.name)
	}
	b.compiled = true
	return compile(b)
}

// function is the backend's compute.Function: a list of nodes in order of creation.
type function struct {
	notimplemented.Function
	builder  *builder
	name     string
	parent   *function
	params   []*node
	names    []string
	outputs  []*node
	returned bool
	nodes    []*node // operands first

	kind functionKind
	seen map[string]*node // nodes by what they compute, while simplify.go rewrites the function
}

// functionKind says how a function runs.
type functionKind int

const (
	kindMain   functionKind = iota // once
	kindLoop                       // many times: the condition or body of a While, the comparator of a Sort
	kindBranch                     // perhaps: a branch of an If
)

func (b *builder) newFunction(name string, parent *function) *function {
	f := &function{builder: b, name: name, parent: parent}
	f.ErrFn = func(op compute.OpType) error {
		return errors.Wrapf(compute.ErrNotImplemented, "backend %s: %s", Name, op)
	}
	return f
}

func (f *function) Name() string             { return f.name }
func (f *function) Builder() compute.Builder { return f.builder }

func (f *function) Parent() compute.Function {
	if f.parent == nil {
		return nil
	}
	return f.parent
}

func (f *function) Closure() (compute.Function, error) { return f.builder.newFunction("", f), nil }

func (f *function) Shape(v compute.Value) (shapes.Shape, error) {
	n, ok := v.(*node)
	if !ok || n == nil {
		return shapes.Invalid(), errors.Errorf("%T is not a value of backend %s", v, Name)
	}
	return n.shape, nil
}

// values checks operands. Which function they belong to is checked when the graph is compiled: GoMLX hangs all closures
// off the main function, so that here a loop inside a loop cannot be told from a mistake.
func (f *function) values(op compute.OpType, values ...compute.Value) ([]*node, error) {
	if f.builder.compiled || f.returned {
		return nil, errors.Errorf("%s: function %q is finished already", op, f.name)
	}
	nodes := make([]*node, len(values))
	for i, v := range values {
		n, ok := v.(*node)
		if !ok || n == nil {
			return nil, errors.Errorf("%s: operand %d is a %T, not a value of backend %s", op, i, v, Name)
		}
		if n.fn.builder != f.builder {
			return nil, errors.Errorf("%s: operand %d belongs to another computation", op, i)
		}
		nodes[i] = n
	}
	return nodes, nil
}

// add records an operation whose operands and shape are checked.
func (f *function) add(op compute.OpType, shape shapes.Shape, data any, in ...*node) *node {
	f.builder.nodes++
	n := &node{id: f.builder.nodes, op: op, shape: shape.Clone(), in: in, data: data, fn: f}
	f.nodes = append(f.nodes, n)
	return n
}

// addMulti records an operation with several values and returns these.
func (f *function) addMulti(op compute.OpType, outputs []shapes.Shape, data any, in ...*node) []*node {
	n := f.add(op, shapes.Invalid(), data, in...)
	for i, s := range outputs {
		n.outs = append(n.outs, f.add(opOutput, s, i, n))
	}
	return n.outs
}

func asValues(nodes []*node) []compute.Value {
	values := make([]compute.Value, len(nodes))
	for i, n := range nodes {
		values[i] = n
	}
	return values
}

func (f *function) Parameter(name string, shape shapes.Shape, sharding *compute.ShardingSpec) (compute.Value, error) {
	if _, err := f.values(compute.OpTypeParameter); err != nil {
		return nil, err
	}
	if sharding != nil {
		return nil, errors.Wrapf(compute.ErrNotImplemented, "backend %s: sharding of parameter %q", Name, name)
	}
	if err := checkShape(shape); err != nil {
		return nil, err
	}
	p := f.add(compute.OpTypeParameter, shape, len(f.params))
	f.params = append(f.params, p)
	f.names = append(f.names, name)
	return p, nil
}

func (f *function) Constant(flat any, dims ...int) (compute.Value, error) {
	if _, err := f.values(compute.OpTypeConstant); err != nil {
		return nil, err
	}
	t := reflect.TypeOf(flat)
	if t == nil || t.Kind() != reflect.Slice {
		return nil, errors.Errorf("Constant: %T is not a slice", flat)
	}
	shape := shapes.Make(dtypes.FromGoType(t.Elem()), dims...)
	if err := checkShape(shape); err != nil {
		return nil, err
	}
	bytes, err := flatBytes(flat, shape)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeConstant, shape, &constantData{slices.Clone(bytes)}), nil
}

func (f *function) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	nodes, err := f.values(compute.OpTypeInvalid, outputs...)
	if err != nil {
		return err
	}
	for _, s := range shardings {
		if s != nil {
			return errors.Wrapf(compute.ErrNotImplemented, "backend %s: sharding of outputs", Name)
		}
	}
	f.outputs, f.returned = nodes, true
	return nil
}

// callee checks that a function can be used by an operation, and the shapes of its parameters.
func (f *function) callee(op compute.OpType, fn compute.Function, params []shapes.Shape) (*function, error) {
	c, ok := fn.(*function)
	if !ok || c == nil || c.builder != f.builder || !c.returned {
		return nil, errors.Errorf("%s: the function given is not a finished function of this computation", op)
	}
	if len(c.params) != len(params) {
		return nil, errors.Errorf("%s: the function takes %d parameters, not %d", op, len(c.params), len(params))
	}
	for i, p := range c.params {
		if !p.shape.Equal(params[i]) {
			return nil, errors.Errorf("%s: parameter %d has shape %s, not %s", op, i, p.shape, params[i])
		}
	}
	return c, nil
}

func shapesOf(nodes []*node) []shapes.Shape {
	s := make([]shapes.Shape, len(nodes))
	for i, n := range nodes {
		s[i] = n.shape
	}
	return s
}

func isPredicate(fn *function) bool {
	return len(fn.outputs) == 1 && fn.outputs[0].shape.Equal(shapes.Make(dtypes.Bool))
}

func (f *function) Call(fn compute.Function, inputs ...compute.Value) ([]compute.Value, error) {
	in, err := f.values(compute.OpTypeCall, inputs...)
	if err != nil {
		return nil, err
	}
	c, err := f.callee(compute.OpTypeCall, fn, shapesOf(in))
	if err != nil {
		return nil, err
	}
	return asValues(f.addMulti(compute.OpTypeCall, shapesOf(c.outputs), &callData{c}, in...)), nil
}

func (f *function) While(cond, body compute.Function, initial ...compute.Value) ([]compute.Value, error) {
	in, err := f.values(compute.OpTypeWhile, initial...)
	if err != nil {
		return nil, err
	}
	state := shapesOf(in)
	c, err := f.callee(compute.OpTypeWhile, cond, state)
	if err != nil {
		return nil, errors.WithMessage(err, "condition")
	}
	b, err := f.callee(compute.OpTypeWhile, body, state)
	if err != nil {
		return nil, errors.WithMessage(err, "body")
	}
	if !isPredicate(c) {
		return nil, errors.New("While: the condition must return one boolean scalar")
	}
	if len(in) == 0 || len(b.outputs) != len(in) {
		return nil, errors.Errorf("While: the body returns %d values for a state of %d", len(b.outputs), len(in))
	}
	for i, o := range b.outputs {
		if !o.shape.Equal(state[i]) {
			return nil, errors.Errorf("While: the body returns %s as state %d, which is %s", o.shape, i, state[i])
		}
	}
	return asValues(f.addMulti(compute.OpTypeWhile, state, &whileData{c, b}, in...)), nil
}

func (f *function) If(pred compute.Value, onTrue, onFalse compute.Function) ([]compute.Value, error) {
	in, err := f.values(compute.OpTypeIf, pred)
	if err != nil {
		return nil, err
	}
	if !in[0].shape.Equal(shapes.Make(dtypes.Bool)) {
		return nil, errors.Errorf("If: the predicate must be a boolean scalar, not %s", in[0].shape)
	}
	t, err := f.callee(compute.OpTypeIf, onTrue, nil)
	if err != nil {
		return nil, err
	}
	e, err := f.callee(compute.OpTypeIf, onFalse, nil)
	if err != nil {
		return nil, err
	}
	outputs := shapesOf(t.outputs)
	if !slices.EqualFunc(outputs, shapesOf(e.outputs), shapes.Shape.Equal) {
		return nil, errors.Errorf("If: the branches return %v and %v", outputs, shapesOf(e.outputs))
	}
	return asValues(f.addMulti(compute.OpTypeIf, outputs, &ifData{t, e}, in[0])), nil
}

// Sort calls its comparator with (lhs 0, rhs 0, lhs 1, rhs 1, …), as GoMLX's other backends do.
func (f *function) Sort(comparator compute.Function, axis int, stable bool, inputs ...compute.Value) (
	[]compute.Value, error) {
	in, err := f.values(compute.OpTypeSort, inputs...)
	if err != nil {
		return nil, err
	}
	if len(in) == 0 {
		return nil, errors.New("Sort: nothing to sort")
	}
	var params []shapes.Shape
	for _, n := range in {
		if !n.shape.EqualDimensions(in[0].shape) {
			return nil, errors.Errorf("Sort: dimensions differ: %s and %s", in[0].shape, n.shape)
		}
		params = append(params, shapes.Make(n.shape.DType), shapes.Make(n.shape.DType))
	}
	rank := in[0].shape.Rank()
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		return nil, errors.Errorf("Sort: axis %d of rank %d", axis, rank)
	}
	c, err := f.callee(compute.OpTypeSort, comparator, params)
	if err != nil {
		return nil, err
	}
	if !isPredicate(c) {
		return nil, errors.New("Sort: the comparator must return one boolean scalar")
	}
	return asValues(f.addMulti(compute.OpTypeSort, shapesOf(in), &sortData{c, axis, stable}, in...)), nil
}

// half reports the types that are computed with as float32 and only stored in 16 bits.
func half(d dtypes.DType) bool { return d == dtypes.Float16 || d == dtypes.BFloat16 }

// wide converts 16-bit floats to float32.
func (f *function) wide(n *node) *node {
	if half(n.shape.DType) {
		return f.convert(n, dtypes.Float32)
	}
	return n
}

func (f *function) convert(n *node, to dtypes.DType) *node {
	from := n.shape.DType
	if from == to {
		return n
	}
	if half(to) && from != dtypes.Float32 || half(from) && to != dtypes.Float32 {
		return f.convert(f.convert(n, dtypes.Float32), to)
	}
	s := n.shape.Clone()
	s.DType = to
	return f.add(compute.OpTypeConvertDType, s, nil, n)
}

// broadcast repeats n to the given dimensions, by the rule of binary operations: n is a scalar, or has axes of size 1.
func (f *function) broadcast(n *node, dims []int) *node {
	if slices.Equal(n.shape.Dimensions, dims) {
		return n
	}
	axes := make([]int, n.shape.Rank())
	for i := range axes {
		axes[i] = i
	}
	return f.add(compute.OpTypeBroadcastInDim, shapes.Make(n.shape.DType, dims...), axes, n)
}

// elementwise adds an operation on operands of the output's dimensions, in float32 where the type has 16 bits.
func (f *function) elementwise(op compute.OpType, output shapes.Shape, in ...*node) *node {
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

func (f *function) unary(op compute.OpType, x compute.Value) (compute.Value, error) {
	in, err := f.values(op, x)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.UnaryOp(op, in[0].shape)
	if err != nil {
		return nil, err
	}
	return f.elementwise(op, s, in...), nil
}

func (f *function) binary(op compute.OpType, lhs, rhs compute.Value) (compute.Value, error) {
	in, err := f.values(op, lhs, rhs)
	if err != nil {
		return nil, err
	}
	infer := shapeinference.BinaryOp
	if shapeinference.ComparisonOperations.Has(op) {
		infer = shapeinference.ComparisonOp
	}
	s, err := infer(op, in[0].shape, in[1].shape)
	if err != nil {
		return nil, err
	}
	return f.elementwise(op, s, in...), nil
}

func (f *function) predicate(op compute.OpType, x compute.Value) (compute.Value, error) {
	in, err := f.values(op, x)
	if err != nil {
		return nil, err
	}
	if !in[0].shape.DType.IsFloat() {
		return nil, errors.Errorf("%s: %s is not of floating point", op, in[0].shape)
	}
	return f.elementwise(op, shapes.Make(dtypes.Bool, in[0].shape.Dimensions...), in[0]), nil
}

func (f *function) Abs(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeAbs, x) }
func (f *function) Ceil(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeCeil, x)
}
func (f *function) Clz(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeClz, x) }
func (f *function) Cos(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeCos, x) }
func (f *function) Erf(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeErf, x) }
func (f *function) Exp(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeExp, x) }
func (f *function) Log(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeLog, x) }
func (f *function) Neg(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeNeg, x) }
func (f *function) Sin(x compute.Value) (compute.Value, error) { return f.unary(compute.OpTypeSin, x) }
func (f *function) Expm1(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeExpm1, x)
}
func (f *function) Floor(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeFloor, x)
}
func (f *function) Log1p(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLog1p, x)
}
func (f *function) Round(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeRound, x)
}
func (f *function) Rsqrt(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeRsqrt, x)
}
func (f *function) Sign(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSign, x)
}
func (f *function) Sqrt(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSqrt, x)
}
func (f *function) Tanh(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeTanh, x)
}
func (f *function) BitCount(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeBitCount, x)
}
func (f *function) BitwiseNot(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeBitwiseNot, x)
}
func (f *function) LogicalNot(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLogicalNot, x)
}
func (f *function) Logistic(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLogistic, x)
}
func (f *function) IsFinite(x compute.Value) (compute.Value, error) {
	return f.predicate(compute.OpTypeIsFinite, x)
}
func (f *function) IsNaN(x compute.Value) (compute.Value, error) {
	return f.predicate(compute.OpTypeIsNaN, x)
}

func (f *function) Add(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeAdd, l, r)
}
func (f *function) Sub(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeSub, l, r)
}
func (f *function) Mul(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMul, l, r)
}
func (f *function) Div(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeDiv, l, r)
}
func (f *function) Rem(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeRem, l, r)
}
func (f *function) Pow(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypePow, l, r)
}
func (f *function) Max(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMax, l, r)
}
func (f *function) Min(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMin, l, r)
}
func (f *function) Atan2(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeAtan2, l, r)
}
func (f *function) BitwiseAnd(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseAnd, l, r)
}
func (f *function) BitwiseOr(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseOr, l, r)
}
func (f *function) BitwiseXor(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseXor, l, r)
}
func (f *function) LogicalAnd(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalAnd, l, r)
}
func (f *function) LogicalOr(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalOr, l, r)
}
func (f *function) LogicalXor(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalXor, l, r)
}
func (f *function) ShiftLeft(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftLeft, l, r)
}
func (f *function) ShiftRightArithmetic(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftRightArithmetic, l, r)
}
func (f *function) ShiftRightLogical(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftRightLogical, l, r)
}
func (f *function) Equal(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeEqual, l, r)
}
func (f *function) LessThan(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLessThan, l, r)
}
func (f *function) LessOrEqual(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLessOrEqual, l, r)
}
func (f *function) GreaterThan(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeGreaterThan, l, r)
}
func (f *function) GreaterOrEqual(l, r compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeGreaterOrEqual, l, r)
}

func (f *function) NotEqual(l, r compute.Value) (compute.Value, error) {
	// shapeinference has NotEqual among the comparisons but accepts Equal only.
	equal, err := f.binary(compute.OpTypeEqual, l, r)
	if err != nil {
		return nil, err
	}
	return f.LogicalNot(equal)
}

func (f *function) Clamp(lo, x, hi compute.Value) (compute.Value, error) {
	v, err := f.Max(x, lo)
	if err != nil {
		return nil, err
	}
	return f.Min(v, hi)
}

func (f *function) Where(cond, onTrue, onFalse compute.Value) (compute.Value, error) {
	in, err := f.values(compute.OpTypeWhere, cond, onTrue, onFalse)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.Where(in[0].shape, in[1].shape, in[2].shape)
	if err != nil {
		return nil, err
	}
	for i := range in {
		in[i] = f.broadcast(in[i], s.Dimensions)
	}
	return f.add(compute.OpTypeWhere, s, nil, in...), nil
}

func (f *function) ConvertDType(x compute.Value, dtype dtypes.DType) (compute.Value, error) {
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
func (f *function) identity(n *node) *node {
	return f.add(compute.OpTypeOptimizationBarrier, n.shape, nil, n)
}

func (f *function) Identity(x compute.Value) (compute.Value, error) {
	in, err := f.values(compute.OpTypeIdentity, x)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeIdentity, in[0].shape, nil, in[0]), nil
}

func (f *function) OptimizationBarrier(operands ...compute.Value) ([]compute.Value, error) {
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
func (f *function) SchedulingBarrier(operand compute.Value, dependencies ...compute.Value) (compute.Value, error) {
	in, err := f.values(compute.OpTypeSchedulingBarrier, append([]compute.Value{operand}, dependencies...)...)
	if err != nil {
		return nil, err
	}
	return f.identity(in[0]), nil
}

func (f *function) Iota(shape shapes.Shape, axis int) (compute.Value, error) {
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

func (f *function) Reshape(x compute.Value, dims ...int) (compute.Value, error) {
	in, err := f.values(compute.OpTypeReshape, x)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.Reshape(in[0].shape, dims)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeReshape, s, nil, in[0]), nil
}

func (f *function) BroadcastInDim(x compute.Value, output shapes.Shape, axes []int) (compute.Value, error) {
	in, err := f.values(compute.OpTypeBroadcastInDim, x)
	if err != nil {
		return nil, err
	}
	if err := shapeinference.BroadcastInDim(in[0].shape, output, axes, nil); err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeBroadcastInDim, output, slices.Clone(axes), in[0]), nil
}

func (f *function) Transpose(x compute.Value, permutation ...int) (compute.Value, error) {
	in, err := f.values(compute.OpTypeTranspose, x)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.Transpose(in[0].shape, permutation)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeTranspose, s, slices.Clone(permutation), in[0]), nil
}

func (f *function) Slice(x compute.Value, starts, limits, strides []int) (compute.Value, error) {
	in, err := f.values(compute.OpTypeSlice, x)
	if err != nil {
		return nil, err
	}
	if len(strides) == 0 {
		strides = slices.Repeat([]int{1}, len(starts))
	}
	s, err := shapeinference.Slice(in[0].shape, starts, limits, strides)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeSlice, s, sliceData{slices.Clone(starts), slices.Clone(limits), slices.Clone(strides)},
		in[0]), nil
}

func (f *function) Reverse(x compute.Value, axes ...int) (compute.Value, error) {
	in, err := f.values(compute.OpTypeReverse, x)
	if err != nil {
		return nil, err
	}
	for _, a := range axes {
		if a < 0 || a >= in[0].shape.Rank() {
			return nil, errors.Errorf("Reverse: axis %d of shape %s", a, in[0].shape)
		}
	}
	return f.add(compute.OpTypeReverse, in[0].shape, slices.Clone(axes), in[0]), nil
}

// checkStarts checks the start indices of dynamic slices.
func checkStarts(op compute.OpType, operand *node, starts []*node) error {
	if len(starts) != operand.shape.Rank() {
		return errors.Errorf("%s: %d start indices for shape %s", op, len(starts), operand.shape)
	}
	for _, s := range starts {
		if !s.shape.IsScalar() || !s.shape.DType.IsInt() {
			return errors.Errorf("%s: start index of shape %s, expected an integer scalar", op, s.shape)
		}
	}
	return nil
}

func (f *function) DynamicSlice(operand compute.Value, starts []compute.Value, dims []int) (compute.Value, error) {
	in, err := f.values(compute.OpTypeDynamicSlice, append([]compute.Value{operand}, starts...)...)
	if err != nil {
		return nil, err
	}
	if err := checkStarts(compute.OpTypeDynamicSlice, in[0], in[1:]); err != nil {
		return nil, err
	}
	s, err := shapeinference.DynamicSlice(in[0].shape, dims)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeDynamicSlice, s, nil, in...), nil
}

func (f *function) DynamicUpdateSlice(operand, update compute.Value, starts []compute.Value) (compute.Value, error) {
	in, err := f.values(compute.OpTypeDynamicUpdateSlice, append([]compute.Value{operand, update}, starts...)...)
	if err != nil {
		return nil, err
	}
	if err := checkStarts(compute.OpTypeDynamicUpdateSlice, in[0], in[2:]); err != nil {
		return nil, err
	}
	s, err := shapeinference.DynamicUpdateSlice(in[0].shape, in[1].shape)
	if err != nil {
		return nil, err
	}
	for i, d := range in[1].shape.Dimensions {
		if d > s.Dimensions[i] {
			return nil, errors.Errorf("DynamicUpdateSlice: %s does not fit into %s", in[1].shape, s)
		}
	}
	return f.add(compute.OpTypeDynamicUpdateSlice, s, nil, in...), nil
}

func (f *function) Pad(x, fill compute.Value, axes ...compute.PadAxis) (compute.Value, error) {
	in, err := f.values(compute.OpTypePad, x, fill)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.Pad(in[0].shape, axes...)
	if err != nil {
		return nil, err
	}
	if !in[1].shape.Equal(shapes.Make(s.DType)) {
		return nil, errors.Errorf("Pad: fill value %s for %s", in[1].shape, s)
	}
	padding := make([]compute.PadAxis, s.Rank())
	copy(padding, axes)
	return f.add(compute.OpTypePad, s, padding, in...), nil
}

func (f *function) Concatenate(axis int, operands ...compute.Value) (compute.Value, error) {
	in, err := f.values(compute.OpTypeConcatenate, operands...)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.Concatenate(shapesOf(in), axis)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeConcatenate, s, axis, in...), nil
}

func (f *function) Bitcast(x compute.Value, dtype dtypes.DType) (compute.Value, error) {
	in, err := f.values(compute.OpTypeBitcast, x)
	if err != nil {
		return nil, err
	}
	if err := checkShape(shapes.Make(dtype)); err != nil {
		return nil, err
	}
	s, err := shapeinference.Bitcast(in[0].shape, dtype)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeBitcast, s, nil, in[0]), nil
}

func (f *function) reduce(op compute.OpType, x compute.Value, axes []int) (compute.Value, error) {
	in, err := f.values(op, x)
	if err != nil {
		return nil, err
	}
	axes = slices.Clone(axes)
	if len(axes) == 0 {
		for a := range in[0].shape.Rank() {
			axes = append(axes, a)
		}
	}
	slices.Sort(axes)
	s, err := shapeinference.Reduce(in[0].shape, axes)
	if err != nil {
		return nil, err
	}
	w := f.wide(in[0])
	s.DType = w.shape.DType
	return f.convert(f.add(op, s, axes, w), in[0].shape.DType), nil
}

func (f *function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceSum, x, axes)
}
func (f *function) ReduceProduct(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceProduct, x, axes)
}
func (f *function) ReduceMax(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceMax, x, axes)
}
func (f *function) ReduceMin(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceMin, x, axes)
}
func (f *function) ReduceLogicalAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceLogicalAnd, x, axes)
}
func (f *function) ReduceLogicalOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceLogicalOr, x, axes)
}
func (f *function) ReduceLogicalXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceLogicalXor, x, axes)
}
func (f *function) ReduceBitwiseAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseAnd, x, axes)
}
func (f *function) ReduceBitwiseOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseOr, x, axes)
}
func (f *function) ReduceBitwiseXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(compute.OpTypeReduceBitwiseXor, x, axes)
}

func (f *function) ArgMinMax(x compute.Value, axis int, dtype dtypes.DType, isMin bool) (compute.Value, error) {
	in, err := f.values(compute.OpTypeArgMinMax, x)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.ArgMinMax(in[0].shape, axis, dtype)
	if err != nil {
		return nil, err
	}
	if axis < 0 {
		axis += in[0].shape.Rank()
	}
	s.DType = dtypes.Int64
	return f.convert(f.add(compute.OpTypeArgMinMax, s, argData{axis, isMin}, f.wide(in[0])), dtype), nil
}

func (f *function) DotGeneral(lhs compute.Value, lhsContract, lhsBatch []int, rhs compute.Value,
	rhsContract, rhsBatch []int,
	config compute.DotGeneralConfig) (compute.Value, error) {
	in, err := f.values(compute.OpTypeDotGeneral, lhs, rhs)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.DotGeneral(in[0].shape, lhsContract, lhsBatch, in[1].shape, rhsContract, rhsBatch, config)
	if err != nil {
		return nil, err
	}
	accumulator := config.AccumulatorDType
	if accumulator == dtypes.InvalidDType {
		accumulator = in[0].shape.DType
	}
	if half(accumulator) {
		accumulator = dtypes.Float32
	}
	output := s.DType
	s.DType = accumulator
	dot := f.add(compute.OpTypeDotGeneral, s,
		dotData{slices.Clone(lhsContract), slices.Clone(lhsBatch), slices.Clone(rhsContract), slices.Clone(rhsBatch)},
		f.convert(in[0], accumulator), f.convert(in[1], accumulator))
	return f.convert(dot, output), nil
}

func (f *function) Gather(operand, indices compute.Value, indexVectorAxis int,
	offsetOutputAxes, collapsedSliceAxes, startIndexMap, sliceSizes []int, sorted bool) (compute.Value, error) {
	in, err := f.values(compute.OpTypeGather, operand, indices)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.Gather(in[0].shape, in[1].shape, indexVectorAxis, offsetOutputAxes, collapsedSliceAxes,
		startIndexMap, sliceSizes, sorted)
	if err != nil {
		return nil, err
	}
	return f.add(compute.OpTypeGather, s, gatherData{indexVectorAxis, slices.Clone(offsetOutputAxes),
		slices.Clone(collapsedSliceAxes), slices.Clone(startIndexMap), slices.Clone(sliceSizes)}, in...), nil
}

func (f *function) scatter(op compute.OpType, operand, indices, updates compute.Value, indexVectorAxis int,
	updateWindowAxes, insertedWindowAxes, scatterAxesToOperandAxes []int) (compute.Value, error) {
	in, err := f.values(op, operand, indices, updates)
	if err != nil {
		return nil, err
	}
	s, err := shapeinference.Scatter(in[0].shape, in[1].shape, in[2].shape, indexVectorAxis, updateWindowAxes,
		insertedWindowAxes, scatterAxesToOperandAxes)
	if err != nil {
		return nil, err
	}
	dtype := s.DType
	s = s.Clone()
	in[0], in[2] = f.wide(in[0]), f.wide(in[2])
	s.DType = in[0].shape.DType
	return f.convert(f.add(op, s, scatterData{indexVectorAxis, slices.Clone(updateWindowAxes),
		slices.Clone(insertedWindowAxes), slices.Clone(scatterAxesToOperandAxes)}, in...), dtype), nil
}

func (f *function) ScatterSum(operand, indices, updates compute.Value, indexVectorAxis int,
	updateWindowAxes, insertedWindowAxes, scatterAxesToOperandAxes []int, _, _ bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterSum, operand, indices, updates, indexVectorAxis, updateWindowAxes,
		insertedWindowAxes, scatterAxesToOperandAxes)
}

func (f *function) ScatterMax(operand, indices, updates compute.Value, indexVectorAxis int,
	updateWindowAxes, insertedWindowAxes, scatterAxesToOperandAxes []int, _, _ bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterMax, operand, indices, updates, indexVectorAxis, updateWindowAxes,
		insertedWindowAxes, scatterAxesToOperandAxes)
}

func (f *function) ScatterMin(operand, indices, updates compute.Value, indexVectorAxis int,
	updateWindowAxes, insertedWindowAxes, scatterAxesToOperandAxes []int, _, _ bool) (compute.Value, error) {
	return f.scatter(compute.OpTypeScatterMin, operand, indices, updates, indexVectorAxis, updateWindowAxes,
		insertedWindowAxes, scatterAxesToOperandAxes)
}

func (f *function) RNGBitGenerator(state compute.Value, shape shapes.Shape) (compute.Value, compute.Value, error) {
	in, err := f.values(compute.OpTypeRNGBitGenerator, state)
	if err != nil {
		return nil, nil, err
	}
	if !in[0].shape.Equal(compute.RNGStateShape) {
		return nil, nil, errors.Errorf("RNGBitGenerator: state %s, expected %s", in[0].shape, compute.RNGStateShape)
	}
	if err := checkShape(shape); err != nil {
		return nil, nil, err
	}
	outs := f.addMulti(compute.OpTypeRNGBitGenerator, []shapes.Shape{compute.RNGStateShape, shape}, nil, in[0])
	return outs[0], outs[1], nil
}
