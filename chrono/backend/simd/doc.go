// Package simd is a backend for GoMLX in pure Go that makes the training of recurrent networks on CPUs fast. Import it,
// and compute.NewWithConfig("simd") or GOMLX_BACKEND=simd use it; see [New] for its one option.
//
// A recurrent network spends its time in a loop whose iterations are a small matrix product and a few dozen elementwise
// operations. An engine that runs operation by operation pays for every one of them a pass over memory, an allocation
// and a dispatch. This one compiles the graph, and what is left of an iteration are the product and one pass over its
// result. A graph goes through the files of this package like this:
//
//	build.go     records the operations, with shapes inferred and checked; methods.go, record.go, compose.go and
//	             windows.go have what GoMLX calls. Types of 16 bits become float32 between conversions, implicit
//	             broadcasts become explicit, and some operations others.
//	compile.go   lists the passes that follow. What they must know of an operation stands in a table, in ops.go and
//	             elementwise.go.
//	simplify.go  copies the graph into one that computes the same with less: no dead code, nothing twice, nothing in a
//	             loop that could stand before it.
//	  products.go makes products those of matrices, which take in what is added to them, and moves slices before
//	             elementwise operations, so that the gates of a cell, cut out of one product, can be computed
//	             together.
//	  rules.go   replaces single operations: by constants, by operands, by cheaper ones.
//	view.go      finds what needs no memory: reshapes, transposes, broadcasts and slices, also those at an index known
//	             only when running, are another way to walk through the memory of something else (viewops.go).
//	plan.go      gives every value its place in one block of memory, once and for all: values that are not needed at
//	             the same time share a place, the state of a loop is updated where it is.
//	  fuse.go    divides what is computed into units: single operations, and groups of elementwise ones, that will run
//	             as one pass. It orders them so that whoever reads a value comes before who overwrites it.
//	  rows.go    finds loops that threads can divide by the rows of a batch, each thread taking its rows through all
//	             steps.
//	  place.go   computes values right where they would be copied to: into the rows of the sequence that a loop
//	             writes, or into their part of a concatenation.
//	lower.go     turns units into steps, which know all addresses.
//
// Then run.go runs the steps; running a loop allocates nothing.
//
//	group.go     runs a group of elementwise operations: tile by tile, each operation a call of a vector function on a
//	             tile that stays in the nearest cache (elementwise.go has these functions; those on float32 are
//	             machine code, in package kernel).
//	dot.go       runs products on packed operands; reduce.go, copy.go and index.go have the other steps.
//	team.go      runs loops, also those that threads divide.
//	parallel.go  divides other steps among threads, where their work is worth more than the hand-over.
//
// # What can be relied on
//
// Results do not depend on the number of threads: parts never change how an element is computed, or in which order
// numbers are added up. Nor do they depend on how many trials are computed at once, where trials are the first axis that
// a reduction keeps, and a batch axis of products, as in the models of packages cell and trial: a trial is the same,
// bit for bit, alone and among others. They do depend, in the last bits, on the instructions that the CPU has. Of float32 products
// with AVX2 or AVX-512, subnormal operands and results are zero (kernel.Gemm says why); elsewhere they are what IEEE
// 754 makes of them.
//
// The operations and types are those that [Backend.Capabilities] lists; any other is refused, by name, with
// compute.ErrNotImplemented when the graph is built. Of GoMLX's these are left out: complex numbers (Complex, Conj,
// Real, Imag, FFT), types of fewer than eight bits, dynamic shapes (Dynamic… but for DynamicSlice and
// DynamicUpdateSlice), what spans devices (AllReduce, AllGather, CollectiveBroadcast), and the fused operations, which
// GoMLX makes of others where they are missing (Fused…, QuantizedEmbeddingLookup).
//
// Shapes are static. There is one device. Functions may be nested: loops in loops, and closures that capture values of
// any function around them, work.
//
// An executable keeps its memory between executions, so the first is slower than the others; Finalize frees it.
package simd
