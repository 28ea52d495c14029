package exec

import (
	"testing"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
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
		o, ways := ir.OperationOf(op), 0
		for _, is := range []bool{o.Gone, o.View != nil, element.Is(op), Computes(op), op == ir.OpOutput} {
			ways += element.Bit(is)
		}
		check.That(t, ways <= 1 && (!own || ways != 0), "%s: there are %d ways to compute it", ir.Name(op), ways)
		check.That(t, ways != 0 || o.Ordered == nil && !o.Overwrites && !o.AnyStrides,
			"%s: nothing computes it, but there is something to know of it", ir.Name(op))
		check.That(t, stepsOf[op] == nil || typedSteps[op] == nil, "%s: it has steps for all types, and others for some",
			ir.Name(op))
	}
}
