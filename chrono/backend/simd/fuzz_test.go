package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/chrono/backend/simd"
)

// grower builds a random graph out of what it has built so far.
type grower struct {
	rng *rand.Rand
	f   compute.Function
	// pool are the values to choose from, all float32. Values stay within a few units, so that rounding does.
	pool []compute.Value
	// loops is how many loops may still be nested.
	loops int
	// index is an integer that is known only when running, and is row. Without it (GoMLX's Go backend has no dynamic
	// slices) static operations do the same.
	index compute.Value
	row   int
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (g *grower) dims(v compute.Value) []int { return must(g.f.Shape(v)).Dimensions }

func (g *grower) pick() compute.Value { return g.pool[g.rng.IntN(len(g.pool))] }

// alike picks a value with the dimensions of v; v itself if there is no other.
func (g *grower) alike(v compute.Value) compute.Value {
	for _, i := range g.rng.Perm(len(g.pool)) {
		if slices.Equal(g.dims(g.pool[i]), g.dims(v)) {
			return g.pool[i]
		}
	}
	return v
}

func (g *grower) constant(x float32) compute.Value { return must(g.f.Constant([]float32{x})) }

// squash keeps values small.
func (g *grower) squash(v compute.Value) compute.Value { return must(g.f.Tanh(v)) }

// grow adds one random operation, unless it does not apply to what was picked.
func (g *grower) grow() {
	f, x := g.f, g.pick()
	dims := g.dims(x)
	rank := len(dims)
	axis := 0
	if rank > 0 {
		axis = g.rng.IntN(rank)
	}
	var v compute.Value
	switch g.rng.IntN(24) {
	case 0, 1, 2:
		unary := []func(compute.Value) (compute.Value, error){f.Tanh, f.Logistic, f.Neg, f.Abs, f.Sin, f.Cos, f.Erf}
		v = must(unary[g.rng.IntN(len(unary))](x))
	case 3:
		v = must(f.Exp(g.squash(x)))
	case 4:
		v = must(f.Sqrt(must(f.Add(must(f.Abs(x)), g.constant(0.5)))))
	case 5, 6, 7, 8:
		binary := []func(a, b compute.Value) (compute.Value, error){f.Add, f.Sub, f.Mul, f.Max, f.Min}
		y := g.alike(x)
		if g.rng.IntN(4) == 0 {
			y = g.constant(float32(g.rng.IntN(3)))
		}
		v = g.squash(must(binary[g.rng.IntN(len(binary))](x, y)))
	case 9:
		if rank == 3 {
			return
		}
		n := 1 + g.rng.IntN(4)
		axes := make([]int, rank)
		for a := range axes {
			axes[a] = a + 1
		}
		v = must(f.BroadcastInDim(x, shapes.Make(dtypes.Float32, append([]int{n}, dims...)...), axes))
	case 10:
		if rank == 0 {
			return
		}
		reduce := []func(compute.Value, ...int) (compute.Value, error){f.ReduceSum, f.ReduceMax, f.ReduceMin}
		v = g.squash(must(reduce[g.rng.IntN(3)](x, axis)))
	case 11:
		y := g.pick()
		other := g.dims(y)
		for a, d := range dims {
			if b := slices.Index(other, d); b >= 0 && rank-1+len(other)-1 <= 3 {
				v = g.squash(must(f.DotGeneral(x, []int{a}, nil, y, []int{b}, nil, compute.DotGeneralConfig{})))
				break
			}
		}
		if v == nil {
			return
		}
	case 12:
		starts, limits, strides := make([]int, rank), slices.Clone(dims), make([]int, rank)
		for a, d := range dims {
			starts[a] = g.rng.IntN(d)
			limits[a] = starts[a] + 1 + g.rng.IntN(d-starts[a])
			strides[a] = 1 + g.rng.IntN(2)
		}
		v = must(f.Slice(x, starts, limits, strides))
	case 13:
		if rank == 0 {
			return
		}
		v = must(f.Reverse(x, axis))
	case 14:
		v = must(f.Transpose(x, g.rng.Perm(rank)...))
	case 15:
		if rank == 0 || dims[axis] > 20 {
			return
		}
		v = must(f.Concatenate(axis, x, g.alike(x)))
	case 16:
		if rank == 0 || dims[axis] > 20 {
			return
		}
		padding := make([]compute.PadAxis, rank)
		padding[axis] = compute.PadAxis{Start: g.rng.IntN(3), End: g.rng.IntN(3), Interior: g.rng.IntN(2)}
		v = must(f.Pad(x, g.constant(float32(g.rng.IntN(2))), padding...))
	case 17:
		size := 1
		for _, d := range dims {
			size *= d
		}
		v = must(f.Reshape(x, [][]int{{size}, {1, size}, {size, 1}}[g.rng.IntN(3)]...))
	case 18:
		// Compared with a number that no value comes close to by chance.
		v = must(f.Where(must(f.GreaterThan(x, must(f.BroadcastInDim(g.constant(0.123457), must(f.Shape(x)), nil)))), x,
			g.alike(x)))
	case 19:
		v = g.loop()
		if v == nil {
			return
		}
	case 20, 21:
		if rank == 0 {
			return
		}
		v = g.readRows(x, 1+g.rng.IntN(dims[0]))
	case 22, 23:
		if rank == 0 {
			return
		}
		v = g.writeRows(x, g.readRows(g.squash(must(f.Add(g.alike(x), g.constant(1)))), 1+g.rng.IntN(dims[0])))
	}
	g.pool = append(g.pool, v)
}

// start are start indices for dynamic slices of x: g.index, and zeros.
func (g *grower) start(x compute.Value) []compute.Value {
	start := []compute.Value{g.index}
	for range g.dims(x)[1:] {
		start = append(start, must(g.f.Constant([]int32{0})))
	}
	return start
}

// slice takes rows lo to hi of x.
func (g *grower) slice(x compute.Value, lo, hi int) compute.Value {
	dims := g.dims(x)
	starts, limits := make([]int, len(dims)), slices.Clone(dims)
	starts[0], limits[0] = lo, hi
	return must(g.f.Slice(x, starts, limits, nil))
}

// readRows takes n rows of x from row g.row on, or the last n.
func (g *grower) readRows(x compute.Value, n int) compute.Value {
	dims := slices.Clone(g.dims(x))
	at := min(g.row, dims[0]-n)
	if g.index == nil {
		return g.slice(x, at, at+n)
	}
	dims[0] = n
	return must(g.f.DynamicSlice(x, g.start(x), dims))
}

// writeRows replaces rows of x by those of update.
func (g *grower) writeRows(x, update compute.Value) compute.Value {
	if g.index != nil {
		return must(g.f.DynamicUpdateSlice(x, update, g.start(x)))
	}
	rows, n := g.dims(x)[0], g.dims(update)[0]
	at := min(g.row, rows-n)
	pieces := []compute.Value{update}
	if at > 0 {
		pieces = append([]compute.Value{g.slice(x, 0, at)}, pieces...)
	}
	if at+n < rows {
		pieces = append(pieces, g.slice(x, at+n, rows))
	}
	return must(g.f.Concatenate(0, pieces...))
}

// loop adds a While of up to four iterations that captures values and changes three.
func (g *grower) loop() compute.Value {
	if g.loops == 0 {
		return nil
	}
	a := g.pick()
	state := []compute.Value{must(g.f.Constant([]int32{0})), a, g.alike(a)}
	inner := func() (*grower, []compute.Value) {
		f := must(g.f.Closure())
		var params []compute.Value
		for _, s := range state {
			params = append(params, must(f.Parameter("", must(g.f.Shape(s)), nil)))
		}
		// The body captures what is already there, its parameters come on top.
		return &grower{rng: g.rng, f: f, pool: append(slices.Clone(g.pool), params[1], params[2], params[1], params[2]),
			loops: g.loops - 1,
			index: g.index, row: g.row}, params
	}
	cond, params := inner()
	n := must(cond.f.Constant([]int32{int32(g.rng.IntN(5))}))
	if err := cond.f.Return([]compute.Value{must(cond.f.LessThan(params[0], n))}, nil); err != nil {
		panic(err)
	}
	body, params := inner()
	for range 8 {
		body.grow()
	}
	next := func(p compute.Value) compute.Value { return body.squash(must(body.f.Add(p, body.alike(p)))) }
	out := []compute.Value{must(body.f.Add(params[0], must(body.f.Constant([]int32{1})))), next(params[2]),
		next(params[1])}
	if g.rng.IntN(3) == 0 {
		out[1], out[2] = params[2], params[1]
	}
	if err := body.f.Return(out, nil); err != nil {
		panic(err)
	}
	out = must(g.f.While(cond.f, body.f, state...))
	g.pool = append(g.pool, out[1])
	return out[2]
}

// grown builds the random graph of a seed on a backend and returns what it computes.
func grown(b compute.Backend, seed uint64) [][]float32 {
	rng := rand.New(rand.NewPCG(seed, 0))
	builder := b.Builder("fuzz")
	g := &grower{rng: rng, f: builder.Main(), loops: 1, row: rng.IntN(4)}
	var inputs []compute.Buffer
	if b.Capabilities().Operations[compute.OpTypeDynamicUpdateSlice] {
		s := shapes.Make(dtypes.Int32)
		g.index = must(g.f.Parameter("", s, nil))
		inputs = append(inputs, must(b.BufferFromFlatData(0, []int32{int32(g.row)}, s)))
	}
	sizes := []int{1, 2, 3, 5, 8, 17}
	for range 4 {
		dims := make([]int, rng.IntN(4))
		for a := range dims {
			dims[a] = sizes[rng.IntN(len(sizes))]
		}
		s := shapes.Make(dtypes.Float32, dims...)
		flat := make([]float32, s.Size())
		for i := range flat {
			flat[i] = float32(rng.NormFloat64())
		}
		g.pool = append(g.pool, must(g.f.Parameter("", s, nil)))
		inputs = append(inputs, must(b.BufferFromFlatData(0, flat, s)))
	}
	for range 30 {
		g.grow()
	}
	out := []compute.Value{g.pool[len(g.pool)-1]}
	for i := 1; i < 5; i++ {
		// GoMLX's Go backend confuses outputs that are equal.
		out = append(out, must(g.f.Add(g.pool[len(g.pool)-1-i], g.constant(float32(i)))))
	}
	if err := g.f.Return(out, nil); err != nil {
		panic(err)
	}
	exec := must(builder.Compile())
	var results [][]float32
	for range 2 { // memory is used again the second time
		results = nil
		for _, o := range must(exec.Execute(inputs, nil, 0)) {
			results = append(results, slices.Clone(must(o.Data()).([]float32)))
		}
	}
	return results
}

// FuzzCompiler compares random graphs with GoMLX's Go backend, and one thread with three, bit by bit.
func FuzzCompiler(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	reference := must(gobackend.New("ops_sequential"))
	one, three := must(simd.New("threads=1")), must(simd.New("threads=3"))
	f.Fuzz(func(t *testing.T, seed uint64) {
		got := grown(one, seed)
		for i, values := range grown(three, seed) {
			if !slices.EqualFunc(values, got[i], func(a, b float32) bool {
				return math.Float32bits(a) == math.Float32bits(b)
			}) {
				t.Fatalf("seed %d, output %d: results depend on the number of threads", seed, i)
			}
		}
		want := grownOnGo(reference, seed)
		if want == nil {
			t.Skip("GoMLX's Go backend cannot run this graph")
		}
		for i := range want {
			for j, w := range want[i] {
				// Sums of some tens of values of about one, through some tens of operations.
				if d := math.Abs(float64(got[i][j] - w)); !(d <= 2e-4*(1+math.Abs(float64(w)))) &&
					!(math.IsNaN(float64(w)) && math.IsNaN(float64(got[i][j]))) {
					t.Fatalf("seed %d, output %d, element %d: %g, GoMLX's Go backend has %g", seed, i, j, got[i][j], w)
				}
			}
		}
	})
}

// grownOnGo is grown on GoMLX's Go backend, nothing if that cannot run the graph: it fails on some broadcasts in loops.
func grownOnGo(b compute.Backend, seed uint64) (results [][]float32) {
	defer func() {
		if r := recover(); r != nil {
			results = nil
		}
	}()
	return grown(b, seed)
}
