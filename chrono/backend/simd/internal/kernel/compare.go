package kernel

// Comparison says how Compare compares.
type Comparison int

// The comparisons. With a NaN on either side all are false but NotEqual.
const (
	Equal Comparison = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

// Compare computes dst = a op b.
func Compare(op Comparison, dst []bool, a, b []float32) {
	n := len(dst)
	a, b = a[:n], b[:n]
	switch op {
	case Equal:
		impl.Equal(dst, a, b)
	case NotEqual:
		impl.NotEqual(dst, a, b)
	case Less:
		impl.Less(dst, a, b)
	case LessEqual:
		impl.LessEqual(dst, a, b)
	case Greater:
		impl.Less(dst, b, a)
	case GreaterEqual:
		impl.LessEqual(dst, b, a)
	}
}
