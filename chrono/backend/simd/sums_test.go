package simd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/internal/check"
)

// Sums of many equal numbers, whose roundings do not cancel: of elements side by side, in columns, between other axes,
// in views, of products, and of rows that are looked up.
func TestSumsOfEqualNumbers(t *testing.T) {
	over := func(axes ...int) func(x *Node) *Node { return func(x *Node) *Node { return ReduceSum(x, axes...) } }
	rng := rand.New(rand.NewPCG(23, 24))
	for _, sum := range []struct {
		name  string
		dims  []int // of equal numbers
		terms int   // of each sum
		of    func(x *Node) *Node
	}{
		{"all", []int{3_000_001}, 3_000_001, ReduceAllSum},
		{"rows", []int{2, 1_000_003}, 1_000_003, over(1)},
		{"many rows", []int{700, 3, 900}, 630_000, over(0, 2)},
		{"a column", []int{2_000_000, 1}, 2_000_000, over(0)},
		{"few columns", []int{700_001, 3}, 700_001, over(0)},
		{"a bias, T = 784, B = 128", []int{784, 2, 128, 8}, 784 * 128, over(0, 2)},
		{"a bias, T = 5000, B = 128", []int{5000, 1, 128, 2}, 5000 * 128, over(0, 2)},
		{"wide rows", []int{1000, 3, 1100}, 1000, over(0)},
		{"between axes", []int{3, 100_003, 5}, 100_003, over(1)},
		{"every second", []int{400_001, 2}, 400_001, func(x *Node) *Node {
			return ReduceAllSum(Slice(x, AxisRange(), AxisRange(1)))
		}},
		{"transposed", []int{5, 300, 301}, 300 * 301, func(x *Node) *Node {
			return ReduceSum(TransposeAllAxes(x, 2, 0, 1), 0, 2)
		}},
		{"repeated", []int{}, 100_000_000, func(x *Node) *Node {
			return ReduceAllSum(BroadcastToDims(x, 10_000, 10_000))
		}},
		{"mean", []int{1_000_001}, 1, ReduceAllMean},
		{"products of rows", []int{2, 500_001}, 500_001, func(x *Node) *Node {
			return Einsum("ik,jk->ij", x, OnesLike(x))
		}},
		{"products of columns", []int{500_001, 2}, 500_001, func(x *Node) *Node {
			return Einsum("ki,kj->ij", x, OnesLike(x))
		}},
		{"one row looked up", []int{200_000, 3}, 200_000, func(x *Node) *Node {
			index := Zeros(x.Graph(), shapes.Make(dtypes.Int32, 200_000, 1))
			return Scatter(index, x, shapes.Make(x.DType(), 1, 3), false, false)
		}},
		{"cross entropy", []int{1000, 1000}, 0, func(x *Node) *Node { return ReduceAllMean(Neg(LogSoftmax(x))) }},
	} {
		t.Run(sum.name, func(t *testing.T) {
			bound := 1e-6
			if strings.HasPrefix(sum.name, "products") {
				bound = 5e-6
			}
			exec := MustNewExec1(conformance.Start(t, "simd"), sum.of)
			for _, x := range []float32{0.1, 1.7, 1.25001, 1 + rng.Float32()} {
				n := shapes.Make(dtypes.Float32, sum.dims...).Size()
				want := float64(sum.terms) * float64(x)
				if sum.terms == 0 {
					want = math.Log(1000)
				}
				got := exec.MustCall(tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{x}, n), sum.dims...))
				for _, g := range tensors.MustCopyFlatData[float32](got) {
					d := math.Abs(float64(g) - want)
					check.Must(t, d <= bound*want, "%d times %g: %g, want %g (off by %.1g)", sum.terms, x, g, want,
						d/want)
				}
				if sum.terms > 1e7 {
					break // it takes a second
				}
			}
		})
	}
}

// A reduction has the same bits for a trial alone and among others, and on any number of threads, however long it is
// and however it lies in memory; so have products with a long inner sum, and sums of many rows that are looked up.
func TestLongSumsAlone(t *testing.T) {
	one, three := conformance.Start(t, "simd:threads=1"), conformance.Start(t, "simd:threads=3")
	rng := rand.New(rand.NewPCG(21, 22))
	pick := func(of ...int) int { return of[rng.IntN(len(of))] }
	compare := func(what string, at int, dims []int, of func(x *Node) *Node) {
		t.Helper()
		const trials, chosen = 3, 1
		call := func(b compute.Backend, flat []float32, trials int) []float32 {
			x := tensors.FromFlatDataAndDimensions(flat, slices.Insert(slices.Clone(dims), at, trials)...)
			return tensors.MustCopyFlatData[float32](MustExecOnce(b, of, x))
		}
		outer, inner := shapes.Make(dtypes.Float32, dims[:at]...).Size(), shapes.Make(dtypes.Float32,
			dims[at:]...).Size()
		all := tensors.MustCopyFlatData[float32](conformance.Random[float32](rng, outer, trials, inner))
		var its []float32
		for i := range outer {
			its = append(its, all[(i*trials+chosen)*inner:][:inner]...)
		}
		among, alone := call(one, all, trials), call(one, its, 1)
		size := len(alone)
		if i := firstDifference(alone, among[chosen*size:][:size]); i >= 0 {
			t.Errorf("%s: element %d is %g alone, %g among others", what, i, alone[i], among[chosen*size+i])
		}
		check.Equal(t, firstDifference(call(three, all, trials), among), -1, "%s: what depends on the threads", what)
	}
	for range 60 {
		dims := []int{pick(1, 5, 70, 150), pick(1, 3, 40), pick(1, 2, 9, 70)}
		if rng.IntN(10) == 0 {
			dims = []int{pick(1, 2, 5000), pick(1, 3), pick(1, 2, 5000)}
		}
		at := rng.IntN(3) // of the trials, among the axes
		var axes []int
		for a := range 4 {
			if a < at || a > at && rng.IntN(2) == 0 {
				axes = append(axes, a)
			}
		}
		order := []int{0, 1, 2, 3} // behind the trials, memory may have another
		rng.Shuffle(3-at, func(i, j int) { order[at+1+i], order[at+1+j] = order[at+1+j], order[at+1+i] })
		if name := pick(0, 1, 2); len(axes) > 0 {
			reduction := []func(x *Node, axes ...int) *Node{ReduceSum, ReduceMax, ReduceMean}[name]
			what := fmt.Sprintf("reduction %d of %v, trials at %d, order %v, over %v", name, dims, at, order, axes)
			compare(what, at, dims, func(x *Node) *Node { return reduction(TransposeAllAxes(x, order...), axes...) })
		}
	}
	compare("products", 0, []int{20_001, 3}, func(x *Node) *Node { return Einsum("rki,rkj->rij", x, Sin(x)) })
	for _, dims := range [][]int{{150, 32, 3}, {40, 9, 35}} {
		compare(fmt.Sprint("sequences, summed over steps ", dims), 1, dims, func(x *Node) *Node {
			return DotGeneral(TransposeAllAxes(x, 1, 0, 2, 3), []int{1, 2}, []int{0}, Sin(x), []int{0, 2}, []int{1})
		})
		compare(fmt.Sprint("sequences, step by step ", dims), 1, dims, func(x *Node) *Node {
			weights := Reshape(Slice(x, AxisElem(0)), x.Shape().Dimensions[1:]...) // [R, B, H]
			return DotGeneral(x, []int{3}, []int{1}, weights, []int{2}, []int{0})
		})
	}
	compare("rows looked up", 1, []int{5000, 3}, func(x *Node) *Node {
		g, trials := x.Graph(), x.Shape().Dimensions[1]
		index := shapes.Make(dtypes.Int32, 5000, trials)
		row := Add(MulScalar(Iota(g, index, 1), 7), ModScalar(Iota(g, index, 0), 7))
		return Scatter(Reshape(row, -1, 1), Reshape(x, -1, 3), shapes.Make(x.DType(), 7*trials, 3), false, false)
	})
}

// firstDifference is where two lists differ in their bits, or −1.
func firstDifference(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}
