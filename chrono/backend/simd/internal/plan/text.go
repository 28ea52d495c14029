package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// String returns the text of a layout: the units of each function in the order in which they run, numbered, and before
// them the constants and views that they read. Behind a value stands where it is: in bytes from the start of the
// memory, its size, and from which to which unit its place is in use.
func (l *Layout) String() string {
	t := &text{l: l, shown: make(map[*ir.Node]bool)}
	t.Note = t.place
	fmt.Fprintf(t, "# %d bytes, %d of each thread, %d of constants\n", l.Arena, l.Private, len(l.Constants))
	t.plan(l.Main, "")
	return t.Text.String()
}

type text struct {
	ir.Text
	l     *Layout
	shown map[*ir.Node]bool
}

var rootNames = []string{"memory", "private", "constants"}

// String says where a slot is and when it is in use.
func (s *Slot) String() string {
	if s.root >= RootParameters {
		return fmt.Sprint("argument ", s.root-RootParameters)
	}
	a := s.Address()
	if s.frame == nil {
		return fmt.Sprintf("%s %d", rootNames[a.Root], a.Off)
	}
	return fmt.Sprintf("%s %d+%d, units %d to %d", rootNames[a.Root], a.Off, s.size, s.first, s.last)
}

// place says where a value is.
func (t *text) place(n *ir.Node) string {
	var where []string
	for _, v := range append([]*ir.Node{n}, n.Outs...) {
		if ir.IsView(v) && !t.l.stored[v.ID] {
			w := t.l.Of(v)
			text := fmt.Sprintf("view of %s from %d by %v", t.Value(w.Base), w.Off, w.Strides)
			for _, d := range w.Dynamic {
				text += fmt.Sprintf(" + %s·%d", t.Value(d.Index), d.Stride)
			}
			where = append(where, text)
		} else if p := t.l.Placed[v.ID]; p != nil {
			where = append(where, fmt.Sprintf("in %s from %d", t.Value(p.Into), p.Off))
		} else if s := t.l.Memory[v.ID]; s != nil {
			where = append(where, s.String())
		}
	}
	return strings.Join(where, "; ")
}

var spreadNames = map[Spread]string{Together: "together", ByRows: "by rows", ByEach: "each"}

func (t *text) plan(p *Plan, indent string) {
	t.Parameters(p.Fn, indent)
	if p.Division != nil {
		fmt.Fprintf(t, "%sthreads divide %d rows\n", indent, p.Division.Rows)
	}
	at := 0
	given := func(before int) { // what is not computed, but known by then
		for ; at < len(p.Fn.Nodes) && p.Fn.Nodes[at].ID < before; at++ {
			if n := p.Fn.Nodes[at]; t.l.needed[n.ID] && !t.l.isUnit(n) &&
				(ir.IsView(n) || n.Op == compute.OpTypeConstant) {
				t.Node(n, indent+"     ")
			}
		}
	}
	for i, u := range p.Units {
		given(u.Nodes[len(u.Nodes)-1].ID)
		line := fmt.Sprintf("%s%3d: ", indent, i)
		if p.Division != nil {
			line += spreadNames[p.Division.Spread[u]] + ": "
		}
		inner := indent + "     "
		if len(u.Nodes) > 1 {
			fmt.Fprintf(t, "%sgroup\n", line)
			line, inner = inner, inner+"  "
			for _, n := range u.Nodes {
				t.Node(n, inner)
			}
			continue
		}
		n := u.Nodes[0]
		for _, c := range p.Initial[n] {
			t.copy(c, inner, "first ")
		}
		t.Node(n, line)
		for k, plan := range p.Inner[n] {
			fmt.Fprintf(t, "%s  %s\n", inner, ir.InnerName(n.Op, k))
			t.plan(plan, inner+"    ")
		}
	}
	given(math.MaxInt / 2)
	for _, c := range p.Final {
		t.copy(c, indent+"     ", "")
	}
	t.Return(p.Fn, indent)
}

func (t *text) copy(c Transfer, indent, when string) {
	fmt.Fprintf(t, "%s%scopy %s to %v", indent, when, t.Value(c.Node), c.To)
	if c.From != nil {
		fmt.Fprintf(t, " from %v", c.From)
	}
	fmt.Fprintln(t)
}
