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
	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
)

// grower builds a graph, at random out of what it has built so far.
type grower struct {
	b      compute.Backend
	inputs []compute.Buffer
	rng    *rand.Rand
	f      function
	dtype  dtypes.DType // float32 or float64
	// pool are the values to choose from, all of dtype. Values stay within a few units, so that rounding does.
	pool values
	// loops is how many loops may still be nested.
	loops int
	// index is an integer that is known only when running, and is row. Without it (GoMLX's Go backend has no dynamic
	// slices) static operations do the same, and loops are unrolled, since their counters are indices, too.
	index value
	row   int
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// begin begins a graph.
func begin(b compute.Backend, rng *rand.Rand, dtype dtypes.DType, row int) *grower {
	g := &grower{b: b, rng: rng, f: b.Builder("grown").Main(), dtype: dtype, loops: 2, row: row}
	if b.Capabilities().Operations[compute.OpTypeDynamicUpdateSlice] {
		g.index = g.argument(shapes.Make(dtypes.Int32), []int32{int32(row)})
	}
	return g
}

// argument adds a parameter, and what it is when the graph runs.
func (g *grower) argument(s shapes.Shape, flat any) value {
	g.inputs = append(g.inputs, must(g.b.BufferFromFlatData(0, flat, s)))
	return must(g.f.Parameter("", s, nil))
}

// compile ends the graph. What it returns runs it.
func (g *grower) compile(out ...value) func() [][]float64 {
	if err := g.f.Return(out, nil); err != nil {
		panic(err)
	}
	exec := must(g.f.Builder().Compile())
	return func() (results [][]float64) {
		for _, o := range must(exec.Execute(g.inputs, nil, 0)) {
			var values []float64
			switch flat := must(o.Data()).(type) {
			case []float32:
				for _, x := range flat {
					values = append(values, float64(x))
				}
			case []float64:
				values = slices.Clone(flat)
			}
			results = append(results, values)
		}
		return results
	}
}

func (g *grower) dims(v value) []int { return must(g.f.Shape(v)).Dimensions }

func (g *grower) pick() value { return g.pool[g.rng.IntN(len(g.pool))] }

// alike picks a value with the dimensions of v; v itself if there is no other.
func (g *grower) alike(v value) value {
	for _, i := range g.rng.Perm(len(g.pool)) {
		if slices.Equal(g.dims(g.pool[i]), g.dims(v)) {
			return g.pool[i]
		}
	}
	return v
}

// flat has numbers as the graph's type.
func (g *grower) flat(numbers []float64) any {
	if g.dtype == dtypes.Float64 {
		return numbers
	}
	return xslices.Map(numbers, func(x float64) float32 { return float32(x) })
}

func (g *grower) constant(x float64) value { return must(g.f.Constant(g.flat([]float64{x}))) }

// squash keeps values small.
func (g *grower) squash(v value) value { return must(g.f.Tanh(v)) }

// grow adds one random operation, unless it does not apply to what was picked.
func (g *grower) grow() {
	f, x := g.f, g.pick()
	dims := g.dims(x)
	rank := len(dims)
	axis := 0
	if rank > 0 {
		axis = g.rng.IntN(rank)
	}
	kind := g.rng.IntN(36)
	if rank == 0 && slices.Contains([]int{10, 13, 15, 16, 20, 21, 22, 23, 24, 25, 26, 27, 31, 32}, kind) {
		return // it needs an axis
	}
	var v value
	switch kind {
	case 0, 1, 2:
		unary := []func(value) (value, error){f.Tanh, f.Logistic, f.Neg, f.Abs, f.Sin, f.Cos, f.Erf}
		v = must(unary[g.rng.IntN(len(unary))](x))
	case 3:
		v = must(f.Exp(g.squash(x)))
	case 4:
		v = must(f.Sqrt(must(f.Add(must(f.Abs(x)), g.constant(0.5)))))
	case 5, 6, 7, 8:
		binary := []func(a, b value) (value, error){f.Add, f.Sub, f.Mul, f.Max, f.Min}
		y := g.alike(x)
		if g.rng.IntN(4) == 0 {
			y = g.constant(float64(g.rng.IntN(3)))
		}
		if g.rng.IntN(3) == 0 { // with a sum or difference, one operation
			x, y = y, must(f.Mul(x, g.alike(x)))
		}
		if g.rng.IntN(2) == 0 {
			x, y = y, x
		}
		v = g.squash(must(binary[g.rng.IntN(len(binary))](x, y)))
	case 9:
		if rank == 3 {
			return
		}
		n := 1 + g.rng.IntN(4)
		v = must(f.BroadcastInDim(x, shapes.Make(g.dtype, append([]int{n}, dims...)...), []int{1, 2}[:rank]))
	case 10:
		reduce := []func(value, ...int) (value, error){f.ReduceSum, f.ReduceMax, f.ReduceMin}
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
	case 12:
		starts, limits, strides := make([]int, rank), slices.Clone(dims), make([]int, rank)
		for a, d := range dims {
			starts[a] = g.rng.IntN(d)
			limits[a] = starts[a] + 1 + g.rng.IntN(d-starts[a])
			strides[a] = 1 + g.rng.IntN(2)
		}
		v = must(f.Slice(x, starts, limits, strides))
	case 13:
		v = must(f.Reverse(x, axis))
	case 14:
		v = must(f.Transpose(x, g.rng.Perm(rank)...))
	case 15:
		if dims[axis] > 20 {
			return
		}
		y := g.alike(x)
		if g.rng.IntN(2) == 0 { // nobody else has this one
			y = g.squash(must(f.Add(x, y)))
		}
		v = must(f.Concatenate(axis, x, y))
	case 16:
		if dims[axis] > 20 {
			return
		}
		padding := make([]compute.PadAxis, rank)
		padding[axis] = compute.PadAxis{Start: g.rng.IntN(3), End: g.rng.IntN(3), Interior: g.rng.IntN(2)}
		v = must(f.Pad(x, g.constant(float64(g.rng.IntN(2))), padding...))
	case 17:
		size := must(f.Shape(x)).Size()
		v = must(f.Reshape(x, [][]int{{size}, {1, size}, {size, 1}}[g.rng.IntN(3)]...))
	case 18:
		// Compared with a number that no value comes close to by chance.
		v = must(f.Where(must(f.GreaterThan(x, must(f.BroadcastInDim(g.constant(0.123457), must(f.Shape(x)), nil)))), x,
			g.alike(x)))
	case 19:
		v = g.loop()
	case 20, 21:
		v = g.readRows(x, 1+g.rng.IntN(dims[0]))
	case 22, 23:
		v = g.writeRows(x, g.update(x))
	case 24:
		// Through a type of another size.
		if g.dtype != dtypes.Float32 {
			return
		}
		wide := must(f.Tanh(must(f.ConvertDType(x, dtypes.Float64))))
		if g.rng.IntN(2) == 0 {
			wide = must(f.Tanh(must(f.ReduceSum(wide, axis))))
		}
		v = must(f.ConvertDType(wide, dtypes.Float32))
	case 25:
		// A value, the rows where it is written, and what reads it before or after.
		update := g.update(x)
		g.pool = append(g.pool, update)
		v = g.writeRows(g.squash(must(f.Neg(x))), update)
	case 26:
		v = g.squash(must(f.CumSum(x, axis, compute.CumSumOptions{Reverse: g.rng.IntN(2) == 0})))
	case 27:
		size, steps := make([]int, rank), make([]int, rank)
		for a, d := range dims {
			size[a], steps[a] = 1+g.rng.IntN(min(d, 3)), 1+g.rng.IntN(2)
		}
		kind := []compute.ReduceOpType{compute.ReduceOpSum, compute.ReduceOpMax, compute.ReduceOpMin}[g.rng.IntN(3)]
		v = g.squash(must(f.ReduceWindow(x, kind, size, steps, nil, nil, nil)))
	case 29, 30:
		v = g.branch()
	case 31, 32:
		// An older value is written into a concatenation, which may have it as a part.
		if dims[0] > 20 {
			return
		}
		m := must(f.Concatenate(0, x, g.alike(x)))
		into := g.dims(m)
		for _, i := range g.rng.Perm(len(g.pool)) {
			update := g.dims(g.pool[i])
			if len(update) == len(into) && update[0] <= into[0] && slices.Equal(update[1:], into[1:]) {
				v = g.writeRows(m, g.pool[i])
				break
			}
		}
	case 33:
		// An index is also data, and part of a concatenation.
		g.advance(1)
		if g.index == nil {
			one, two := g.constant(float64(g.row)), g.constant(float64(g.row*g.row))
			v = g.squash(must(f.Concatenate(0, must(f.Reshape(one, 1)), must(f.Reshape(two, 1)))))
		} else {
			one, two := must(f.Reshape(g.index, 1)), must(f.Reshape(must(f.Mul(g.index, g.index)), 1))
			v = g.squash(must(f.ConvertDType(must(f.Concatenate(0, one, two)), g.dtype)))
		}
	case 34, 35:
		v = g.view(x)
	case 28:
		// Of a batch of sequences of channels.
		y := g.pick()
		other := g.dims(y)
		if rank != 3 || len(other) != 3 {
			return
		}
		in := slices.Index(other, dims[2])
		if in < 0 {
			return
		}
		axes := compute.ConvolveAxesConfig{InputSpatial: []int{1}, InputChannels: 2, KernelInputChannels: in,
			KernelSpatial: []int{(in + 1) % 3}, KernelOutputChannels: (in + 2) % 3, OutputSpatial: []int{1},
			OutputChannels: 2}
		width := other[(in+1)%3] - 1
		v = g.squash(must(f.ConvGeneral(x, y, axes, nil, [][2]int{{width, width}}, nil, nil, 1, 1)))
	}
	if v != nil {
		g.pool = append(g.pool, v)
	}
}

// view is another view of a value, of the same dimensions if it can be.
func (g *grower) view(x value) value {
	dims := g.dims(x)
	switch k := g.rng.IntN(4); {
	case len(dims) == 0:
		return x
	case k == 0:
		return must(g.f.Reverse(x, g.rng.IntN(len(dims))))
	case k == 1:
		for _, i := range g.rng.Perm(len(g.pool)) {
			d := g.dims(g.pool[i])
			if len(d) == len(dims) && d[0] > dims[0] && slices.Equal(d[1:], dims[1:]) {
				return g.readRows(g.pool[i], dims[0])
			}
		}
		return x
	case k == 2 && len(dims) == 2 && dims[0] == dims[1]:
		return must(g.f.Transpose(x, 1, 0))
	}
	m := g.alike(x)
	return g.readRows(must(g.f.Concatenate(0, x, m)), dims[0])
}

// branch is a conditional on the index, whose branches grow from the pool; nil if nothing more may be nested.
func (g *grower) branch() value {
	if g.loops == 0 {
		return nil
	}
	a, seed, limit := g.pick(), g.rng.Uint64(), g.rng.IntN(3)
	body := func(f function, which uint64) values {
		b := &grower{
			rng: rand.New(rand.NewPCG(seed, which)), f: f, dtype: g.dtype, pool: slices.Clone(g.pool),
			loops: g.loops - 1, index: g.index, row: g.row,
		}
		for range 4 {
			b.grow()
		}
		var out values
		for range 2 {
			v := b.alike(a)
			switch b.rng.IntN(3) {
			case 0:
				v = b.view(v)
			case 1:
				v = b.squash(must(f.Add(v, b.alike(a))))
			}
			out = append(out, v)
		}
		return out
	}
	if g.index == nil {
		which := uint64(1)
		if g.row >= limit {
			which = 0
		}
		out := body(g.f, which)
		g.pool = append(g.pool, out[0])
		return out[1]
	}
	of := func(which uint64) function {
		return closure(g.f, nil, func(f function, _ values) values { return body(f, which) })
	}
	reached := must(g.f.GreaterOrEqual(g.index, must(g.f.Constant([]int32{int32(limit)}))))
	out := must(g.f.If(reached, of(0), of(1)))
	g.pool = append(g.pool, out[0])
	return out[1]
}

// advance adds to the index.
func (g *grower) advance(by int32) {
	g.row += int(by)
	if g.index != nil {
		g.index = must(g.f.Add(g.index, must(g.f.Constant([]int32{by}))))
	}
}

// start are start indices for dynamic slices of x: g.index, and zeros.
func (g *grower) start(x value) values {
	start := values{g.index}
	for range g.dims(x)[1:] {
		start = append(start, must(g.f.Constant([]int32{0})))
	}
	return start
}

// slice takes rows lo to hi of x.
func (g *grower) slice(x value, lo, hi int) value {
	dims := g.dims(x)
	starts, limits := make([]int, len(dims)), slices.Clone(dims)
	starts[0], limits[0] = lo, hi
	return must(g.f.Slice(x, starts, limits, nil))
}

// readRows takes n rows of x from row g.row on, or the last n.
func (g *grower) readRows(x value, n int) value {
	dims := slices.Clone(g.dims(x))
	at := min(g.row, dims[0]-n)
	if g.index == nil {
		return g.slice(x, at, at+n)
	}
	dims[0] = n
	return must(g.f.DynamicSlice(x, g.start(x), dims))
}

// writeRows replaces rows of x by those of update.
func (g *grower) writeRows(x, update value) value {
	if g.index != nil {
		return must(g.f.DynamicUpdateSlice(x, update, g.start(x)))
	}
	rows, n := g.dims(x)[0], g.dims(update)[0]
	at := min(g.row, rows-n)
	pieces := values{update}
	if at > 0 {
		pieces = append(values{g.slice(x, 0, at)}, pieces...)
	}
	if at+n < rows {
		pieces = append(pieces, g.slice(x, at+n, rows))
	}
	return must(g.f.Concatenate(0, pieces...))
}

// update computes rows to be written into x.
func (g *grower) update(x value) value {
	rows := 1 + g.rng.IntN(g.dims(x)[0])
	y := g.alike(x)
	if g.rng.IntN(2) == 0 {
		return g.readRows(g.squash(must(g.f.Add(y, g.constant(1)))), rows)
	}
	return g.squash(must(g.f.Add(g.readRows(y, rows), g.constant(1))))
}

// loop adds a While of up to four iterations that captures values and changes three. The first is a counter, which goes
// up or down and is an index, too.
func (g *grower) loop() value {
	if g.loops == 0 {
		return nil
	}
	a := g.pick()
	state := values{a, g.alike(a)}
	n, first, step, seed := g.rng.IntN(5), g.rng.IntN(3), 1, g.rng.Uint64()
	if g.rng.IntN(2) == 0 {
		first, step = first+n-1, -1
	}
	limit := first + step*n
	// body grows what an iteration does to the state, from the same random numbers in every iteration. It captures what
	// is already there; the state comes on top.
	body := func(f function, i value, row int, p values) values {
		b := &grower{rng: rand.New(rand.NewPCG(seed, 1)), f: f, dtype: g.dtype,
			pool: append(slices.Clone(g.pool), p[0], p[1], p[0], p[1]), loops: g.loops - 1, index: i, row: row}
		if b.rng.IntN(3) == 0 {
			b.index, b.row = g.index, g.row
		}
		for range 8 {
			b.grow()
		}
		swapped := b.rng.IntN(2)
		var out values
		for k := range p {
			v := p[(k+swapped)%2]
			switch kind := b.rng.IntN(6); {
			case kind == 0:
			case kind >= 4:
				v = b.view(v)
			case kind == 1 || len(b.dims(v)) == 0:
				v = b.squash(must(f.Add(v, b.alike(v))))
			default:
				for range kind - 1 {
					v = b.writeRows(v, b.update(v))
				}
			}
			out = append(out, v)
		}
		return out
	}
	if g.index == nil {
		for i := range n {
			state = body(g.f, nil, first+i*step, state)
		}
		g.pool = append(g.pool, state[0])
		return state[1]
	}
	at := int(seed % 3) // of the counter
	state = slices.Insert(state, at, must(g.f.Constant([]int32{int32(first)})))
	of := shapesOf(g.f, state)
	out := must(g.f.While(closure(g.f, of, func(f function, p values) values {
		goOn := f.LessThan
		if step < 0 {
			goOn = f.GreaterThan
		}
		return values{must(goOn(p[at], must(f.Constant([]int32{int32(limit)}))))}
	}), closure(g.f, of, func(f function, p values) values {
		next := must(f.Add(p[at], must(f.Constant([]int32{int32(step)}))))
		return slices.Insert(body(f, p[at], 0, slices.Delete(slices.Clone(p), at, at+1)), at, next)
	}), state...))
	out = slices.Delete(out, at, at+1)
	g.pool = append(g.pool, out[0])
	return out[1]
}

// grown builds the random graph of a seed on a backend and returns what it computes. Every fourth is of float64.
func grown(b compute.Backend, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	g := begin(b, rng, dtypes.Float32, rng.IntN(4))
	if seed%4 == 3 {
		g.dtype = dtypes.Float64
	}
	sizes := []int{1, 2, 3, 5, 8, 17}
	var dims []int
	for i := range 4 {
		if i == 0 || seed%2 == 0 { // in every other graph all dimensions are alike, so that more operations apply
			dims = make([]int, rng.IntN(4))
			for a := range dims {
				dims[a] = sizes[rng.IntN(len(sizes))]
			}
		}
		s := shapes.Make(g.dtype, dims...)
		numbers := make([]float64, s.Size())
		for i := range numbers {
			numbers[i] = rng.NormFloat64()
		}
		g.pool = append(g.pool, g.argument(s, g.flat(numbers)))
	}
	for range 30 {
		g.grow()
	}
	out := values{g.pool[len(g.pool)-1]}
	for i := 1; i < 5; i++ {
		// GoMLX's Go backend confuses outputs that are equal.
		out = append(out, must(g.f.Add(g.pool[len(g.pool)-1-i], g.constant(float64(i)))))
	}
	run := g.compile(out...)
	return append(run(), run()...) // memory is used again the second time
}

// FuzzCompiler compares random graphs with GoMLX's Go backend, and one thread with three, bit by bit.
func FuzzCompiler(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	simd.HandOver(f)
	reference := must(gobackend.New("ops_sequential"))
	one, three := must(simd.New("threads=1")), must(simd.New("threads=3"))
	f.Fuzz(func(t *testing.T, seed uint64) {
		got := grown(one, seed)
		for i, values := range grown(three, seed) {
			same := slices.EqualFunc(values, got[i], func(a, b float64) bool {
				return math.Float64bits(a) == math.Float64bits(b)
			})
			check.Must(t, same, "seed %d, output %d: results depend on the number of threads", seed, i)
		}
		var want [][]float64
		if exceptions.Try(func() { want = grown(reference, seed) }) != nil {
			t.Skip("GoMLX's Go backend cannot run this graph")
		}
		// Sums of some tens of values of about one, through some tens of operations.
		within := 2e-4
		if seed%4 == 3 {
			within = 1e-11
		}
		for i := range want {
			check.Near(t, got[i], want[i], within, "seed %d, output %d", seed, i)
		}
	})
}
