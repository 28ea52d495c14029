package plan

import (
	"fmt"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// String returns the text of a layout: the graph, and behind each value the number of the unit that computes it (the
// units of a function run in this order) and where it is: in bytes from the start of the memory, its size, and from
// which to which unit its place is in use. Behind a loop stands what is copied before it runs, behind what a function
// returns what is copied at its end.
func (l *Layout) String() string {
	t := &text{l: l}
	t.Note, t.NoteEnd = t.note, func(fn *ir.Function) []string {
		if p := l.plans[fn]; p != nil {
			return t.copies(p.Final)
		}
		return nil
	}
	fmt.Fprintf(t, "# %d bytes, %d of each thread, %d of constants\n", l.Arena, l.Private, len(l.Constants))
	t.Function(l.Main.Fn, "")
	return t.Text.String()
}

type text struct {
	ir.Text
	l *Layout
}

var rootNames = []string{"memory", "private", "constants"}

// String says where a slot is and when it is in use.
func (s *Slot) String() string {
	if s.root >= RootParameters {
		return fmt.Sprint("argument ", s.root-RootParameters)
	}
	a := s.Address()
	if s.plan == nil {
		return fmt.Sprintf("%s %d", rootNames[a.Root], a.Off)
	}
	return fmt.Sprintf("%s %d+%d, units %d to %d", rootNames[a.Root], a.Off, s.Size, s.first, s.last)
}

var sharingNames = map[Sharing]string{Joint: "together", Rowwise: "by rows", Own: "each"}

// note says who computes a value, and where it is.
func (t *text) note(n *ir.Node) (notes []string) {
	p := t.l.plans[n.Fn]
	if p == nil || !t.l.needed[n.ID] {
		return []string{"not needed"}
	}
	if u := t.l.UnitOf[n.ID]; u != nil {
		notes = []string{fmt.Sprint("unit ", u.at)}
		if p.Division != nil {
			notes[0] += " " + sharingNames[p.Division.Shared[u]]
		}
	}
	if d := t.l.Divisions[n]; d != nil {
		notes = append(notes, fmt.Sprintf("threads divide %d rows", d.Rows))
	}
	for _, v := range append([]*ir.Node{n}, n.Outs...) {
		if ir.IsView(v) && !t.l.stored[v.ID] {
			w := t.l.Of(v)
			text := fmt.Sprintf("view of %s from %d by %v", t.Value(w.Base), w.Off, w.Strides)
			for _, d := range w.Dynamic {
				text += fmt.Sprintf(" + %s·%d", t.Value(d.Index), d.Stride)
			}
			notes = append(notes, text)
		} else if p := t.l.Placed[v.ID]; p != nil {
			notes = append(notes, fmt.Sprintf("in %s from %d", t.Value(p.Into), p.Off))
		} else if s := t.l.Memory[v.ID]; s != nil {
			notes = append(notes, s.String())
		}
	}
	return append(notes, t.copies(p.Initial[n])...)
}

func (t *text) copies(list []Transfer) (notes []string) {
	for _, c := range list {
		from := t.Value(c.Node)
		if c.From != nil {
			from = c.From.String()
		}
		notes = append(notes, fmt.Sprintf("copy %s to %v", from, c.To))
	}
	return notes
}
