// Package simd is a backend for GoMLX in pure Go that makes the training of recurrent networks on CPUs fast. Import it,
// and compute.NewWithConfig("simd") or GOMLX_BACKEND=simd use it; see [New] for its one option.
//
// A recurrent network spends its time in a loop. An iteration is a small matrix product and a few dozen elementwise
// operations. An engine that runs operation by operation pays for each of them with a pass over memory, an allocation
// and a dispatch. This one compiles the graph: what is left of an iteration is the product and one pass over its
// result.
//
// # How a graph is compiled
//
// Compilation has stages. Each is a package, which takes a value, returns another, and imports only the packages above
// it in this list:
//
//	simd              records what GoMLX calls, as a graph. batchnorm.go, windows.go (convolutions, pooling) and
//	                  sort.go (total order, too) are for other programs than this module's.
//	internal/ir       graphs, the table of operations, views, the text of a graph.
//	internal/element  the loops of elementwise operations, a line each.
//	internal/simplify graph → graph: rules.go replaces single operations, products.go joins several.
//	internal/plan     graph → Views → Groups → Divisions → Layout: which values need memory, which operations run as
//	                  one unit and in which order, which loops are divided among threads, where each value is stored.
//	internal/exec     Layout → Program: steps that know all addresses, and the threads that run them.
//	internal/kernel   the machine code for float32.
//
// The time that compilation takes is proportional to the size of the graph, up to a logarithm. A test counts the
// statements that all stages execute.
//
// SIMD_DUMP=text prints the computations whose names contain text ("." is in most names) to standard error, as they
// were recorded and as they will run. Use it to find out why a value is copied. Here is the loop of an LSTM with 4
// units and 2 sequences, shortened; testdata/lstm.txt contains all of it, forwards and backwards. As recorded, an
// iteration is
//
//	v123 f32[1,2,16] = dotGeneral v99 v3 contract [2] [1] batch [0] [0]
//	v124 f32[1,2,4] = slice v123 [0:1 0:2 0:4]      and so on for four gates
//	v128 f32[1,2,4] = add v124 v116                 v116 is x·W of this step, from before the loop
//	v132 f32[1,2,4] = logistic v128
//	v134 f32[1,2,4] = mul v133 v100
//	v136 f32[1,2,4] = mul v132 v135
//	v137 f32[1,2,4] = add v134 v136                 c
//	v140 f32[1,2,4] = mul v138 v139                 h
//
// Package simplify makes the product one of matrices, packs the weight once before the loop, since it does not change
// there, and joins a sum with its two products. Package plan finds that slices and reshapes are views and need no
// memory, that all elementwise operations form one unit, and that c and h can overwrite the state, since no operation
// reads the old values any more:
//
//	v33 f32[1,128] = pack v3                        # unit 6; memory 0+512, units 6 to 7
//	v49 f32[1,2,4] = reshape v48                    # view of v18 from 0 by [8 4 1] + v44·8
//	v56 f32[1,2,16] = dot v45 v33 {K:4 N:16}        # unit 0; memory 1088+128, units 0 to 1
//	v61 f32[1,2,4] = add v57 v49                    # unit 1
//	v70 f32[1,2,4] = mulMulAdd v66 v46 v65 v68      # unit 1; memory 544+32, units 7 to 7
//	v73 f32[1,2,4] = mul v71 v72                    # unit 1; memory 512+32, units 7 to 7
//	v75 f32[3,1,2,4] = dynamicUpdateSlice v47 v74 v44 v8 v8 v8  # unit 2; argument 4
//
// v18 is a value of the function around; "by" are strides in elements, and v44·8 is an index that is known only when
// the program runs. v61 has no place: it stays in a tile in the nearest cache. Package exec turns the units into
// steps, and running a loop allocates nothing.
//
// # Invariants
//
// In tests and fuzzing, internal/plantest rehearses a run of every layout. Fuzzing also compares what random graphs
// compute with another engine.
//
//   - Graph: operands are computed before, in the same function or one around it, with types and shapes that the
//     operation accepts. Rewriting terminates: no rule undoes another.
//   - Views: a view is a view of a value in memory, and stays within it. Looking up a view has no side effects.
//   - Groups: what a unit needs runs before it. Operations of a group read its values in full, element by element.
//   - Layout: a value is read at its own address, after it was computed, and before anything else is written there. A
//     slot holds one value, from its first unit to its last, or several values one after the other. A value may be
//     computed inside the memory of another (a Placement): the concatenation or the sequence into which it would
//     otherwise be copied. Then all parts stay valid until the whole is overwritten. Inputs and constants are never
//     written. The state of a loop has one address for its initial value, the parameters of the body, its results and
//     the value after the loop.
//   - Threads that share a loop are at different steps of it: values share bytes there only if their rows have the same
//     bytes.
//
// # How to add
//
// A rule: a line in rules (simplify/rules.go), or in fusions (products.go) if it depends on how often a value is used,
// the function that it names, and a graph in simplify/testdata that shows it (go test ./internal/simplify -rewrite); a
// rule without one fails TestRules. Commit a change of testdata/lstm.txt only if you know what caused it.
//
// An elementwise operation: a line in package element (floating, integers, kernels …). If it is one of GoMLX's, add a
// line in methods.go. If not, add a constant in package element, use its name in the line in kernels, and write a rule
// that creates it. Nothing else needs to change: the operation is fused, divided among threads, folded and printed. For
// a float32 kernel, see package kernel.
//
// Another operation: an entry in stepsOf (exec/lower.go) or, if types differ, calls of onType, and a line in
// methods.go or a function in record.go; a line in ir's operations only where there is something special to know, such
// as that it can overwrite an operand. A view is a line there, with the function that maps strides.
//
// # Guarantees
//
// Sums are accurate however long they are: numbers are added in short chains, and the chains' sums in pairs, so that
// rounding errors grow with the logarithm of the length. A sum of n equal float32 numbers is off by 1e-6 at most for n
// up to 1e8, also where a scatter adds them at one place, and an inner sum of a product by 5e-6.
//
// Results do not depend on the number of threads: dividing the work never changes how an element is computed, or in
// which order numbers are added. Nor do results depend on the number of trials in the models of packages cell and
// trial, or wherever trials are the first axis of all values and a batch axis of products: a trial is the same, bit for
// bit, alone and next to others. The last bits do depend on the instruction set of the CPU: in float32, with AVX2,
// AVX-512 or NEON, a multiplication and the addition that follows it may be rounded once; and in matrix products with
// AVX2 or AVX-512, subnormal operands and results are zero (kernel.Gemm explains why). Otherwise sums, products and
// quotients follow IEEE 754, but that x + 0 is x, also if that is -0. Floats become integers as in XLA: towards zero,
// those out of range the nearest in range, and NaN 0.
//
// [Backend.Capabilities] lists the operations and types. When a graph with any other is built, the backend returns
// compute.ErrNotImplemented with its name. Of GoMLX's operations and types it does not support complex numbers
// (Complex, Conj, Real, Imag, FFT), types of fewer than eight bits, dynamic shapes (Dynamic…, except DynamicSlice and
// DynamicUpdateSlice), operations across devices (AllReduce, AllGather, CollectiveBroadcast), and fused operations
// (Fused…, QuantizedEmbeddingLookup), which GoMLX replaces by others where they are missing.
//
// Shapes are static. There is one device. Functions may be nested: loops in loops, and closures that capture values of
// any function around them, work.
//
// An executable keeps its memory between executions, so the first is slower than the others; Finalize frees it.
package simd
