package exec

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// padSteps fill the result and copy the operand into it. Negative padding cuts the operand.
func (c *lowerer) padSteps(_ *plan.Plan, n *ir.Node) []step {
	dims := n.Shape.Dimensions
	size := n.Shape.DType.Size()
	strides := ir.RowMajor(dims)
	fill := c.Of(n.In[1])
	fill.Dims, fill.Strides = dims, make([]int, len(dims))
	steps := []step{c.copyOf(n, fill, c.sourceOf(fill, size), c.address(n), strides)}

	v := c.Of(n.In[0])
	v.Dims = slices.Clone(v.Dims)
	to := c.address(n)
	window := slices.Clone(strides)
	for a, p := range n.Data.([]compute.PadAxis) {
		// Element i of the operand goes to p.Start + i·every.
		every := p.Interior + 1
		first := max(0, (every-1-p.Start)/every)
		end := min(v.Dims[a], (dims[a]-p.Start+every-1)/every)
		v.Dims[a] = max(0, end-first)
		v.Off += first * v.Strides[a]
		to.Off += (p.Start + first*every) * strides[a] * size
		window[a] *= every
	}
	return append(steps, c.copyOf(n, v, c.sourceOf(v, size), to, window))
}

// counts defines Iota for type d.
func counts[T element.Number](d dtypes.DType) {
	onType(compute.OpTypeIota, d, func(c *lowerer, n *ir.Node) step {
		dims, axis, to, size := n.Shape.Dimensions, n.Data.(int), c.address(n).Address, n.Shape.Size()
		inner := ir.Product(dims[axis+1:])
		return stepFunc(func(m *machine) {
			for i, d := 0, unsafe.Slice((*T)(m.at(to)), size); i < size; i++ {
				d[i] = T(i / inner % dims[axis])
			}
		})
	})
}

// indexing is what Gather and Scatter have in common: vectors of indices, one for each point of a batch, say where in
// a tensor windows are; other, the tensor of windows, has them at the points of the batch.
type indexing struct {
	indices source
	dtype   dtypes.DType
	// batch has the dimensions of the batch, with strides in bytes: of the indices, and of other.
	batch                 []int
	batchIndex, batchSide []int
	vector, vectorStride  int
	// For each component of an index: its stride in the tensor, in bytes, and its largest value.
	strides, limits []int
	points          int
}

// at returns component v of the index at p.
func (x *indexing) at(p unsafe.Pointer, v int) int {
	return integerAt(unsafe.Add(p, v*x.vectorStride), x.dtype)
}

// windows are where the indices of some points of the batch are, and the offsets of their windows in other.
func (x *indexing) windows(indices unsafe.Pointer, i, end int) iter.Seq2[unsafe.Pointer, int] {
	return func(yield func(index unsafe.Pointer, offset int) bool) {
		for i < end {
			at, n, step := line(x.batch, x.batchIndex, i, end)
			offset, _, side := line(x.batch, x.batchSide, i, end)
			for k := range n {
				if !yield(unsafe.Add(indices, at+k*step), offset+k*side) {
					return
				}
			}
			i += n
		}
	}
}

// indexing prepares the loop. tensor are the dimensions and strides of what is indexed; window the size of windows;
// axes the axis of each component; side the strides of other along the batch.
func (c *lowerer) indexing(indices *ir.Node, vectorAxis int, tensor, strides, window, axes, side []int,
	size int) indexing {
	v := c.Of(indices)
	each := indices.Shape.DType.Size()
	x := indexing{indices: c.sourceOf(v, each), dtype: indices.Shape.DType, vector: 1}
	for a, d := range v.Dims {
		if a == vectorAxis {
			x.vector, x.vectorStride = d, v.Strides[a]*each
			continue
		}
		x.batch = append(x.batch, d)
		x.batchIndex = append(x.batchIndex, v.Strides[a]*each)
		x.batchSide = append(x.batchSide, side[len(x.batchSide)]*size)
	}
	for _, a := range axes {
		x.strides = append(x.strides, strides[a]*size)
		x.limits = append(x.limits, tensor[a]-window[a])
	}
	x.points = ir.Product(x.batch)
	joined, s := ir.Collapse(x.batch, x.batchIndex, x.batchSide)
	x.batch, x.batchIndex, x.batchSide = joined, s[0], s[1]
	return x
}

// gatherStep copies windows of its operand. Windows that reach beyond the operand are moved inside.
type gatherStep struct {
	indexing
	from   source
	to     plan.Address
	window *copier
}

func (c *lowerer) gatherSteps(_ *plan.Plan, n *ir.Node) []step {
	d := n.Data.(ir.GatherData)
	v := c.Of(n.In[0])
	size := n.Shape.DType.Size()
	out := ir.RowMajor(n.Shape.Dimensions)
	var windowTo []int
	k := 0
	for a := range v.Dims {
		if slices.Contains(d.Collapsed, a) {
			windowTo = append(windowTo, 0)
			continue
		}
		windowTo = append(windowTo, out[d.OffsetOutputAxes[k]])
		k++
	}
	x := c.indexing(n.In[1], d.IndexVectorAxis, v.Dims, v.Strides, d.Slices, d.StartIndexMap,
		ir.Without(out, d.OffsetOutputAxes), size)
	return []step{&gatherStep{x, c.sourceOf(v, size), c.address(n).Address,
		newCopier(d.Slices, windowTo, v.Strides, size)}}
}

func (s *gatherStep) run(m *machine) { m.do(s, s.points*(20+s.window.elements*s.window.size/16)) }

func (s *gatherStep) part(m *machine, _, i, n int) {
	from, to, indices := m.from(&s.from), m.at(s.to), m.from(&s.indices)
	lo, hi := share(s.points, i, n)
	for index, offset := range s.windows(indices, lo, hi) {
		at := from
		for v := range s.vector {
			at = unsafe.Add(at, max(0, min(s.at(index, v), s.limits[v]))*s.strides[v])
		}
		s.window.run(unsafe.Add(to, offset), at, 0, s.window.rows)
	}
}

// scatterStep combines windows with parts of a tensor, in the order of the batch. Windows that reach beyond the tensor
// are left out.
type scatterStep struct {
	indexing
	from source
	to   plan.Address
	// A window is rows of elements in one piece: where each begins in the tensor and in the updates, in bytes.
	rows, rowsFrom []int
	row            int // elements
	f              element.TileFunc
	// Where a sum of floats has added inTurn windows at one place, spill moves their sum to others in float64, and back
	// at the end. A window that begins at byte i is at place i>>shift. There are no places for fewer windows.
	places, shift int
	sums          int // how many places can have sums in float64
	spill         func(row unsafe.Pointer, sums []float64, back bool)
}

// inTurn is how many windows are added one after the other in the tensor's own type.
const inTurn = 32

// spills are for the types that round.
var spills = map[dtypes.DType]func(row unsafe.Pointer, sums []float64, back bool){
	dtypes.Float32: spill[float32], dtypes.Float64: spill[float64]}

// spill moves the elements of a row to sums in float64, or back.
func spill[T float32 | float64](row unsafe.Pointer, sums []float64, back bool) {
	x := unsafe.Slice((*T)(row), len(sums))
	if back {
		for i, v := range sums {
			x[i] = T(v + float64(x[i]))
		}
		return
	}
	switch x := any(x).(type) {
	case []float32:
		kernel.Accumulate(sums, x)
	case []float64:
		for i, v := range x {
			sums[i] += v
		}
	}
	clear(x)
}

func (c *lowerer) scatterSteps(p *plan.Plan, n *ir.Node) []step {
	d := n.Data.(ir.ScatterData)
	size := n.Shape.DType.Size()
	dims := n.Shape.Dimensions
	strides := ir.RowMajor(dims)
	updates := c.Of(n.In[2])
	side := ir.Without(updates.Strides, d.UpdateWindowAxes)
	window := make([]int, len(dims))
	from := make([]int, len(dims))
	k := 0
	for a := range dims {
		window[a] = 1
		if !slices.Contains(d.Inserted, a) {
			window[a] = updates.Dims[d.UpdateWindowAxes[k]]
			from[a] = updates.Strides[d.UpdateWindowAxes[k]]
			k++
		}
	}
	op := map[compute.OpType]compute.OpType{compute.OpTypeScatterSum: compute.OpTypeAdd,
		compute.OpTypeScatterMax: compute.OpTypeMax, compute.OpTypeScatterMin: compute.OpTypeMin}[n.Op]
	rows, at := ir.Collapse(window, strides, from)
	row, last := 1, len(rows)-1
	if last >= 0 && at[0][last] == 1 && at[1][last] == 1 {
		row, rows = rows[last], rows[:last]
	}
	offsets := func(strides []int) []int {
		list := make([]int, ir.Product(rows))
		for i := range list {
			at, _, _ := line(rows, strides, i, i+1)
			list[i] = at * size
		}
		return list
	}
	s := &scatterStep{indexing: c.indexing(n.In[1], d.IndexVectorAxis, dims, strides, window, d.ToOperand, side, size),
		from: c.sourceOf(updates, size), to: c.address(n).Address, rows: offsets(at[0]), rowsFrom: offsets(at[1]),
		row: row, f: element.TileFunction(op, n.Shape.DType, n.Shape.DType), spill: spills[n.Shape.DType]}
	if op == compute.OpTypeAdd && s.spill != nil && s.points >= inTurn {
		all, end := 0, 0
		for v, stride := range s.strides {
			all |= stride
			end += max(0, s.limits[v]) * stride
		}
		s.shift = bits.TrailingZeros(uint(all))
		s.places = end>>s.shift + 1
		s.sums = min(s.places, s.points/inTurn)
		c.scratch = max(c.scratch, 8*s.sums*ir.Product(window)+4*s.places)
	}
	return append(c.firstOperand(p, n), s)
}

func (s *scatterStep) run(m *machine) {
	from, to, indices := m.from(&s.from), m.at(s.to), m.from(&s.indices)
	elements, scratch := len(s.rows)*s.row, unsafe.Pointer(unsafe.SliceData(m.local[0].scratch))
	sums := unsafe.Slice((*float64)(scratch), s.sums*elements)
	// Of a place: how many windows were added since they were last moved, and inTurn times the number of its sums.
	added := unsafe.Slice((*int32)(unsafe.Add(scratch, 8*len(sums))), s.places)
	clear(added)
	var moved []int // where sums 1, 2, … are
	o := &m.local[0].operands
	move := func(at, number int, back bool) {
		for i, row := range s.rows {
			s.spill(unsafe.Add(to, at+row), sums[number*elements+i*s.row:][:s.row], back)
		}
	}
points:
	for index, offset := range s.windows(indices, 0, s.points) {
		at := 0
		for v := range s.vector {
			i := s.at(index, v)
			if i < 0 || i > s.limits[v] {
				continue points
			}
			at += i * s.strides[v]
		}
		for i, row := range s.rows {
			o[0], o[1] = unsafe.Add(to, at+row), unsafe.Add(from, offset+s.rowsFrom[i])
			s.f(o[0], o, s.row)
		}
		if s.places == 0 {
			continue
		}
		n := &added[at>>s.shift]
		if *n++; *n%inTurn > 0 {
			continue
		}
		number := int(*n)/inTurn - 1
		if number == 0 {
			clear(sums[len(moved)*elements:][:elements])
			moved = append(moved, at)
			number = len(moved)
		}
		*n = int32(number * inTurn)
		move(at, number-1, false)
	}
	for i, at := range moved {
		move(at, i, true)
	}
}

// randomSteps are the generator of math/rand/v2, PCG-DXSM, with the state that GoMLX's Go backend keeps, so that both
// draw the same numbers.
func (c *lowerer) randomSteps(_ *plan.Plan, n *ir.Node) []step {
	from, size := c.sourceOf(c.Of(n.In[0]), 8), ir.ByteSize(n.Outs[1].Shape)
	to, bits := c.address(n.Outs[0]).Address, c.address(n.Outs[1]).Address
	return []step{stepFunc(func(m *machine) {
		old := unsafe.Slice((*uint64)(m.from(&from)), 3)
		pcg, third := rand.NewPCG(old[0], old[1]), old[2]
		var word [8]byte
		for out := unsafe.Slice((*byte)(m.at(bits)), size); len(out) > 0; {
			binary.LittleEndian.PutUint64(word[:], pcg.Uint64())
			out = out[copy(out, word[:]):]
		}
		var text [20]byte
		pcg.AppendBinary(text[:0]) // "pcg:" and the state; it cannot fail
		s := unsafe.Slice((*uint64)(m.at(to)), 3)
		s[0], s[1], s[2] = binary.LittleEndian.Uint64(text[4:]), binary.LittleEndian.Uint64(text[12:]), third
	})}
}
