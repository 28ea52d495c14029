package exec

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/irtest"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
	"github.com/warptime/warptime/internal/check"
)

// An operation is in one of the tables of how it is computed, and the ones of our own have names.
func TestOperations(t *testing.T) {
	for op := compute.OpTypeInvalid + 1; op < element.End; op++ {
		own := op > compute.OpTypeLast && (op <= ir.OpPack || op >= element.OpTanhGrad)
		if op > compute.OpTypeLast && !own {
			continue
		}
		check.That(t, !own || ir.Name(op) != op.String(), "operation %d has no name", op)
		o, ways := ir.Operations[op], 0
		for _, is := range []bool{o.Gone, o.View != nil, element.Is(op), Computes(op), op == ir.OpOutput} {
			ways += element.Bit(is)
		}
		check.That(t, ways <= 1 && (!own || ways != 0), "%s: there are %d ways to compute it", ir.Name(op), ways)
		check.That(t, ways != 0 || o.Ordered == nil && !o.Overwrites && !o.AnyStrides,
			"%s: nothing computes it, but there is something to know of it", ir.Name(op))
		check.That(t, stepsOf[op] == nil || typedSteps[op] == nil,
			"%s: it has steps for all types, and others for some", ir.Name(op))
	}
}

// A product in a loop fetches what the next group reads of a sequence: this iteration's rows; or, if the group comes
// first in the loop, those of the next iteration, by how far it moved in the last.
func TestFetch(t *testing.T) {
	const productFirst = `
		    s f32[1,1,2,4] = dynamicSlice xs i zero zero zero
		    x f32[1,2,4] = reshape s
		    p f32[1,2,4] = dot a w
		    b f32[1,2,4] = mul p x
		    c f32[1,2,4] = add a b`
	for name, test := range map[string]struct {
		xs, body string
		ahead    int // iterations
	}{
		"next group":                 {"[3,1,2,4]", productFirst, 0},
		"rows that are not together": {"[3,1,2,9]", productFirst, 0},
		"next iteration": {"[3,1,2,4]", `
		    s f32[1,1,2,4] = dynamicSlice xs i zero zero zero
		    x f32[1,2,4] = reshape s
		    b f32[1,2,4] = mul a x
		    c f32[1,2,4] = dot b w`, 1},
	} {
		main := irtest.Parse(`
		xs f32` + test.xs + ` = parameter
		h f32[1,2,4] = parameter
		w f32[1,4,4] = parameter
		zero i32 = constant 0
		one i32 = constant 1
		n i32 = constant 3
		j i32, g f32[1,2,4] = while zero h
		  while
		    i i32 = parameter
		    a f32[1,2,4] = parameter
		    go bool = lessThan i n
		    return go
		  do
		    i i32 = parameter
		    a f32[1,2,4] = parameter
		    next i32 = add i one` + test.body + `
		    return next c
		return g`)
		units := plan.Group(plan.FindViews(main), main)
		p := Lower(plan.NewLayout(units, main, nil), NewWorkers(1))
		m := check.Got(p.machine())(t)
		dims := main.Params[0].Shape.Dimensions
		between := dims[3] // rows
		xs := make([]float32, main.Params[0].Shape.Size())
		m.roots[plan.RootParameters] = unsafe.Pointer(&xs[0])
		body := p.steps[slices.IndexFunc(p.steps, func(s step) bool { _, is := s.(*loop); return is })].(*loop).body
		at := slices.IndexFunc(body, func(s dividedStep) bool { _, is := s.step.(*dotStep); return is })
		dot := body[at].step.(*dotStep)
		check.Must(t, len(dot.ahead) == 1, "%s: the product fetches %d sequences, want 1", name, len(dot.ahead))
		for step := range 3 {
			*(*int32)(m.at(dot.ahead[0].from.dynamic[0].Address)) = int32(step)
			const row, width = 1, 4
			a := dot.fetch(m, 0, row*width, width)
			want := uintptr(unsafe.Pointer(&xs[0])) + 4*uintptr((step+test.ahead)*2*between+row*between)
			if step == 0 && test.ahead > 0 {
				continue // It has not moved yet.
			}
			check.That(t, slices.Equal(a.Pieces, []uintptr{want}) && a.Bytes == 4*width,
				"%s, step %d: %d bytes at %#x, want %d at %#x", name, step, a.Bytes, a.Pieces, 4*width, want)
		}
	}
}
