// Package plan decides what needs memory (Views), what runs as one unit and in which order (Groups), which loops
// threads divide (Division), and where every value is (Layout).
package plan

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// A Slot is a piece of memory that holds one value, or several one after the other.
type Slot struct {
	Size        int // in bytes
	first, last int // when it is in use: positions of units
	// Where it is: in the memory of a function, whose own place is found later, or in one of the machine's other roots.
	plan *Plan
	root int
	off  int
	// until is the position of the last unit that reads the value it holds now.
	until int
	// Kind is that of the values it holds, in the body of a loop that threads divide.
	Kind  Sharing
	Exact int // its size before rounding
	Row   int // and the size of a row's elements that follow one another, of values that go by rows
}

// The roots of a machine's memory. Parameters of the main function follow, and then its outputs.
const (
	RootArena = iota
	RootPrivate
	RootConstants
	RootParameters
)

// Address of a slot, once the memory of all functions is laid out.
func (s *Slot) Address() Address {
	a := Address{s.root, s.off}
	if s.plan != nil && s.plan.in != nil {
		a.Off += s.plan.in.Address().Off
	}
	return a
}

// layout gives the slots of a function their offsets and returns what they need in bytes. Where threads run apart, each
// with rows of its own, only values whose rows are at the same bytes share them, row for row, and none that threads
// compute together.
func (p *Plan) layout() int {
	if p.Division == nil {
		return pack(p.Slots)
	}
	total := 0
	type layout struct{ exact, row int }
	alike := make(map[layout][]*Slot)
	var order []layout
	for _, s := range p.Slots {
		if s.Kind != Rowwise {
			s.off = total
			total += s.Size
			continue
		}
		r := layout{s.Exact, s.Row}
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

// RoundUp rounds a size up to whole cache lines, so that no two slots share one; small ones to words.
func RoundUp(size int) int {
	to := 8
	if size >= Alignment {
		to = Alignment
	}
	return (size + to - 1) / to * to
}

// A Layout is where everything is: what the plan of a graph's main function, and through it those of all others, and
// its values' places come to.
type Layout struct {
	*Groups
	Main      *Plan
	plans     map[*ir.Function]*Plan
	Memory    []*Slot                // of the node with this ID, or nil
	Placed    []*Placement           // likewise
	Divisions map[*ir.Node]*Division // of loops that threads divide
	Constants []byte                 // of all constants, one after the other
	Arena     int                    // bytes of memory
	Private   int                    // bytes of what each thread has for itself in loops that threads divide
}

// A Plan says, for one function, what runs in which order and what is copied.
type Plan struct {
	Fn    *ir.Function
	Units []*Unit
	// The memory of the function: slots whose times of use are apart share bytes. It lies in a slot of the function
	// around it.
	Slots []*Slot
	in    *Slot
	Inner map[*ir.Node][]*Plan
	// InPlace are the operations that find their first operand already in the memory of their result; Copied are
	// operands that are there because they were computed there.
	InPlace map[*ir.Node]bool
	Copied  map[*ir.Node]map[int]bool
	// Initial are the copies that bring the initial values of loops into the loops' states.
	Initial map[*ir.Node][]Transfer
	// Final are copies to where the outputs are expected.
	Final    []Transfer
	Outputs  []*Slot   // where the outputs are expected
	Division *Division // of the loop that the function belongs to, if threads divide it
}

// A planner makes the plan of one function.
type planner struct {
	*Layout
	*Plan
	last     map[*ir.Node]int   // position of the last unit that reads a value
	readers  map[*ir.Node][]int // positions of all of them
	targets  map[*ir.Node][]target
	desired  map[*ir.Node]*Slot
	dense    map[*ir.Node]bool // values that are not only read as a whole, or not with any strides
	writable map[*Slot]bool    // outputs, and parameters that may be overwritten
}

// NewLayout gives every value of a graph its place.
func NewLayout(u *Groups, main *ir.Function, divisions map[*ir.Node]*Division) *Layout {
	l := &Layout{Groups: u, Divisions: divisions, Memory: ir.NewTable[*Slot](main.Graph),
		Placed: ir.NewTable[*Placement](main.Graph), plans: make(map[*ir.Function]*Plan)}
	l.placeConstants(main)
	var parameters, outputs []*Slot
	for i := range main.Params {
		parameters = append(parameters, &Slot{root: RootParameters + i})
	}
	for i := range main.Outputs {
		outputs = append(outputs, &Slot{root: RootParameters + len(main.Params) + i, until: -1})
	}
	l.Main = l.planFunction(main, parameters, outputs, false, nil)
	l.Arena = l.Main.layout()
	return l
}

// placeConstants gives the constants of a function and of those inside it their places.
func (l *Layout) placeConstants(fn *ir.Function) {
	for _, n := range fn.Nodes {
		if !l.needed[n.ID] {
			continue
		}
		if d, ok := n.Data.(*ir.ConstantData); ok {
			l.Constants = append(l.Constants, make([]byte, RoundUp(len(l.Constants))-len(l.Constants))...)
			l.Memory[n.ID] = &Slot{root: RootConstants, off: len(l.Constants)}
			l.Constants = append(l.Constants, d.Bytes...)
		}
		for _, inner := range n.Inner {
			l.placeConstants(inner)
		}
	}
}

// Transfer is a copy of a view into a slot, or of a slot into a slot.
type Transfer struct {
	From *Slot
	View ir.View
	Node *ir.Node
	To   *Slot
	Off  int     // in bytes
	Kind Sharing // of what it copies, in the body of a loop that threads divide; later loops may use To otherwise
}

func (p *planner) newSlot(size, first, last int) *Slot {
	s := &Slot{Size: RoundUp(size), first: first, last: last, plan: p.Plan, until: last}
	p.Slots = append(p.Slots, s)
	return s
}

// slotOfKind is a new slot for values of the given kind.
func (p *planner) slotOfKind(kind Sharing, size, first, last int) *Slot {
	if kind == Own {
		p.Private += RoundUp(size)
		return &Slot{Size: RoundUp(size), root: RootPrivate, off: p.Private - RoundUp(size), until: last, Kind: Own}
	}
	s := p.newSlot(size, first, last)
	s.Kind, s.Exact = kind, size
	return s
}

// slotFor is a new slot for n.
func (p *planner) slotFor(n *ir.Node, i int) *Slot {
	e := p.Division.of(n)
	s := p.slotOfKind(e.kind, ir.ByteSize(n.Shape), i, i)
	s.Row = e.width * n.Shape.DType.Size()
	return s
}

// fits reports whether a slot may hold n, after another value. Where threads run apart, values must be of a kind, and
// their rows at the same bytes: so each thread overwrites what it has read itself.
func (p *planner) fits(s *Slot, n *ir.Node) bool {
	if p.Division == nil {
		return true
	}
	e := p.Division.of(n)
	return s.Kind == e.kind && (e.kind != Rowwise || s.Row == e.width*n.Shape.DType.Size())
}

// planFunction plans a function whose parameters are in the given slots and whose outputs are to be in others. If it is
// that of a loop, threads may divide it.
func (l *Layout) planFunction(fn *ir.Function, parameters, outputs []*Slot, overwriteParameters bool,
	by *Division) *Plan {
	p := &planner{Layout: l, Plan: &Plan{Fn: fn, Outputs: outputs, Units: l.order[fn], Division: by,
		Inner: make(map[*ir.Node][]*Plan), InPlace: make(map[*ir.Node]bool), Copied: make(map[*ir.Node]map[int]bool),
		Initial: make(map[*ir.Node][]Transfer)},
		last: make(map[*ir.Node]int), readers: make(map[*ir.Node][]int),
		targets: make(map[*ir.Node][]target), desired: make(map[*ir.Node]*Slot), dense: make(map[*ir.Node]bool),
		writable: make(map[*Slot]bool)}
	l.plans[fn] = p.Plan
	end := len(p.Units)
	for i, u := range p.Units {
		for _, n := range u.Nodes {
			for _, b := range p.read[n.ID] {
				p.last[b] = i
			}
		}
	}
	for _, o := range fn.Outputs {
		for _, b := range p.ReadsOfView(p.Of(o), nil) {
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
	for i, param := range fn.Params {
		s := parameters[i]
		p.Memory[param.ID] = s
		if last, ok := p.last[param]; ok {
			s.until = last
		}
		p.writable[s] = overwriteParameters
	}
	for i, o := range fn.Outputs {
		if v := p.Of(o); v.Whole() && v.Base.Fn == fn && v.Base.Op != compute.OpTypeParameter &&
			p.desired[v.Base] == nil {
			p.desired[v.Base] = outputs[i]
		}
	}
	p.findTargets()
	for i, u := range p.Units {
		p.planUnit(u, i)
	}

	// Outputs that are not where they should be are copied there; those that are where another should be, or that are
	// found by an index which is, by way of memory of their own.
	var out []Transfer
	for i, o := range fn.Outputs {
		v := p.Of(o)
		if v.Whole() && p.ownSlot(v.Base) == outputs[i] {
			continue
		}
		t := Transfer{View: v, Node: o, To: outputs[i], Kind: outputs[i].Kind}
		overwritten := func(b *ir.Node) bool { return p.writable[p.Memory[b.ID]] }
		if slices.ContainsFunc(append(p.ReadsOfView(v, nil), p.FoundBy(v.Base)...), overwritten) {
			t.To = p.slotOfKind(outputs[i].Kind, ir.ByteSize(o.Shape), end, end)
			t.To.Row = outputs[i].Row
			out = append(out, Transfer{From: t.To, Node: o, To: outputs[i], Kind: outputs[i].Kind})
			p.Final = append(p.Final, t)
		} else {
			out = append(out, t)
		}
	}
	p.Final = append(p.Final, out...)
	return p.Plan
}

// hold makes a slot hold a value from position i on, until its last use.
func (p *planner) hold(n *ir.Node, s *Slot, i int) {
	s.until = max(p.last[n], i)
	if s.plan == p.Plan {
		s.first, s.last = min(s.first, i), max(s.last, s.until)
	}
	p.Memory[n.ID] = s
}

// own reports whether the function may overwrite a slot.
func (p *planner) own(s *Slot) bool { return s.plan == p.Plan || p.writable[s] }

// result gives the value n of the unit at position i its memory: where it is wanted, if that is free by then, or new.
func (p *planner) result(n *ir.Node, i int, free func(s *Slot) bool) *Slot {
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
var special map[compute.OpType]func(p *planner, n *ir.Node, i int)

func init() { // not an initializer: some of them plan functions
	special = map[compute.OpType]func(p *planner, n *ir.Node, i int){
		compute.OpTypeConcatenate: (*planner).planConcatenation,
		compute.OpTypeWhile:       (*planner).planWhile,
		compute.OpTypeIf:          (*planner).planIf,
		compute.OpTypeSort:        (*planner).planSort,
		ir.OpDot:                  (*planner).planDot,
		ir.OpDotAdd:               (*planner).planDot,
	}
}

// planUnit gives the results of the unit at position i their memory.
func (p *planner) planUnit(u *Unit, i int) {
	n := u.Nodes[0]
	switch f := special[n.Op]; {
	case u.Elementwise:
		p.planGroup(u, i)
	case f != nil:
		f(p, n, i)
	case ir.Operations[n.Op].Overwrites:
		p.planOverwrite(n, i)
	default:
		p.results(n, i)
	}
}

// results gives all values of n their memory.
func (p *planner) results(n *ir.Node, i int) {
	if len(n.Outs) == 0 {
		p.result(n, i, nil)
	}
	for _, o := range n.Outs {
		p.result(o, i, nil)
	}
}

// planOverwrite is for operations that may find their first operand in the memory of their result.
func (p *planner) planOverwrite(n *ir.Node, i int) {
	if v := p.Of(n.In[0]); p.dies(v, n, i) {
		p.InPlace[n] = true
		p.hold(n, p.Memory[v.Base.ID], i)
		return
	}
	if len(p.Copied[n]) > 0 {
		ir.Fail("internal error: %s %s cannot be updated in place", n.Op, n.Shape)
	}
	p.result(n, i, nil)
}

// planDot lets a sum overwrite what the product is added to.
func (p *planner) planDot(n *ir.Node, i int) {
	if p.place(n, i) {
		return
	}
	if n.Op == ir.OpDotAdd && p.dies(p.Of(n.In[2]), n, i) {
		p.hold(n, p.Memory[p.Of(n.In[2]).Base.ID], i)
		return
	}
	p.result(n, i, nil)
}

func (p *planner) planConcatenation(n *ir.Node, i int) {
	if p.Memory[n.ID] != nil { // since its first operand was computed
		if s := p.ownSlot(n); s != nil {
			s.until = max(s.until, p.last[n], i)
		}
		return
	}
	if !p.place(n, i) {
		p.result(n, i, nil)
	}
}

func (p *planner) planIf(n *ir.Node, i int) {
	p.results(n, i)
	outs := xslices.Map(n.Outs, func(o *ir.Node) *Slot { return p.Memory[o.ID] })
	for _, branch := range n.Inner {
		p.nest(n, i, p.planFunction(branch, nil, outs, false, nil))
	}
}

func (p *planner) planSort(n *ir.Node, i int) {
	p.results(n, i)
	before := n.Inner[0]
	arguments := xslices.Map(before.Params, func(param *ir.Node) *Slot {
		return p.newSlot(ir.ByteSize(param.Shape), i, i)
	})
	p.nest(n, i, p.planFunction(before, arguments, []*Slot{p.newSlot(1, i, i)}, false, nil))
}

// nest places the memory of a function that node n, at position i, runs.
func (p *planner) nest(n *ir.Node, i int, inner *Plan) {
	p.Inner[n] = append(p.Inner[n], inner)
	inner.in = p.newSlot(inner.layout(), i, i)
}

func (p *planner) planWhile(n *ir.Node, i int) {
	by := p.Divisions[n]
	course := p.courseOf(n)
	var state []*Slot
	for k, initial := range n.In {
		v := p.Of(initial)
		e := by.of(n.Body().Params[k])
		var s *Slot
		// The initial value becomes the state, where nobody else needs it.
		if e.kind != Own && p.dies(v, n, i) {
			s = p.Memory[v.Base.ID]
			p.hold(n.Outs[k], s, i)
		} else {
			if e.kind == Own {
				s = p.slotOfKind(Own, ir.ByteSize(initial.Shape), i, i)
				p.hold(n.Outs[k], s, i)
			} else {
				s = p.result(n.Outs[k], i, nil)
			}
			if rows := course.unwritten(k); initial.Shape.Rank() == 0 {
				p.Initial[n] = append(p.Initial[n], Transfer{View: v, Node: initial, To: s})
			} else {
				for _, r := range rows {
					p.Initial[n] = append(p.Initial[n], Transfer{View: v.Part(r[0], r[1]), Node: initial, To: s,
						Off: r[0] * ir.ByteSize(initial.Shape) / max(1, initial.Shape.Dimensions[0])})
				}
			}
		}
		if by != nil {
			s.Kind, s.Row = e.kind, e.width*initial.Shape.DType.Size()
		}
		state = append(state, s)
	}
	kind := Joint
	if by != nil {
		kind = Own
	}
	p.nest(n, i, p.planFunction(n.Cond(), state, []*Slot{p.slotOfKind(kind, 1, i, i)}, false, by))
	p.nest(n, i, p.planFunction(n.Body(), state, state, true, by))
}

// planGroup gives memory to those values of a group that are read outside of it. Such a value may take the place of one
// that the group is the last to read, element by element, and not after writing.
func (p *planner) planGroup(u *Unit, i int) {
	for _, n := range u.Nodes {
		if p.last[n] <= i || p.place(n, i) {
			continue
		}
		if p.desired[n] == nil {
			if s := p.slotToReuse(u, n, i); s != nil {
				p.hold(n, s, i)
				continue
			}
		}
		p.result(n, i, func(s *Slot) bool { return p.readsBefore(u, s, n) })
	}
}

// slotToReuse finds the memory of a value that dies in unit u, where node n of u can be written.
func (p *planner) slotToReuse(u *Unit, n *ir.Node, i int) *Slot {
	for _, m := range u.Nodes {
		for _, b := range p.read[m.ID] {
			s := p.ownSlot(b)
			if s != nil && s.plan == p.Plan && s.until == i && p.last[b] == i &&
				ir.ByteSize(b.Shape) == ir.ByteSize(n.Shape) && p.fits(s, n) &&
				p.readsBefore(u, s, n) {
				return s
			}
		}
	}
	return nil
}

// readsBefore reports whether everything that a group reads from slot s it reads element by element, and in operations
// up to the one that computes n.
func (p *planner) readsBefore(u *Unit, s *Slot, n *ir.Node) bool {
	for _, m := range u.Nodes {
		for _, i := range m.In {
			v := p.Of(i)
			for _, d := range v.Dynamic {
				if p.Memory[p.Of(d.Index).Base.ID] == s {
					return false
				}
			}
			if p.Memory[v.Base.ID] == s && p.UnitOf[v.Base.ID] != u &&
				(!v.Whole() || p.Placed[v.Base.ID] != nil || m.ID > n.ID ||
					v.Base.Shape.DType.Size() != n.Shape.DType.Size()) {
				return false
			}
		}
	}
	return true
}

// Address is a place in a machine's memory.
type Address struct{ Root, Off int }
