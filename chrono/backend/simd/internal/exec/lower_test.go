package exec

import (
	"testing"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// An operation is in one of the tables of how it is computed, and the ones of our own have names.
func TestOperations(t *testing.T) {
	for op := compute.OpTypeInvalid + 1; op < element.End; op++ {
		own := op > compute.OpTypeLast && (op <= ir.OpPack || op >= element.OpTanhGrad)
		if op > compute.OpTypeLast && !own {
			continue
		}
		if own && ir.Name(op) == op.String() {
			t.Errorf("operation %d has no name", op)
		}
		o, ways := ir.OperationOf(op), 0
		for _, is := range []bool{o.Gone, o.View != nil, element.Is(op), Computes(op), op == ir.OpOutput} {
			ways += element.Bit(is)
		}
		if ways > 1 || own && ways == 0 {
			t.Errorf("%s: there are %d ways to compute it", ir.Name(op), ways)
		}
		if ways == 0 && (o.Ordered != nil || o.Overwrites || o.AnyStrides) {
			t.Errorf("%s: nothing computes it, but there is something to know of it", ir.Name(op))
		}
		if stepsOf[op] != nil && typedSteps[op] != nil {
			t.Errorf("%s: it has steps for all types, and others for some", ir.Name(op))
		}
	}
}
