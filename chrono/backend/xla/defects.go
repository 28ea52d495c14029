//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package xla

import (
	"reflect"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/internal/wrap"
)

// Two defects of go-xla v0.4.5, which every loop over time meets, and the ways round them. Where TestLoops and
// TestBranches pass without one half of this file, its defect is mended, and it can go.
//
// Defect 1 (stablehlo/ops.go, binaryOp): in a closure, a binary operation refuses an operand from the
// function around it: "cannot add operation … because the operands are not part of the function". StableHLO allows it,
// and go-xla's other operations do it. Return refuses such values too.
//
// The way round: the value is brought into the closure first, by Where(true, value, value), which takes operands from
// around. XLA drops it when it reads the graph, before it optimizes anything.
//
// go-xla does not tell which function a value belongs to. Known to be a closure's own are its parameters, its constants
// and what binary operations make of them in it. Whatever else a binary operation gets is brought in, once.
//
// Defect 2 (compute/xla/ops_reduce.go, getReductionFn and two like it): the function that adds two
// numbers, say, is made once for the whole computation, and belongs to the function that was first to reduce. A
// reduction of the same kind in any other is refused: "reductionFn is not a StableHLO closure of …". Operations that
// scatter reduce, too.
//
// The way round: go-xla's caches of such functions are exchanged for empty ones while a closure or another function is
// built, which GoMLX does from its beginning to its end. They are not exported; a version of go-xla that has none of
// these names needs no exchange, or has the error again, which TestLoops tells.

var caches = []string{"cacheReductions", "cacheArgMinMax", "cacheSelections"}

// function is go-xla's, with both ways round.
type function struct {
	*wrap.Function
	end func() // of beginReductions

	// Of a closure: for values that it used, the same value as one of its own. What is its own stands for itself.
	inside map[value]value
	always value // the constant true
}

func newFunction(f *wrap.Function) compute.Function {
	return &function{Function: f, end: beginReductions(f), inside: make(map[value]value)}
}

// beginReductions empties go-xla's caches for a new function, and returns what puts them back.
func beginReductions(f *wrap.Function) (end func()) {
	var restore []func()
	plain := reflect.ValueOf(wrap.Plain(f).Builder()).Elem()
	for _, name := range caches {
		if field := plain.FieldByName(name); field.IsValid() {
			field = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
			before := reflect.ValueOf(field.Interface())
			field.Set(reflect.MakeMap(field.Type()))
			restore = append(restore, func() { field.Set(before) })
		}
	}
	return func() {
		for _, put := range restore {
			put()
		}
	}
}

// own notes that a new value belongs to f.
func (f *function) own(v value, err error) (value, error) {
	if err == nil && f.Parent() != nil {
		f.inside[v] = v
	}
	return v, err
}

// bring returns the values as f's own.
func (f *function) bring(values ...value) ([]value, error) {
	if f.Parent() == nil {
		return values, nil
	}
	own := make([]value, len(values))
	for i, v := range values {
		if own[i] = f.inside[v]; own[i] != nil {
			continue
		}
		if f.always == nil {
			always, err := f.Constant([]bool{true})
			if err != nil {
				return nil, err
			}
			f.always = always
		}
		inside, err := f.own(f.Where(f.always, v, v))
		if err != nil {
			return nil, err
		}
		f.inside[v], own[i] = inside, inside
	}
	return own, nil
}

func (f *function) Parameter(name string, s shapes.Shape, sharding *compute.ShardingSpec) (value, error) {
	return f.own(f.Function.Parameter(name, s, sharding))
}

func (f *function) Constant(flat any, dims ...int) (value, error) {
	return f.own(f.Function.Constant(flat, dims...))
}

func (f *function) Return(outputs []value, shardings []*compute.ShardingSpec) error {
	own, err := f.bring(outputs...)
	if err != nil {
		return err
	}
	f.end()
	return f.Function.Return(own, shardings)
}

// SchedulingBarrier implements compute.Function. go-xla makes it of binary operations.
func (f *function) SchedulingBarrier(x value, after ...value) (value, error) {
	own, err := f.bring(append([]value{x}, after...)...)
	if err != nil {
		return nil, err
	}
	return f.Function.SchedulingBarrier(own[0], own[1:]...)
}

// DotGeneral implements compute.Function. go-xla puts a SchedulingBarrier before it for some types.
func (f *function) DotGeneral(a value, aContracted, aBatch []int, b value, bContracted, bBatch []int,
	config compute.DotGeneralConfig) (value, error) {
	own, err := f.bring(a, b)
	if err != nil {
		return nil, err
	}
	return f.own(f.Function.DotGeneral(own[0], aContracted, aBatch, own[1], bContracted, bBatch, config))
}

// binary is a binary operation of go-xla's, on operands that are f's own.
func (f *function) binary(op func(a, b value) (value, error), a, b value) (value, error) {
	own, err := f.bring(a, b)
	if err != nil {
		return nil, err
	}
	return f.own(op(own[0], own[1]))
}

func (f *function) Add(a, b value) (value, error)   { return f.binary(f.Function.Add, a, b) }
func (f *function) Sub(a, b value) (value, error)   { return f.binary(f.Function.Sub, a, b) }
func (f *function) Mul(a, b value) (value, error)   { return f.binary(f.Function.Mul, a, b) }
func (f *function) Div(a, b value) (value, error)   { return f.binary(f.Function.Div, a, b) }
func (f *function) Rem(a, b value) (value, error)   { return f.binary(f.Function.Rem, a, b) }
func (f *function) Pow(a, b value) (value, error)   { return f.binary(f.Function.Pow, a, b) }
func (f *function) Max(a, b value) (value, error)   { return f.binary(f.Function.Max, a, b) }
func (f *function) Min(a, b value) (value, error)   { return f.binary(f.Function.Min, a, b) }
func (f *function) Atan2(a, b value) (value, error) { return f.binary(f.Function.Atan2, a, b) }
func (f *function) BitwiseAnd(a, b value) (value, error) {
	return f.binary(f.Function.BitwiseAnd, a, b)
}
func (f *function) BitwiseOr(a, b value) (value, error) { return f.binary(f.Function.BitwiseOr, a, b) }
func (f *function) BitwiseXor(a, b value) (value, error) {
	return f.binary(f.Function.BitwiseXor, a, b)
}
func (f *function) LogicalAnd(a, b value) (value, error) {
	return f.binary(f.Function.LogicalAnd, a, b)
}
func (f *function) LogicalOr(a, b value) (value, error) { return f.binary(f.Function.LogicalOr, a, b) }
func (f *function) LogicalXor(a, b value) (value, error) {
	return f.binary(f.Function.LogicalXor, a, b)
}
func (f *function) ShiftLeft(a, b value) (value, error) { return f.binary(f.Function.ShiftLeft, a, b) }
func (f *function) ShiftRightArithmetic(a, b value) (value, error) {
	return f.binary(f.Function.ShiftRightArithmetic, a, b)
}
func (f *function) ShiftRightLogical(a, b value) (value, error) {
	return f.binary(f.Function.ShiftRightLogical, a, b)
}
