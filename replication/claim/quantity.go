package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/internal/parts"
	"github.com/warptime/warptime/replication/record"
)

// A Quantity is a number that each trial of an arm has. Quantities are structs of exported fields, without text for
// readers, so that a rule can be rewritten and hashed.
type Quantity interface {
	// Read reads it from records, and ends where they lack something: see the function [Read].
	Read(Source) Sample

	// Named is what it is called, "final loss", and what its values are in.
	Named(Words) Named
}

// Whose names what a quantity is of: its first arm, "chrono", unless it has a method Whose of its own.
func Whose(q Quantity, w Words) string {
	if q, ok := q.(interface{ Whose(Words) string }); ok {
		return q.Whose(w)
	}
	return w.Arm(parts.Of[Arm](q)[0])
}

// Text names a quantity: "final loss of chrono".
func Text(q Quantity, w Words) string {
	if whose := Whose(q, w); whose != "" {
		return q.Named(w).Name + " of " + whose
	}
	return q.Named(w).Name
}

// A Unit is how values are written: times a factor, and with a name, "% of the memoryless loss".
type Unit struct {
	Times float64
	Name  string
}

var (
	Plain   = Unit{1, ""}
	Percent = Unit{100, "%"}
	Updates = Unit{1, "updates"}
	Epochs  = Unit{1, "epochs"}
	Steps   = Unit{1, "steps"}
)

// Write writes a value: "18.1 % of the memoryless loss".
func (u Unit) Write(v float64) string {
	return strings.TrimSpace(u.number(v) + " " + u.Name)
}

// number is a value without the unit's name. What is below 1 % is rounded to hundredths.
func (u Unit) number(v float64) string {
	v *= u.Times
	if u.Times == 100 && math.Abs(v) < 1 {
		v = math.Round(100*v) / 100
	}
	return record.Number(v)
}

// A Value is a quantity of one trial.
type Value struct {
	Trial int
	X     float64 // what the panel sweeps; NoX if it sweeps nothing

	V        float64
	Censored bool    // V is a lower bound: the trial ended before it happened
	Before   float64 // of a time: the point of the curve before V
}

// High is the largest that the value can be.
func (v Value) High() float64 {
	if v.Censored {
		return math.Inf(1)
	}
	return v.V
}

// A Sample has one value for each trial, at each x.
type Sample []Value

// Xs are the values of x, ascending.
func (s Sample) Xs() []float64 {
	xs := each(s, func(v Value) float64 { return v.X })
	slices.Sort(xs)
	return slices.Compact(xs)
}

// At are the values at one x.
func (s Sample) At(x float64) Sample {
	return slices.DeleteFunc(slices.Clone(s), func(v Value) bool { return v.X != x })
}

// Values are the numbers alone; of a censored one its lower bound.
func (s Sample) Values() []float64 { return each(s, func(v Value) float64 { return v.V }) }

// Mean is the mean of Values: a lower bound if one is censored.
func (s Sample) Mean() float64 { return Mean(s.Values()) }

// Censored tells whether some value is.
func (s Sample) Censored() bool {
	return slices.ContainsFunc(s, func(v Value) bool { return v.Censored })
}

// Min is the least value; Max is the largest that any can be.
func (s Sample) Min() float64 { return slices.Min(s.Values()) }
func (s Sample) Max() float64 { return slices.Max(each(s, Value.High)) }

// highest is the value of the trial that may have the highest.
func (s Sample) highest() Sample {
	return Sample{slices.MaxFunc(s, func(a, b Value) int { return cmp.Compare(a.High(), b.High()) })}
}

// Paired combines two samples, trial by trial of the same number and x. Something is missing if a trial has no partner.
func Paired(a, b Sample, combine func(a, b float64) float64) Sample {
	if len(a) != len(b) {
		lack("%d and %d trials: want pairs", len(a), len(b))
	}
	out := slices.Clone(a)
	for i := range a {
		if a[i].Trial != b[i].Trial || a[i].X != b[i].X {
			lack("trials %d and %d: want pairs", a[i].Trial, b[i].Trial)
		}
		out[i].V, out[i].Before = combine(a[i].V, b[i].V), 0 // which is of a time alone
	}
	return out
}

// As is what a loss is expressed in.
type As string

const (
	Recorded     As = ""           // as it is in the record
	OfMemoryless As = "memoryless" // as a share of the memoryless loss
	Excess       As = "excess"     // 0 at the best possible loss, 1 at the memoryless loss
)

// Worst replaces what is no number: a trial that diverged has lost infinitely.
func Worst(v float64, higher bool) float64 {
	switch {
	case !math.IsNaN(v):
		return v
	case higher:
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// Words are what rules call things when they are written for readers. What is not in them goes by its name in records.
type Words struct {
	Arms    map[string]string
	Panels  map[string]string // by name, or by figure and name: "warp/beyond-pixels pmnist"
	Results map[record.Result]Named

	all string // what every arm is called; empty: by its name

	// ByID words are for programs: panels have their identifiers, "warp/fig3 copy500", which are one for all scales,
	// and a name stands for one quantity.
	ByID bool
}

// Named is what a result is called, and what its values are in.
type Named struct {
	Name string
	Unit Unit
}

// Arm is what an arm is called, with its panel if that has a name.
func (w Words) Arm(a Arm) string {
	if w.all != "" {
		return w.all
	}
	name, panel := cmp.Or(w.Arms[a.Name], a.Name), w.panel(a)
	if a.Updates != 0 {
		panel = strings.TrimPrefix(fmt.Sprintf("%s, runs of %d updates", panel, a.Updates), ", ")
	}
	if panel != "" {
		name += " (" + panel + ")"
	}
	return name
}

func (w Words) panel(a Arm) string {
	id := a.Figure + " " + a.Panel
	if w.ByID {
		return id
	}
	return cmp.Or(w.Panels[id], w.Panels[a.Panel])
}

// calling is the words in which every arm has one name.
func (w Words) calling(name string) Words {
	w.all = name
	return w
}

// Result is what a result is called; without a word of its own, by its name in records.
func (w Words) Result(r record.Result) Named {
	return cmp.Or(w.Results[r], Named{string(r), Plain})
}

// loss is what a number of a result is called that is expressed in something.
func (w Words) loss(number string, r record.Result, as As) Named {
	of := w.Result(r)
	if as != Recorded {
		of.Unit = Percent
	}
	return Named{number + of.Name, of.Unit}
}
