package simd

import (
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// builder is the backend's compute.Builder: it records graphs as they are built, with their shapes inferred and
// checked.
type builder struct {
	notimplemented.Builder
	backend  *Backend
	name     string
	main     *function
	named    map[string]*function
	graph    ir.Graph
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

func (b *builder) OpShape(v value) (shapes.Shape, error) { return b.main.Shape(v) }

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
	e := &executable{backend: b.backend, names: b.main.names, inputs: ir.ShapesOf(b.main.graph.Params),
		outputs: ir.ShapesOf(b.main.graph.Outputs)}
	if err := ir.Catch(func() { e.program = b.stages() }); err != nil {
		return nil, errors.WithMessagef(err, "computation %q", b.name)
	}
	return e, nil
}

// function is the backend's compute.Function: it checks what it is given and adds it to a function of the graph.
type function struct {
	notimplemented.Function
	graph    *ir.Function
	builder  *builder
	name     string
	parent   *function
	names    []string
	returned bool
}

func (b *builder) newFunction(name string, parent *function) *function {
	f := &function{graph: &ir.Function{Graph: &b.graph}, builder: b, name: name, parent: parent}
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

func (f *function) Shape(v value) (shapes.Shape, error) {
	n, ok := v.(*ir.Node)
	if !ok || n == nil {
		return shapes.Invalid(), errors.Errorf("%T is not a value of backend %s", v, Name)
	}
	return n.Shape, nil
}

// values checks operands. Which function they belong to is checked when the graph is compiled: GoMLX hangs all closures
// off the main function, so that here a loop inside a loop cannot be told from a mistake.
func (f *function) values(op compute.OpType, values []value) []*ir.Node {
	if f.builder.compiled || f.returned {
		ir.Fail("%s: function %q is finished already", op, f.name)
	}
	nodes := make([]*ir.Node, len(values))
	for i, v := range values {
		n, ok := v.(*ir.Node)
		if !ok || n == nil {
			ir.Fail("%s: operand %d is a %T, not a value of backend %s", op, i, v, Name)
		}
		if n.Fn.Graph != &f.builder.graph {
			ir.Fail("%s: operand %d belongs to another computation", op, i)
		}
		nodes[i] = n
	}
	return nodes
}

// add checks a shape, and records an operation whose operands are checked.
func (f *function) add(op compute.OpType, shape shapes.Shape, data any, in ...*ir.Node) *ir.Node {
	ir.Check(checkShape(shape))
	shape = shape.Clone()
	if !slices.ContainsFunc(shape.AxisNames, func(name string) bool { return name != "" }) {
		shape.AxisNames = nil // shapeinference gives some shapes empty names
	}
	return f.graph.Add(op, shape, data, in...)
}

// addMulti records an operation with several values and returns these.
func (f *function) addMulti(op compute.OpType, outputs []shapes.Shape, data any, inner []*ir.Function,
	in ...*ir.Node) []*ir.Node {
	n := f.graph.Add(op, shapes.Invalid(), data, in...)
	n.Inner = inner
	for i, s := range outputs {
		n.Outs = append(n.Outs, f.add(ir.OpOutput, s, i, n))
	}
	return n.Outs
}

// record checks the operands of an operation and returns what build makes of them, or the error that it fails with.
func (f *function) record(op compute.OpType, build func(in []*ir.Node) *ir.Node, operands ...value) (
	result value, err error) {
	err = ir.Catch(func() { result = build(f.values(op, operands)) })
	return result, err
}

// recordMulti is record for several values.
func (f *function) recordMulti(op compute.OpType, build func(in []*ir.Node) []*ir.Node, operands ...value) (
	results []value, err error) {
	err = ir.Catch(func() {
		for _, n := range build(f.values(op, operands)) {
			results = append(results, n)
		}
	})
	return results, err
}

// infer records an operation with the shape that inference finds.
func (f *function) infer(op compute.OpType, data any, inference func(in []*ir.Node) (shapes.Shape, error),
	operands ...value) (value, error) {
	return f.record(op, func(in []*ir.Node) *ir.Node {
		s := ir.Must(inference(in))
		if element.Is(op) {
			return f.elementwise(op, s, in...)
		}
		return f.add(op, s, data, in...)
	}, operands...)
}

func (f *function) Parameter(name string, shape shapes.Shape, sharding *compute.ShardingSpec) (value, error) {
	return f.record(compute.OpTypeParameter, func([]*ir.Node) *ir.Node {
		if sharding != nil {
			ir.NotImplemented("sharding of parameter %q", name)
		}
		p := f.add(compute.OpTypeParameter, shape, len(f.graph.Params))
		f.graph.Params = append(f.graph.Params, p)
		f.names = append(f.names, name)
		return p
	})
}

func (f *function) Constant(flat any, dims ...int) (value, error) {
	return f.record(compute.OpTypeConstant, func([]*ir.Node) *ir.Node {
		t := reflect.TypeOf(flat)
		if t == nil || t.Kind() != reflect.Slice {
			ir.Fail("Constant: %T is not a slice", flat)
		}
		shape := shapes.Make(dtypes.FromGoType(t.Elem()), dims...)
		bytes := ir.Must(flatBytes(flat, shape))
		return f.add(compute.OpTypeConstant, shape, &ir.ConstantData{Bytes: slices.Clone(bytes)})
	})
}

func (f *function) Return(outputs []value, shardings []*compute.ShardingSpec) error {
	return ir.Catch(func() {
		nodes := f.values(compute.OpTypeInvalid, outputs)
		if slices.ContainsFunc(shardings, func(s *compute.ShardingSpec) bool { return s != nil }) {
			ir.NotImplemented("sharding of outputs")
		}
		f.graph.Outputs, f.returned = nodes, true
	})
}

// callee checks that a function can be used by an operation, and the shapes of its parameters.
func (f *function) callee(op string, fn compute.Function, params []shapes.Shape) *ir.Function {
	c, ok := fn.(*function)
	if !ok || c == nil || c.builder != f.builder || !c.returned {
		ir.Fail("%s: the function given is not a finished function of this computation", op)
	}
	if len(c.graph.Params) != len(params) {
		ir.Fail("%s: the function takes %d parameters, not %d", op, len(c.graph.Params), len(params))
	}
	for i, p := range c.graph.Params {
		if !p.Shape.Equal(params[i]) {
			ir.Fail("%s: parameter %d has shape %s, not %s", op, i, p.Shape, params[i])
		}
	}
	return c.graph
}

func isPredicate(fn *ir.Function) bool {
	return len(fn.Outputs) == 1 && fn.Outputs[0].Shape.Equal(shapes.Make(dtypes.Bool))
}

func (f *function) Call(fn compute.Function, inputs ...value) ([]value, error) {
	return f.recordMulti(compute.OpTypeCall, func(in []*ir.Node) []*ir.Node {
		c := f.callee("Call", fn, ir.ShapesOf(in))
		return f.addMulti(compute.OpTypeCall, ir.ShapesOf(c.Outputs), c, nil, in...)
	}, inputs...)
}

func (f *function) While(cond, body compute.Function, initial ...value) ([]value, error) {
	return f.recordMulti(compute.OpTypeWhile, func(in []*ir.Node) []*ir.Node {
		state := ir.ShapesOf(in)
		c, b := f.callee("condition: While", cond, state), f.callee("body: While", body, state)
		if !isPredicate(c) {
			ir.Fail("While: the condition must return one boolean scalar")
		}
		if len(in) == 0 || len(b.Outputs) != len(in) {
			ir.Fail("While: the body returns %d values for a state of %d", len(b.Outputs), len(in))
		}
		for i, o := range b.Outputs {
			if !o.Shape.Equal(state[i]) {
				ir.Fail("While: the body returns %s as state %d, which is %s", o.Shape, i, state[i])
			}
		}
		return f.addMulti(compute.OpTypeWhile, state, nil, []*ir.Function{c, b}, in...)
	}, initial...)
}

func (f *function) If(pred value, onTrue, onFalse compute.Function) ([]value, error) {
	return f.recordMulti(compute.OpTypeIf, func(in []*ir.Node) []*ir.Node {
		if !in[0].Shape.Equal(shapes.Make(dtypes.Bool)) {
			ir.Fail("If: the predicate must be a boolean scalar, not %s", in[0].Shape)
		}
		t, e := f.callee("If", onTrue, nil), f.callee("If", onFalse, nil)
		outputs := ir.ShapesOf(t.Outputs)
		if !slices.EqualFunc(outputs, ir.ShapesOf(e.Outputs), shapes.Shape.Equal) {
			ir.Fail("If: the branches return %v and %v", outputs, ir.ShapesOf(e.Outputs))
		}
		return f.addMulti(compute.OpTypeIf, outputs, nil, []*ir.Function{t, e}, in[0])
	}, pred)
}
