package element

import "testing"

// No entry of the table is half filled.
func TestTable(t *testing.T) {
	for op, e := range elements {
		name := op.String()
		if e.name != "" {
			name = e.name
		}
		if e.arity < 1 || e.arity > len(Operands{}) || e.cost < 1 {
			t.Errorf("%s: %d operands, cost %d", name, e.arity, e.cost)
		}
		if (e.tile == nil) == (len(e.tiles) == 0) {
			t.Errorf("%s: want loops by the type of operands, or by that of operands and result", name)
		}
		for d, f := range e.tiles {
			if f == nil {
				t.Errorf("%s: no loop for %s", name, d)
			}
		}
	}
}
