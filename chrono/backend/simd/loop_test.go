package simd

import (
	"math"
	"testing"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// recurrence builds a loop like those of training: it reads a row of xs [T, B, N], multiplies the state h [B, N] by a
// weight that does not change, applies elementwise operations to two slices of the sum, and writes h into a row of hs
// and adds it to a row of sums.
func recurrence(t testing.TB, b compute.Backend, steps, batch, n int) *program {
	t.Helper()
	check := func(v compute.Value, err error) compute.Value {
		t.Helper()
		if err != nil {
			t.Fatalf("%+v", err)
		}
		return v
	}
	builder := b.Builder("recurrence")
	f := builder.Main()
	float := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }
	zeros := func(dims ...int) compute.Value {
		return check(f.BroadcastInDim(check(f.Constant([]float32{0})), float(dims...), nil))
	}
	xs := check(f.Parameter("xs", float(steps, batch, 2*n), nil))
	w := check(f.Parameter("w", float(n, 2*n), nil))
	i32 := shapes.Make(dtypes.Int32)
	state := []compute.Value{check(f.Constant([]int32{0})), zeros(batch, n), zeros(steps, batch, n),
		zeros(steps, batch, n)}
	shape := []shapes.Shape{i32, float(batch, n), float(steps, batch, n), float(steps, batch, n)}
	closure := func(build func(f compute.Function, p []compute.Value) []compute.Value) compute.Function {
		c, err := f.Closure()
		if err != nil {
			t.Fatal(err)
		}
		var p []compute.Value
		for _, s := range shape {
			p = append(p, check(c.Parameter("", s, nil)))
		}
		if err := c.Return(build(c, p), nil); err != nil {
			t.Fatal(err)
		}
		return c
	}
	cond := closure(func(f compute.Function, p []compute.Value) []compute.Value {
		return []compute.Value{check(f.LessThan(p[0], check(f.Constant([]int32{int32(steps)}))))}
	})
	body := closure(func(f compute.Function, p []compute.Value) []compute.Value {
		zero := check(f.Constant([]int32{0}))
		at := []compute.Value{p[0], zero, zero}
		x := check(f.Reshape(check(f.DynamicSlice(xs, at, []int{1, batch, 2 * n})), batch, 2*n))
		z := check(f.Add(check(f.DotGeneral(p[1], []int{1}, nil, w, []int{0}, nil, compute.DotGeneralConfig{})), x))
		gate := check(f.Logistic(check(f.Slice(z, []int{0, 0}, []int{batch, n}, nil))))
		h := check(f.Mul(gate, check(f.Tanh(check(f.Slice(z, []int{0, n}, []int{batch, 2 * n}, nil))))))
		hs := check(f.DynamicUpdateSlice(p[2], check(f.Reshape(h, 1, batch, n)), at))
		index := check(f.Reshape(p[0], 1))
		sums := check(f.ScatterSum(p[3], index, h, 0, []int{0, 1}, []int{0}, []int{0}, true, true))
		return []compute.Value{check(f.Add(p[0], check(f.Constant([]int32{1})))), h, hs, sums}
	})
	out, err := f.While(cond, body, state...)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	if err := f.Return(out[2:], nil); err != nil {
		t.Fatal(err)
	}
	exec, err := builder.Compile()
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return exec.(*program)
}

func TestRecurrence(t *testing.T) {
	const steps, batch, n = 9, 5, 18
	b, err := New("threads=2")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	p := recurrence(t, b, steps, batch, n)
	xs, w := make([]float32, steps*batch*2*n), make([]float32, n*2*n)
	for i := range xs {
		xs[i] = float32(math.Sin(float64(i)))
	}
	for i := range w {
		w[i] = float32(math.Cos(float64(i))) / n
	}
	bx, err := b.BufferFromFlatData(0, xs, p.inputs[0])
	if err != nil {
		t.Fatal(err)
	}
	bw, err := b.BufferFromFlatData(0, w, p.inputs[1])
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Execute([]compute.Buffer{bx, bw}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := make([]float64, batch*n)
	for step := range steps {
		next := make([]float64, batch*n)
		for r := range batch {
			for u := range n {
				z := func(j int) float64 {
					sum := float64(xs[(step*batch+r)*2*n+j])
					for k := range n {
						sum += h[r*n+k] * float64(w[k*2*n+j])
					}
					return sum
				}
				next[r*n+u] = 1 / (1 + math.Exp(-z(u))) * math.Tanh(z(n+u))
			}
		}
		h = next
		for i, want := range h {
			for k, o := range out {
				flat, err := o.Data()
				if err != nil {
					t.Fatal(err)
				}
				if got := float64(flat.([]float32)[step*batch*n+i]); math.Abs(got-want) > 1e-5 {
					t.Fatalf("output %d, step %d, element %d: %g, want %g", k, step, i, got, want)
				}
			}
		}
	}
}

// An execution allocates nothing once the machine is there, whatever the number of iterations.
func TestLoopAllocatesNothing(t *testing.T) {
	for _, config := range []string{"threads=1", "threads=2"} {
		b, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		p := recurrence(t, b, 40, 32, 64)
		m, err := p.machine()
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range append(p.inputs, p.outputs...) {
			buf, err := b.(*Backend).newBuffer(s)
			if err != nil {
				t.Fatal(err)
			}
			m.roots[rootParameters+i] = unsafe.Pointer(unsafe.SliceData(buf.bytes))
		}
		m.workers = b.(*Backend).workers
		if allocs := testing.AllocsPerRun(5, func() {
			for _, s := range p.steps {
				s.run(m)
			}
		}); allocs != 0 {
			t.Errorf("%s: %g allocations", config, allocs)
		}
		b.Finalize()
	}
}
