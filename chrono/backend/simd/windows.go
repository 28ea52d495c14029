package simd

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// A window along one axis has size elements, every apart. Windows begin step elements apart, on the operand with
// holes − 1 elements between those it has, and padded.
type window struct {
	axis, size, step, every, holes int
	padding                        [2]int
}

// windowsOf says how axes are cut; each list may be missing. By default windows lie side by side.
func windowsOf(axes, sizes, steps, every, holes []int, padding [][2]int) []window {
	list := make([]window, len(axes))
	for i, a := range axes {
		of := func(numbers []int, missing int) int {
			if len(numbers) == 0 {
				return missing
			}
			return numbers[i]
		}
		size := of(sizes, 1)
		list[i] = window{axis: a, size: size, step: of(steps, size), every: of(every, 1), holes: of(holes, 1)}
		if len(padding) > 0 {
			list[i].padding = padding[i]
		}
	}
	return list
}

// windows has the axes of n, cut into windows, and after them an axis for the elements of windows along each axis cut.
// Nothing but the padding is copied: a product with it is a convolution, and a reduction a pooling.
func (f *function) windows(n, fill *ir.Node, cut []window) *ir.Node {
	padding := make([]compute.PadAxis, n.Shape.Rank())
	dims := slices.Clone(n.Shape.Dimensions)
	d := ir.WindowData{}
	for _, w := range cut {
		padding[w.axis] = compute.PadAxis{Start: w.padding[0], End: w.padding[1], Interior: w.holes - 1}
		dims[w.axis] = max(0, (dims[w.axis]-1)*w.holes+1) + w.padding[0] + w.padding[1]
	}
	padded := f.add(compute.OpTypePad, shapes.Make(n.Shape.DType, dims...), padding, n, fill)
	for _, w := range cut {
		dims[w.axis] = (dims[w.axis]-(w.size-1)*w.every-1)/w.step + 1
		dims = append(dims, w.size)
		d.Axes, d.Sizes = append(d.Axes, w.axis), append(d.Sizes, w.size)
		d.Steps, d.Every = append(d.Steps, w.step), append(d.Every, w.every)
	}
	return f.add(ir.OpWindows, shapes.Make(n.Shape.DType, dims...), d, padded)
}

// upTo are the numbers from lo to hi − 1.
func upTo(lo, hi int) []int { return xslices.Iota(lo, hi-lo) }

func (f *function) ReduceWindow(x value, reduction compute.ReduceOpType, sizes, steps, holes, every []int,
	padding [][2]int) (value, error) {
	return f.record(compute.OpTypeReduceWindow, func(in []*ir.Node) *ir.Node {
		s := ir.Must(shapeinference.ReduceWindow(in[0].Shape, sizes, steps, holes, every, padding))
		n := f.wide(in[0])
		var op, each compute.OpType
		var fill *ir.Node
		switch reduction {
		case compute.ReduceOpSum:
			op, each, fill = compute.OpTypeReduceSum, compute.OpTypeAdd, f.number(n.Shape.DType, 0)
		case compute.ReduceOpProduct:
			op, each, fill = compute.OpTypeReduceProduct, compute.OpTypeMul, f.number(n.Shape.DType, 1)
		case compute.ReduceOpMax:
			op, each, fill = compute.OpTypeReduceMax, compute.OpTypeMax, f.scalar(n.Shape.DType.LowestValue())
		case compute.ReduceOpMin:
			op, each, fill = compute.OpTypeReduceMin, compute.OpTypeMin, f.scalar(n.Shape.DType.HighestValue())
		default:
			ir.Fail("ReduceWindow: unknown reduction %s", reduction)
		}
		rank := s.Rank()
		w := f.windows(n, fill, windowsOf(upTo(0, rank), sizes, steps, every, holes, padding))
		if ir.Product(sizes) <= fewElements {
			parts := f.elementsOf(w)
			sum := parts[0]
			for _, part := range parts[1:] {
				sum = f.elementwise(each, sum.Shape, sum, part)
			}
			return f.convert(sum, s.DType)
		}
		reduced := f.add(op, shapes.Make(n.Shape.DType, s.Dimensions...), upTo(rank, 2*rank), w)
		return f.convert(reduced, s.DType)
	}, x)
}

// fewElements is how many elements a window has at most for it to be reduced element by element: an operation for each
// of them, on all windows at once.
const fewElements = 16

// elementsOf takes windows along all axes apart: into their first elements, their second, and so on.
func (f *function) elementsOf(windows *ir.Node) []*ir.Node {
	dims := windows.Shape.Dimensions
	rank := len(dims) / 2
	parts := make([]*ir.Node, ir.Product(dims[rank:]))
	for k := range parts {
		n, left := windows, k
		for a := 2*rank - 1; a >= rank; a-- {
			n = f.slice(n, a, left%dims[a], left%dims[a]+1)
			left /= dims[a]
		}
		parts[k] = f.reshape(n, dims[:rank]...)
	}
	return parts
}

// interleave puts elementsOf windows that lie side by side together again.
func (f *function) interleave(parts []*ir.Node, sizes []int) *ir.Node {
	var dims []int // each axis, and the windows' size along it
	whole := slices.Clone(parts[0].Shape.Dimensions)
	for a, d := range parts[0].Shape.Dimensions {
		dims = append(dims, d, 1)
		whole[a] *= sizes[a]
	}
	parts = slices.Clone(parts)
	for i, p := range parts {
		parts[i] = f.reshape(p, dims...)
	}
	for a := len(sizes) - 1; a >= 0; a-- {
		dims[2*a+1] = sizes[a]
		s := shapes.Make(parts[0].Shape.DType, slices.Clone(dims)...)
		var joined []*ir.Node
		for some := range slices.Chunk(parts, sizes[a]) {
			joined = append(joined, f.add(compute.OpTypeConcatenate, s, 2*a+1, some...))
		}
		parts = joined
	}
	return f.reshape(parts[0], whole...)
}

func (f *function) SelectAndScatterMax(x, source value, sizes, steps []int, padding [][2]int) (value, error) {
	return f.selectAndScatter(compute.OpTypeSelectAndScatterMax, x, source, sizes, steps, padding)
}

func (f *function) SelectAndScatterMin(x, source value, sizes, steps []int, padding [][2]int) (value, error) {
	return f.selectAndScatter(compute.OpTypeSelectAndScatterMin, x, source, sizes, steps, padding)
}

// selectAndScatter adds each element of from to where its window of x has its largest or smallest element, the first
// of several.
func (f *function) selectAndScatter(op compute.OpType, x, from value, sizes, steps []int, padding [][2]int) (
	value, error) {
	return f.record(op, func(in []*ir.Node) *ir.Node {
		source := in[1]
		s := ir.Must(shapeinference.SelectAndScatter(in[0].Shape, source.Shape, sizes, steps, padding))
		if s.DType == dtypes.Bool {
			ir.Fail("%s: booleans are no numbers", op)
		}
		rank, isMin := s.Rank(), op == compute.OpTypeSelectAndScatterMin
		n := f.wide(in[0])
		fill := n.Shape.DType.LowestValue()
		if isMin {
			fill = n.Shape.DType.HighestValue()
		}
		cut := windowsOf(upTo(0, rank), sizes, steps, nil, nil, padding)
		points, size, apart := source.Shape.Size(), 1, true
		for a, w := range cut {
			size *= w.size
			apart = apart && w.step == w.size && w.padding == [2]int{} && n.Shape.Dimensions[a]%w.size == 0
		}
		if apart && size <= fewElements && points > 0 {
			return f.selectApart(op, n, source, cut)
		}
		windows := f.reshape(f.windows(n, f.scalar(fill), cut), points, size)
		index := shapes.Make(dtypes.Int64, points)
		chosen := f.add(compute.OpTypeArgMinMax, index, ir.ArgData{Axis: 1, IsMin: isMin}, windows)
		number := func(i int) *ir.Node { return f.number(dtypes.Int64, float64(i)) }
		of := func(op compute.OpType, a, b *ir.Node) *ir.Node { return f.elementwise(op, index, a, b) }
		var coordinates []*ir.Node
		within := size
		for a, w := range cut {
			within /= w.size
			counter := shapes.Make(dtypes.Int64, source.Shape.Dimensions...)
			window := f.reshape(f.add(compute.OpTypeIota, counter, a), points)
			start := of(compute.OpTypeSub, of(compute.OpTypeMul, window, number(w.step)), number(w.padding[0]))
			inside := of(compute.OpTypeRem, of(compute.OpTypeDiv, chosen, number(within)), number(w.size))
			// Where all elements are as low as the padding, it may have been chosen: the first element after it is
			// meant. What is still outside then, because all of the window is, is left out when scattered.
			at := of(compute.OpTypeMax, of(compute.OpTypeAdd, start, inside), number(0))
			at = of(compute.OpTypeMin, at, of(compute.OpTypeAdd, start, number(w.size-1)))
			coordinates = append(coordinates, f.reshape(at, points, 1))
		}
		zeros := f.broadcast(f.number(s.DType, 0), s.Dimensions)
		indices := f.add(compute.OpTypeConcatenate, shapes.Make(dtypes.Int64, points, rank), 1, coordinates...)
		return f.scatter(compute.OpTypeScatterSum, []*ir.Node{zeros, indices, f.reshape(source, points)},
			ir.ScatterData{IndexVectorAxis: 1, Inserted: upTo(0, rank), ToOperand: upTo(0, rank)})
	}, x, from)
}

// selectApart is selectAndScatter for windows that lie side by side, element by element: each takes the source from
// those before it if it is larger than all of them. Where there is NaN, it goes to an element behind it.
func (f *function) selectApart(op compute.OpType, n, source *ir.Node, cut []window) *ir.Node {
	isMin, best := op == compute.OpTypeSelectAndScatterMin, compute.OpTypeMax
	if isMin {
		best = compute.OpTypeMin
	}
	s := source.Shape
	parts := f.elementsOf(f.windows(n, f.number(n.Shape.DType, 0), cut))
	keep := make([]*ir.Node, len(parts)) // whether the best is before the part
	for k, so := 1, parts[0]; k < len(parts); k++ {
		less, more := parts[k], so
		if isMin {
			less, more = so, parts[k]
		}
		keep[k] = f.elementwise(compute.OpTypeLessOrEqual, shapes.Make(dtypes.Bool, s.Dimensions...), less, more)
		so = f.elementwise(best, so.Shape, so, parts[k])
	}
	zero := f.broadcast(f.number(s.DType, 0), s.Dimensions)
	for k := len(parts) - 1; k > 0; k-- {
		parts[k] = f.elementwise(compute.OpTypeWhere, s, keep[k], zero, source)
		source = f.elementwise(compute.OpTypeWhere, s, keep[k], source, zero)
	}
	parts[0] = source
	sizes := make([]int, len(cut))
	for a, w := range cut {
		sizes[a] = w.size
	}
	return f.interleave(parts, sizes)
}

// ConvGeneral is a product of the kernel with windows of the input. Groups are a batch axis of the product.
func (f *function) ConvGeneral(input, kernel value, axes compute.ConvolveAxesConfig, steps []int, padding [][2]int,
	holes, every []int, channelGroups, batchGroups int) (value, error) {
	channelGroups, batchGroups = max(1, channelGroups), max(1, batchGroups)
	return f.record(compute.OpTypeConvGeneral, func(in []*ir.Node) *ir.Node {
		n, k := in[0], in[1]
		s := ir.Must(shapeinference.ConvGeneral(n.Shape, k.Shape, axes, steps, padding, holes, every, channelGroups,
			batchGroups))
		if n.Shape.DType != k.Shape.DType || s.DType == dtypes.Bool {
			ir.Fail("ConvGeneral: input %s and kernel %s", n.Shape, k.Shape)
		}
		spatial := len(axes.InputSpatial)
		n, k = f.wide(n), f.wide(k)

		// The kernel: [spatial..., input channels, batch groups, channel groups, output channels of a group].
		channels := []int{axes.KernelInputChannels, axes.KernelOutputChannels}
		k = f.transpose(k, slices.Concat(axes.KernelSpatial, channels))
		sizes, inputs := k.Shape.Dimensions[:spatial], k.Shape.Dimensions[spatial]
		outputs := s.Dimensions[axes.OutputChannels]
		k = f.reshape(k, append(slices.Clone(sizes), inputs, batchGroups, channelGroups,
			outputs/batchGroups/channelGroups)...)

		// The input: [batch groups, batch, spatial..., channel groups, channels of a group, window...].
		if len(steps) == 0 {
			steps = slices.Repeat([]int{1}, spatial)
		}
		n = f.transpose(n, append(append([]int{axes.InputBatch}, axes.InputSpatial...), axes.InputChannels))
		n = f.windows(n, f.number(n.Shape.DType, 0), windowsOf(upTo(1, 1+spatial), sizes, steps, every, holes, padding))
		batch, places := n.Shape.Dimensions[0]/batchGroups, slices.Clone(n.Shape.Dimensions[1:1+spatial])
		n = f.reshape(n, slices.Concat([]int{batchGroups, batch}, places, []int{channelGroups, inputs}, sizes)...)

		// Their product: [batch groups, channel groups, batch, spatial..., output channels of a group].
		dims := slices.Concat([]int{batchGroups, channelGroups, batch}, places, k.Shape.Dimensions[spatial+3:])
		d := ir.DotData{LhsContract: append(upTo(4+spatial, 4+2*spatial), 3+spatial), LhsBatch: []int{0, 2 + spatial},
			RhsContract: upTo(0, spatial+1), RhsBatch: []int{spatial + 1, spatial + 2}}
		out := f.add(compute.OpTypeDotGeneral, shapes.Make(n.Shape.DType, dims...), d, n, k)
		out = f.transpose(out, append(upTo(2, 3+spatial), 0, 1, 3+spatial))
		out = f.reshape(out, slices.Concat([]int{batch}, places, []int{outputs})...)
		order := make([]int, 2+spatial)
		order[axes.OutputBatch], order[axes.OutputChannels] = 0, 1+spatial
		for i, a := range axes.OutputSpatial {
			order[a] = 1 + i
		}
		return f.convert(f.transpose(out, order), s.DType)
	}, input, kernel)
}

// CumSum adds to each element its neighbour's sum of one element, then of two, then of four, and so on. These are sums
// of the elements just before it, which may overflow where no sum from the beginning does.
func (f *function) CumSum(x value, axis int, options compute.CumSumOptions) (value, error) {
	return f.record(compute.OpTypeCumSum, func(in []*ir.Node) *ir.Node {
		s := ir.Must(shapeinference.CumSum(in[0].Shape, axis))
		sum := f.wide(in[0])
		size := s.Dimensions[axis]
		shifted := func(by int) *ir.Node {
			rest := f.slice(sum, axis, 0, size-by)
			if options.Reverse {
				rest = f.slice(sum, axis, by, size)
			}
			fill := slices.Clone(s.Dimensions)
			fill[axis] = by
			pieces := []*ir.Node{f.broadcast(f.number(sum.Shape.DType, 0), fill), rest}
			if options.Reverse {
				slices.Reverse(pieces)
			}
			return f.add(compute.OpTypeConcatenate, sum.Shape, axis, pieces...)
		}
		if options.Exclusive && size > 0 {
			sum = shifted(1)
		}
		for by := 1; by < size; by *= 2 {
			sum = f.elementwise(compute.OpTypeAdd, sum.Shape, sum, shifted(by))
		}
		return f.convert(sum, s.DType)
	}, x)
}
