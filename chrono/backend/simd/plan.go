package simd

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute"
)

// A slot is a piece of memory that holds one value, or several one after the other.
type slot struct {
	size        int
	first, last int // when it is in use: positions of units
	// at is where it is: in the frame, whose own place is found later, or in one of the machine's other roots.
	frame *frame
	root  int
	off   int
	// until is the position of the last unit that reads the value it holds now.
	until int
	// kind is that of the values it holds, in the body of a loop that threads divide.
	kind  extentKind
	exact int // its size before rounding
	row   int // and the size of a row's elements that follow one another, of values that go by rows
}

// A frame is the memory of one function: slots whose times of use are apart share bytes. A frame lies in a slot of the
// frame of the function around it.
type frame struct {
	slots   []*slot
	in      *slot
	divided bool // whether threads are at different places in the function, each with rows of its own
}

// The roots of a machine's memory. Parameters of the main function follow, and then its outputs.
const (
	rootArena = iota
	rootPrivate
	rootConstants
	rootParameters
)

// address of a slot, once all frames are laid out.
func (s *slot) address() address {
	a := address{s.root, s.off}
	if s.frame != nil && s.frame.in != nil {
		a.off += s.frame.in.address().off
	}
	return a
}

// layout gives the slots of a frame their offsets and returns its size in bytes. Where threads run apart, only values
// whose rows are at the same bytes share them, row for row, and none that threads compute together.
func (f *frame) layout() int {
	if !f.divided {
		return pack(f.slots)
	}
	total := 0
	type layout struct{ exact, row int }
	alike := make(map[layout][]*slot)
	var order []layout
	for _, s := range f.slots {
		if s.kind != rowwise {
			s.off = total
			total += s.size
			continue
		}
		r := layout{s.exact, s.row}
		if alike[r] == nil {
			order = append(order, r)
		}
		alike[r] = append(alike[r], s)
	}
	for _, r := range order {
		used := pack(alike[r])
		for _, s := range alike[r] {
			s.off += total
		}
		total += used
	}
	return total
}

// pack gives slots their offsets and returns what they need in bytes. Large ones are placed first, each at the lowest
// offset where it overlaps none that is in use at the same time.
func pack(slots []*slot) int {
	order := slices.Clone(slots)
	slices.SortStableFunc(order, func(a, b *slot) int { return cmp.Compare(b.size, a.size) })
	total := 0
	var placed, busy []*slot // placed is sorted by offset
	for _, s := range order {
		busy = busy[:0]
		for _, p := range placed {
			if p.first <= s.last && s.first <= p.last {
				busy = append(busy, p)
			}
		}
		for _, p := range busy {
			if s.off+s.size <= p.off {
				break
			}
			s.off = max(s.off, p.off+p.size)
		}
		i, _ := slices.BinarySearchFunc(placed, s, func(p, s *slot) int { return cmp.Compare(p.off, s.off) })
		placed = slices.Insert(placed, i, s)
		total = max(total, s.off+s.size)
	}
	return total
}

// roundUp rounds a size up to whole cache lines, so that no two slots share one; small ones to words.
func roundUp(size int) int {
	to := 8
	if size >= alignment {
		to = alignment
	}
	return (size + to - 1) / to * to
}

// A layout is where everything is: what the plan of a graph's main function, and through it those of all others, and its
// values' places come to.
type layout struct {
	*grouped
	main      *plan
	memory    map[*node]*slot
	placed    map[*node]*placement
	divisions map[*node]*division // of loops that threads divide
	constants []byte              // of all constants, one after the other
	arena     int                 // bytes of memory
	private   int                 // bytes of what each thread has for itself in loops that threads divide
}

// A plan says, for one function, what runs in which order and what is copied.
type plan struct {
	fn    *irFunction
	units []*unit
	frame *frame
	inner map[*node][]*plan
	// inPlace are the units that find their first operand already in the memory of their result; copied are operands
	// that are there because they were computed there.
	inPlace map[*unit]bool
	copied  map[*node][]int
	// initial are the copies that bring the initial values of loops into the loops' states.
	initial map[*node][]transfer
	// final are copies to where the outputs are expected.
	final []transfer
	// predicate is where the outcome of a loop's condition or a comparator is.
	predicate map[*node]*slot
	arguments map[*node][]*slot
	division  *division // of the loop that the function belongs to, if threads divide it
}

// A planner makes the plan of one function.
type planner struct {
	*layout
	*plan
	last     map[*node]int   // position of the last unit that reads a value
	readers  map[*node][]int // positions of all of them
	targets  map[*node][]target
	desired  map[*node]*slot
	writable map[*slot]bool // parameters that may be overwritten
}

// newLayout gives every value of a graph its place.
func newLayout(u *grouped, main *irFunction, divisions map[*node]*division) *layout {
	l := &layout{grouped: u, divisions: divisions, memory: make(map[*node]*slot), placed: make(map[*node]*placement)}
	l.placeConstants(main)
	var parameters, outputs []*slot
	for i := range main.params {
		parameters = append(parameters, &slot{root: rootParameters + i})
	}
	for i := range main.outputs {
		outputs = append(outputs, &slot{root: rootParameters + len(main.params) + i, until: -1})
	}
	l.main = l.planFunction(main, parameters, outputs, false, nil)
	l.arena = l.main.frame.layout()
	return l
}

// placeConstants gives the constants of a function and of those inside it their places.
func (l *layout) placeConstants(fn *irFunction) {
	for _, n := range fn.nodes {
		if !l.needed[n] {
			continue
		}
		if d, ok := n.data.(*constantData); ok {
			l.constants = append(l.constants, make([]byte, roundUp(len(l.constants))-len(l.constants))...)
			l.memory[n] = &slot{root: rootConstants, off: len(l.constants)}
			l.constants = append(l.constants, d.bytes...)
		}
		for _, inner := range innerFunctions(n) {
			l.placeConstants(inner)
		}
	}
}

// transfer is a copy of a view into a slot, or of a slot into a slot.
type transfer struct {
	from *slot
	view view
	node *node
	to   *slot
	off  int        // in bytes
	kind extentKind // of what it copies, in the body of a loop that threads divide
}

func (p *planner) newSlot(size, first, last int) *slot {
	s := &slot{size: roundUp(size), first: first, last: last, frame: p.frame, until: last}
	p.frame.slots = append(p.frame.slots, s)
	return s
}

// slotOfKind is a new slot for values of the given kind.
func (p *planner) slotOfKind(kind extentKind, size, first, last int) *slot {
	if kind == own {
		p.private += roundUp(size)
		return &slot{size: roundUp(size), root: rootPrivate, off: p.private - roundUp(size), until: last, kind: own}
	}
	s := p.newSlot(size, first, last)
	s.kind, s.exact = kind, size
	return s
}

// slotFor is a new slot for n.
func (p *planner) slotFor(n *node, i int) *slot {
	e := p.division.of(n)
	s := p.slotOfKind(e.kind, byteSize(n.shape), i, i)
	s.row = e.width * n.shape.DType.Size()
	return s
}

// fits reports whether a slot may hold n, after another value. Where threads run apart, values must be of a kind, and
// their rows at the same bytes: so each thread overwrites what it has read itself.
func (p *planner) fits(s *slot, n *node) bool {
	if p.division == nil {
		return true
	}
	e := p.division.of(n)
	return s.kind == e.kind && (e.kind != rowwise || s.row == e.width*n.shape.DType.Size())
}

// planFunction plans a function whose parameters are in the given slots and whose outputs are to be in others. If it is
// that of a loop, threads may divide it.
func (l *layout) planFunction(fn *irFunction, parameters, outputs []*slot, overwriteParameters bool,
	by *division) *plan {
	p := &planner{layout: l, plan: &plan{fn: fn, units: l.order[fn], frame: &frame{divided: by != nil}, division: by,
		inner: make(map[*node][]*plan), inPlace: make(map[*unit]bool), copied: make(map[*node][]int),
		initial: make(map[*node][]transfer), predicate: make(map[*node]*slot), arguments: make(map[*node][]*slot)},
		last: make(map[*node]int), readers: make(map[*node][]int),
		targets: make(map[*node][]target), desired: make(map[*node]*slot), writable: make(map[*slot]bool)}
	end := len(p.units)
	for i, u := range p.units {
		for _, n := range u.nodes {
			for _, b := range p.reads(n) {
				p.last[b] = i
			}
		}
	}
	for _, o := range fn.outputs {
		for _, b := range p.readsOfView(p.of(o), nil) {
			p.last[b] = end
		}
	}
	// Seen from here, these slots have another history than seen from the function around.
	for _, s := range slices.Concat(parameters, outputs) {
		until := s.until
		defer func() { s.until = until }()
		s.until = -1
	}
	for _, s := range outputs {
		p.writable[s] = true
	}
	for i, param := range fn.params {
		s := parameters[i]
		p.memory[param] = s
		s.until = -1
		if last, ok := p.last[param]; ok {
			s.until = last
		}
		p.writable[s] = overwriteParameters
	}
	for i, o := range fn.outputs {
		if v := p.of(o); v.whole() && v.base.fn == fn && v.base.op != compute.OpTypeParameter &&
			p.desired[v.base] == nil {
			p.desired[v.base] = outputs[i]
		}
	}
	p.findTargets()
	for i, u := range p.units {
		p.planUnit(u, i)
	}

	// Outputs that are not where they should be are copied there; those that are where another should be, or that are
	// found by an index which is, by way of memory of their own.
	var out []transfer
	for i, o := range fn.outputs {
		v := p.of(o)
		if v.whole() && p.ownSlot(v.base) == outputs[i] {
			continue
		}
		t := transfer{view: v, node: o, to: outputs[i], kind: outputs[i].kind}
		overwritten := func(b *node) bool { return slices.Contains(outputs, p.memory[b]) }
		if slices.ContainsFunc(p.readsOfView(v, nil), overwritten) {
			t.to = p.slotOfKind(outputs[i].kind, byteSize(o.shape), end, end)
			t.to.row = outputs[i].row
			out = append(out, transfer{from: t.to, node: o, to: outputs[i], kind: outputs[i].kind})
			p.final = append(p.final, t)
		} else {
			out = append(out, t)
		}
	}
	p.final = append(p.final, out...)
	return p.plan
}

// hold makes a slot hold a value from position i on, until its last use.
func (p *planner) hold(n *node, s *slot, i int) {
	until := i
	if last, ok := p.last[n]; ok {
		until = max(last, i)
	}
	s.until = until
	if s.frame == p.frame {
		s.first, s.last = min(s.first, i), max(s.last, until)
	}
	p.memory[n] = s
}

// own reports whether the function may overwrite a slot.
func (p *planner) own(s *slot) bool { return s.frame == p.frame || p.writable[s] }

// result gives the value n of the unit at position i its memory: where it is wanted, if that is free by then, or new.
func (p *planner) result(n *node, i int, free func(s *slot) bool) *slot {
	if s := p.desired[n]; s != nil && p.fits(s, n) && (s.until < i || free != nil && s.until == i && free(s)) {
		p.hold(n, s, i)
		return s
	}
	s := p.slotFor(n, i)
	p.hold(n, s, i)
	return s
}

// special are operations whose results get memory in a way of their own. The others' are where they are wanted, or in
// new memory.
var special map[compute.OpType]func(p *planner, u *unit, i int)

func init() { // not an initializer: some of them plan functions
	special = map[compute.OpType]func(p *planner, u *unit, i int){
		compute.OpTypeConcatenate: (*planner).planConcatenation,
		compute.OpTypeWhile:       (*planner).planWhile,
		compute.OpTypeIf:          (*planner).planIf,
		compute.OpTypeSort:        (*planner).planSort,
		opDot:                     (*planner).planDot,
		opDotAdd:                  (*planner).planDotAdd,
	}
}

// planUnit gives the results of the unit at position i their memory.
func (p *planner) planUnit(u *unit, i int) {
	n := u.nodes[0]
	switch f := special[n.op]; {
	case u.elementwise:
		p.planGroup(u, i)
	case f != nil:
		f(p, u, i)
	case operationOf(n.op).overwrites:
		p.planOverwrite(u, i)
	default:
		p.results(n, i)
	}
}

// results gives all values of n their memory.
func (p *planner) results(n *node, i int) {
	if len(n.outs) == 0 {
		p.result(n, i, nil)
	}
	for _, o := range n.outs {
		p.result(o, i, nil)
	}
}

// planOverwrite is for operations that may find their first operand in the memory of their result.
func (p *planner) planOverwrite(u *unit, i int) {
	n := u.nodes[0]
	if v := p.of(n.in[0]); p.dies(v, n, i) {
		p.inPlace[u] = true
		p.hold(n, p.memory[v.base], i)
		return
	}
	if len(p.copied[n]) > 0 {
		fail("internal error: %s %s cannot be updated in place", n.op, n.shape)
	}
	p.result(n, i, nil)
}

func (p *planner) planDot(u *unit, i int) {
	if n := u.nodes[0]; !p.place(n, i) {
		p.result(n, i, nil)
	}
}

// planDotAdd lets the sum overwrite what the product is added to.
func (p *planner) planDotAdd(u *unit, i int) {
	n := u.nodes[0]
	if p.place(n, i) {
		return
	}
	if v := p.of(n.in[2]); p.dies(v, n, i) {
		p.hold(n, p.memory[v.base], i)
		return
	}
	p.result(n, i, nil)
}

func (p *planner) planConcatenation(u *unit, i int) {
	n := u.nodes[0]
	if p.memory[n] != nil { // since its first operand was computed
		if s := p.ownSlot(n); s != nil {
			s.until = max(s.until, p.last[n], i)
		}
		return
	}
	if !p.place(n, i) {
		p.result(n, i, nil)
	}
}

func (p *planner) planIf(u *unit, i int) {
	n := u.nodes[0]
	p.results(n, i)
	var outs []*slot
	for _, o := range n.outs {
		outs = append(outs, p.memory[o])
	}
	for _, branch := range innerFunctions(n) {
		p.nest(n, i, p.planFunction(branch, nil, outs, false, nil))
	}
}

func (p *planner) planSort(u *unit, i int) {
	n := u.nodes[0]
	p.results(n, i)
	var arguments []*slot
	before := n.data.(*sortData).before
	for _, param := range before.params {
		arguments = append(arguments, p.newSlot(byteSize(param.shape), i, i))
	}
	p.arguments[n] = arguments
	p.predicate[n] = p.newSlot(1, i, i)
	p.nest(n, i, p.planFunction(before, arguments, []*slot{p.predicate[n]}, false, nil))
}

// nest places the frame of a function that node n, at position i, runs.
func (p *planner) nest(n *node, i int, inner *plan) {
	p.inner[n] = append(p.inner[n], inner)
	inner.frame.in = p.newSlot(inner.frame.layout(), i, i)
}

func (p *planner) planWhile(u *unit, i int) {
	n := u.nodes[0]
	d := n.data.(*whileData)
	by := p.divisions[n]
	var state []*slot
	for k, initial := range n.in {
		v := p.of(initial)
		e := by.of(d.body.params[k])
		var s *slot
		// The initial value becomes the state, where nobody else needs it.
		if e.kind != own && p.dies(v, n, i) {
			s = p.memory[v.base]
			p.hold(n.outs[k], s, i)
		} else {
			if e.kind == own {
				s = p.slotOfKind(own, byteSize(initial.shape), i, i)
				p.hold(n.outs[k], s, i)
			} else {
				s = p.result(n.outs[k], i, nil)
			}
			if rows := p.unwritten(n, k); initial.shape.Rank() == 0 {
				p.initial[n] = append(p.initial[n], transfer{view: v, node: initial, to: s})
			} else {
				for _, r := range rows {
					p.initial[n] = append(p.initial[n], transfer{view: v.part(r[0], r[1]), node: initial, to: s,
						off: r[0] * byteSize(initial.shape) / initial.shape.Dimensions[0]})
				}
			}
		}
		if by != nil {
			s.kind, s.row = e.kind, e.width*initial.shape.DType.Size()
		}
		state = append(state, s)
	}
	kind := joint
	if by != nil {
		kind = own
	}
	p.predicate[n] = p.slotOfKind(kind, 1, i, i)
	p.nest(n, i, p.planFunction(d.cond, state, []*slot{p.predicate[n]}, false, by))
	p.nest(n, i, p.planFunction(d.body, state, state, true, by))
}

// planGroup gives memory to those values of a group that are read outside of it. Such a value may take the place of one
// that the group is the last to read, element by element, and not after writing.
func (p *planner) planGroup(u *unit, i int) {
	for _, n := range u.nodes {
		if p.last[n] <= i || p.place(n, i) {
			continue
		}
		if p.desired[n] == nil {
			if s := p.slotToReuse(u, n, i); s != nil {
				p.hold(n, s, i)
				continue
			}
		}
		p.result(n, i, func(s *slot) bool { return p.readsBefore(u, s, n) })
	}
}

// slotToReuse finds the memory of a value that dies in unit u, where node n of u can be written.
func (p *planner) slotToReuse(u *unit, n *node, i int) *slot {
	for _, m := range u.nodes {
		for _, b := range p.reads(m) {
			s := p.ownSlot(b)
			if s != nil && s.frame == p.frame && s.until == i && p.last[b] == i &&
				byteSize(b.shape) == byteSize(n.shape) && p.fits(s, n) &&
				p.readsBefore(u, s, n) {
				return s
			}
		}
	}
	return nil
}

// readsBefore reports whether everything that a group reads from slot s it reads element by element, and in operations
// up to the one that computes n.
func (p *planner) readsBefore(u *unit, s *slot, n *node) bool {
	for _, m := range u.nodes {
		for _, i := range m.in {
			v := p.of(i)
			for _, d := range v.dynamic {
				if p.memory[p.of(d.index).base] == s {
					return false
				}
			}
			if p.memory[v.base] == s && p.unitOf[v.base] != u &&
				(!v.whole() || p.placed[v.base] != nil || m.id > n.id ||
					v.base.shape.DType.Size() != n.shape.DType.Size()) {
				return false
			}
		}
	}
	return true
}

// address is a place in a machine's memory.
type address struct{ root, off int }
