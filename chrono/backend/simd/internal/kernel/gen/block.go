package main

import (
	"fmt"
	"strings"
)

// Plain Go's product holds blockRows×blockCols sums in registers: the compiler spills more than that, since it puts all
// products before the first sum. blockUnroll terms in a turn of the loop save most where turns cost most, in
// WebAssembly.
const blockRows, blockCols, blockUnroll = 2, 4, 8

// generateRows writes the inner loops of plain Go's product. They compute addresses without checks, which would take as
// long as the products; multiply has checked the matrices.
func generateRows(out *strings.Builder) {
	each := func(format, between string) string { // of the sums; %[3]d is its column's distance in bytes
		var all []string
		for r := range blockRows {
			for c := range blockCols {
				all = append(all, fmt.Sprintf(format, r, c, 4*c))
			}
		}
		return strings.Join(all, between)
	}
	var term strings.Builder
	for r := range blockRows {
		fmt.Fprintf(&term, "x%d := *(*float32)(unsafe.Add(a%[1]d, aAt))\n", r)
	}
	term.WriteString("row := unsafe.Add(first, bAt)\n")
	for c := range blockCols {
		fmt.Fprintf(&term, "y%d := *(*float32)(unsafe.Add(row, %d))\n", c, 4*c)
		for r := range blockRows {
			fmt.Fprintf(&term, "s%d%d += x%[1]d * y%[2]d\n", r, c)
		}
	}
	term.WriteString("aAt += aCol\nbAt += bRow\n")
	again := strings.ReplaceAll(term.String(), " := ", " = ")

	fmt.Fprintf(out, `
// multiplyRows computes c = a·b + d for %d rows of a, from aRow apart, k of their columns, and cols columns of b; cols
// is at least %d. The last block of %[2]d columns covers some of the one before it if cols is no multiple: then d must
// not be c. d may be nil. Strides are in bytes.
func multiplyRows(c unsafe.Pointer, cRow int, d unsafe.Pointer, dRow int, a unsafe.Pointer, aRow, aCol int,
b unsafe.Pointer, bRow, k, cols int) {
	a0, a1 := a, unsafe.Add(a, aRow)
	for j := 0; j < cols; j += %[2]d {
		at := 4 * min(j, cols-%[2]d)
		first := unsafe.Add(b, at)
		var %[3]s float32
		aAt, bAt, p := 0, 0, 0
		for ; p <= k-%[4]d; p += %[4]d {
			%[5]s%[6]s}
		for ; p < k; p++ {
			%[5]s}
		if d != nil {
			d0 := unsafe.Add(d, at)
			d1 := unsafe.Add(d0, dRow)
			%[7]s
		}
		c0 := unsafe.Add(c, at)
		c1 := unsafe.Add(c0, cRow)
		%[8]s
	}
}
`, blockRows, blockCols, each("s%[1]d%[2]d", ", "), blockUnroll, term.String(), strings.Repeat(again, blockUnroll-1),
		each("s%[1]d%[2]d += *(*float32)(unsafe.Add(d%[1]d, %[3]d))", "\n"),
		each("*(*float32)(unsafe.Add(c%[1]d, %[3]d)) = s%[1]d%[2]d", "\n"))
}
