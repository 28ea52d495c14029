package simd

import (
	"runtime"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/scan"
)

// recorder keeps the executables that it compiles.
type recorder struct {
	*Backend
	compiled []*executable
}

type recordingBuilder struct {
	*builder
	recorder *recorder
}

func (r *recorder) Builder(name string) compute.Builder {
	return recordingBuilder{r.Backend.Builder(name).(*builder), r}
}

func (b recordingBuilder) Compile() (compute.Executable, error) {
	exec, err := b.builder.Compile()
	if err == nil {
		b.recorder.compiled = append(b.recorder.compiled, exec.(*executable))
	}
	return exec, err
}

// The gradient of an LSTM over 2000 steps takes less than one and a half times the memory of what it needs: of every
// step the arguments of the gates [B, 4H] and the output h [B, H].
func TestMemory(t *testing.T) {
	const steps, batch, inputs, hidden = 2000, 128, 10, 128
	r := &recorder{Backend: testBackend(t).(*Backend)}
	args, lstm := lstmOver(steps, batch, inputs, hidden, scan.DefaultUnroll)
	exec := MustNewExec(r, func(in []*Node) []*Node {
		h := lstm(in)
		loss := ReduceAllSum(Mul(h, h)) // its gradient needs h
		return append([]*Node{loss}, Gradient(loss, in[1:]...)...)
	})
	if _, err := exec.Compile(args...); err != nil {
		t.Fatal(err)
	}
	needed := 4 * steps * batch * 5 * hidden
	if got := r.compiled[len(r.compiled)-1].program.Arena; float64(got) > 1.5*float64(needed) {
		t.Errorf("%d MB for %d MB of activations", got>>20, needed>>20)
	} else {
		t.Logf("%d MB for %d MB of activations", got>>20, needed>>20)
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
	b, err := New("threads=2")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	sum := MustNewExec(b, func(x *Node) *Node {
		return ReduceAllSum(Mul(Dot(x, x).Product(), x)) // the product lies in the executable's memory
	})
	x := tensors.FromShape(shapes.Make(dtypes.Float32, rows, columns))
	sum.MustCall(x)[0].MustFinalizeAll()
	x.MustFinalizeAll()
	before := inUse()
	sum.Finalize()
	if freed := before - inUse(); freed < 4*rows*columns {
		t.Errorf("%d bytes were freed, want the %d of a product at least", freed, 4*rows*columns)
	}
}

// An executable that is idle keeps no input or output alive.
func TestIdleKeepsNothing(t *testing.T) {
	const size = 1 << 22
	b, err := New("threads=2")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	exec := MustNewExec(b, Neg)
	defer exec.Finalize()
	before := inUse()
	func() { exec.MustCall(tensors.FromShape(shapes.Make(dtypes.Float32, size))) }()
	if kept := inUse() - before; kept >= 4*size {
		t.Errorf("%d bytes are kept, as much as an input or output of %d", kept, 4*size)
	}
}
