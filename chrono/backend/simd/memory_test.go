package simd

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

// gradients compiles the gradient of an LSTM, of a loss of its outputs h [T, R, B, H].
func gradients(t *testing.T, b *Backend, steps, batch, inputs, hidden int, loss func(h *Node) *Node) *executable {
	t.Helper()
	args, lstm := lstmOver(steps, batch, inputs, hidden, scan.DefaultUnroll)
	exec := MustNewExec(b, func(in []*Node) []*Node {
		loss := loss(lstm(in))
		return append([]*Node{loss}, Gradient(loss, in[1:]...)...)
	})
	return must(exec.Compile(args...)).Executable().(*executable)
}

// The gradient of an LSTM over 2000 steps takes less than one and a half times the memory of what it needs: of every
// step the arguments of the gates [B, 4H] and the output h [B, H].
func TestMemory(t *testing.T) {
	const steps, batch, inputs, hidden = 2000, 128, 10, 128
	b := testBackend(t)
	// The gradient of this loss needs h.
	p := gradients(t, b, steps, batch, inputs, hidden, func(h *Node) *Node { return ReduceAllSum(Mul(h, h)) })
	needed := 4 * steps * batch * 5 * hidden
	t.Logf("%d MB for %d MB of activations", p.program.Arena>>20, needed>>20)
	check.That(t, float64(p.program.Arena) <= 1.5*float64(needed), "%d bytes for %d of activations", p.program.Arena,
		needed)
}

// An execution allocates nothing once the machine is there, whatever the number of iterations.
func TestLoopAllocatesNothing(t *testing.T) {
	for _, config := range []string{"threads=1", "threads=2"} {
		b := must(New(config)).(*Backend)
		p := gradients(t, b, 40, 32, 10, 64, func(h *Node) *Node { // of some steps, so that there is a sum of rows, too
			return ReduceAllSum(Square(Gather(h, Const(h.Graph(), [][]int32{{3}, {39}, {3}}))))
		})
		memory := func(of []shapes.Shape) (list []unsafe.Pointer) {
			for _, s := range of {
				list = append(list, unsafe.Pointer(unsafe.SliceData(must(b.newBuffer(s)).bytes)))
			}
			return list
		}
		in, out := memory(p.inputs), memory(p.outputs)
		allocs := testing.AllocsPerRun(5, func() { check.OK(t, p.program.Run(in, out)) })
		check.Equal(t, allocs, 0, "%s: allocations", config)
		b.Finalize()
	}
}

// inUse is the memory that Go holds, in bytes.
func inUse() int64 {
	var memory runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what the first one has finalized
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}

// A finalized executable leaves nothing behind, though the backend goes on and its threads have worked on it.
func TestFinalizeFreesMemory(t *testing.T) {
	const rows, columns = 1024, 1024
	sum := MustNewExec(testBackend(t), func(x *Node) *Node {
		return ReduceAllSum(Mul(Dot(x, x).Product(), x)) // the product lies in the executable's memory
	})
	x := tensors.FromShape(shapes.Make(dtypes.Float32, rows, columns))
	sum.MustCall(x)[0].MustFinalizeAll()
	x.MustFinalizeAll()
	before := inUse()
	sum.Finalize()
	freed := before - inUse()
	check.That(t, freed >= 4*rows*columns, "%d bytes were freed, want the %d of a product at least", freed,
		4*rows*columns)
}

// An executable that is idle keeps no input or output alive.
func TestIdleKeepsNothing(t *testing.T) {
	const size = 1 << 22
	exec := MustNewExec(testBackend(t), Neg)
	defer exec.Finalize()
	before := inUse()
	func() { exec.MustCall(tensors.FromShape(shapes.Make(dtypes.Float32, size))) }()
	kept := inUse() - before
	check.That(t, kept < 4*size, "%d bytes are kept, as much as an input or output of %d", kept, 4*size)
}
