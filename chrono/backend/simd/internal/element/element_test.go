package element

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// No entry of the table is half filled.
func TestTable(t *testing.T) {
	for op, e := range elements {
		name := op.String()
		if e.name != "" {
			name = e.name
		}
		check.That(t, e.cost >= 1, "%s: cost %d", name, e.cost)
		check.That(t, (e.tile == nil) != (len(e.tiles) == 0),
			"%s: want loops by the type of operands, or by that of operands and result", name)
		for d, f := range e.tiles {
			check.That(t, f != nil, "%s: no loop for %s", name, d)
		}
	}
}
