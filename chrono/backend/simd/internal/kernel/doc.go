// Package kernel computes on slices of float32, on one core: elementwise functions, reductions, transposition, and
// matrix products. It is what the simd backend executes; it knows nothing of graphs, shapes or goroutines.
//
// Each kernel exists in AVX-512, in AVX2, in ARM's NEON, and in plain Go, which every architecture has and which the
// others are tested against. What the processor has is found out when the program starts (see Level). Kernels allocate
// nothing, and the same input gives the same bits, at any position, in any division of the work, on any number of
// threads; the levels differ among each other in the last bits.
//
// # How it is made
//
// gen/kernels.go is the table of all kernels but products, transposition and copies. An entry has a kernel's name,
// its inputs, formula, an expression in Go, and its body, from which the assembly for every instruction set is made.
// All else follows from it: the exported function (kernels.go), plain Go's loop, and the tables of each instruction
// set (tables_amd64.go, tables_arm64.go). So a kernel is added in one place, or in two if its loop in plain Go is more
// than an expression. Tests find it by themselves; one that approximates needs a line in mathFunctions of
// math_test.go, with its error.
//
// The assembly is written by a generator, gen, on top of avo: a Go module of its own, so that none of it is a
// dependency of this one. There, a function such as tanh is one Go function in terms of add, mul and addProduct, on
// vectors of 4, 8 or 16 lanes. avo knows amd64 only: for NEON, gen has a few hundred lines of its own that choose
// registers and, since Go's assembler lacks most of NEON's instructions on floats, encode them; a test has binutils
// read them back. After a change there:
//
//	go generate ./chrono/backend/simd/internal/kernel
//
// The alternative would have been Go's package simd/archsimd. It needs GOEXPERIMENT=simd when a program is built, so
// that a plain go run would be slow; and its compiler has used 16 of AVX-512's 32 registers so far, which leaves room
// for a block of 4×32 sums and 97 to 110 GFLOP/s. Assembly holds 14×32 sums, and reaches 150 GFLOP/s where a
// loop of nothing but multiplications and additions in registers reaches 180 to 190 (one core of an Intel Xeon of the
// fifth generation).
//
// # Matrix products
//
// The product's inner loop keeps a block of C in registers (14×32 sums with AVX-512, 6×16 with AVX2 and with NEON). For
// every term of the inner sum it loads 32 numbers of a row of B, and multiplies them by each of 14 numbers of a column
// of A. A is read one number at a time, at any stride, so that neither it nor its transpose needs to be copied; B is
// read by rows, so that it is copied if its columns are not contiguous. PackB does so once for all steps of a loop.
// Both are copied, a block at a time, where they are so large that their rows or columns are far apart in memory; B by
// the first strip of rows that reads it, between its additions, so that the copy takes hardly any time. Likewise, a
// product fetches what runs next reads and writes (Ahead), a line of it every few rows of B. There are inner loops for
// all heights from 1 to 14, so that the rows of a small matrix can be divided evenly. The loops over strips and over
// panels of 32 columns are assembly too: in Go they took a tenth of a small product's time. NEON has no masks: where
// the columns are no multiple of 4, its last vector covers some of the one before it once more.
package kernel
