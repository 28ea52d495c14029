package main

import (
	"fmt"
	"strings"
)

// Plain Go's product holds blockRows×blockCols sums in registers: the compiler spills more than that, since it puts all
// products before the first sum. blockUnroll terms in a turn of the loop save most where turns cost most, in
// WebAssembly.
const blockRows, blockCols, blockUnroll = 2, 4, 4

// generateBlock writes the inner loop of plain Go's product. It computes addresses without checks, which would take as
// long as the products; multiply has checked the matrices.
func generateBlock(out *strings.Builder) {
	each := func(format string) string { // of the sums; %[1]d is the row, %[2]d the column
		var all []string
		for r := range blockRows {
			for c := range blockCols {
				all = append(all, fmt.Sprintf(format, r, c))
			}
		}
		return strings.Join(all, ", ")
	}
	fmt.Fprintf(out, `
// block sets sums, for %d rows of a and columns of b each, to the sum over p < k of a[row][p]·b[p][column], k being a
// multiple of %d. Strides are in bytes.
func block(sums *[%d][%d]float32, a0, a1 unsafe.Pointer, aCol int, b unsafe.Pointer, bRow, k int) {
	var %s float32
	aAt, bAt := 0, 0
	for ; k > 0; k -= %d {
`, blockRows, blockUnroll, blockRows, blockCols, each("s%d%d"), blockUnroll)
	for u := range blockUnroll {
		equals := "="
		if u == 0 {
			equals = ":="
		}
		for r := range blockRows {
			fmt.Fprintf(out, "x%d %s *(*float32)(unsafe.Add(a%[1]d, aAt))\n", r, equals)
		}
		for c := range blockCols {
			fmt.Fprintf(out, "y%d %s *(*float32)(unsafe.Add(b, bAt+%d))\n", c, equals, 4*c)
			for r := range blockRows {
				fmt.Fprintf(out, "s%d%d += x%[1]d * y%[2]d\n", r, c)
			}
		}
		out.WriteString("aAt += aCol\nbAt += bRow\n")
	}
	fmt.Fprintf(out, "}\n%s = %s\n}\n", each("sums[%d][%d]"), each("s%d%d"))
}
