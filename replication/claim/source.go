package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// A Source is the complete records of one scale, from which quantities are read. What it does not have ends the
// reading, as an error ends the building of a graph: see [Read].
type Source struct {
	Records []*record.Record

	curves    map[*record.Record][]record.Point // of training
	minTrials int
	leftOut   []Network
	end       int // percent of the updates after which curves are cut; 0: none

	read *[]Trial // those that were read
}

// From is a source of records of one scale, where one trial is enough.
func From(records ...*record.Record) Source { return Source{Records: records, minTrials: 1} }

// Until is where a curve of some updates is cut. Whoever reads curves that are in no record cuts them there, too.
func (s Source) Until(updates int) int { return updates * cmp.Or(s.end, 100) / 100 }

// missing is what a reading panics with: one line.
type missing struct{ error }

func lack(format string, args ...any) { panic(missing{fmt.Errorf(format, args...)}) }

// Read reads a quantity. It returns an error where the records lack something that the quantity needs, and where no
// trial has a value.
func Read(q Quantity, s Source) (Sample, error) {
	return reading(func() Sample {
		sample := q.Read(s)
		if len(sample) == 0 {
			lack("no trial has a value of %T", q)
		}
		return sample
	})
}

func reading(read func() Sample) (s Sample, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case missing:
			err = r
		default:
			panic(r)
		}
	}()
	return read(), nil
}

// Trials returns all trials of an arm, in whatever parts of its panel they are, by x and number. At each x there must
// be enough of them, and none may be there twice in runs of one length.
func (s Source) Trials(of Arm) Trials {
	var ts Trials
	for _, r := range s.Records {
		if !of.isOf(r.Header) || of.Updates != 0 && r.Updates != of.Updates {
			continue
		}
		for _, i := range r.Arm(of.Name) {
			t := Trial{r, i, s.Until(r.Updates)}
			if !slices.Contains(s.leftOut, t.network()) {
				ts = append(ts, t)
			}
		}
	}
	if len(ts) == 0 {
		lack("no trials of %s in %s %s", of.Name, of.Figure, of.Panel)
	}
	slices.SortStableFunc(ts, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(a.X(), b.X()), cmp.Compare(a.Number(), b.Number()),
			cmp.Compare(b.Record.Updates, a.Record.Updates))
	})
	twice := false
	ts = slices.CompactFunc(ts, func(a, b Trial) bool {
		same := a.X() == b.X() && a.Number() == b.Number()
		twice = twice || same && a.Record.Updates == b.Record.Updates
		return same
	})
	if twice {
		lack("a trial of %s is twice in %s %s", of.Name, of.Figure, of.Panel)
	}
	if s.read != nil {
		*s.read = append(*s.read, ts...)
	}
	count := map[float64]int{}
	for _, t := range ts {
		count[t.X()]++
	}
	for _, n := range count {
		if n < s.minTrials-min(1, len(s.leftOut)) {
			lack("trials of %s in %s %s: %d, wants %d", of.Name, of.Figure, of.Panel, n, s.minTrials)
		}
	}
	return ts
}

// Trials are those of one arm, by x and number.
type Trials []Trial

func (ts Trials) Sample(value func(Trial) Value) Sample {
	return each(ts, func(t Trial) Value {
		v := value(t)
		v.Trial, v.X = t.Number(), t.X()
		return v
	})
}

func (ts Trials) Each(number func(Trial) float64) Sample {
	return ts.Sample(func(t Trial) Value { return Value{V: number(t)} })
}

// A Trial is one trial of a record.
type Trial struct {
	Record *record.Record
	Place  int // in every list of values of the record

	until int // the update at which curves are cut; 0: none
}

func (t Trial) declared() record.Trial { return t.Record.Trials[t.Place] }

// A Network is one trial of an arm, in whatever record it is.
type Network struct {
	Arm
	X      X   `json:"x,omitzero"` // NoX where the panel sweeps nothing
	Number int `json:"trial"`
}

func (t Trial) network() Network {
	r := t.Record
	return Network{Arm{Figure: r.Paper + "/" + r.Figure, Panel: r.Panel, Name: t.declared().Arm}, X(t.X()), t.Number()}
}

// trained returns the runs that trained the same network, to its numbers as far as both curves go.
func (s Source) trained(t Trial) (runs []*record.Record) {
	for _, r := range s.Records {
		own, theirs := s.curves[t.Record], s.curves[r]
		n := min(len(own), len(theirs))
		for place, other := range r.Trials {
			same := func(p, q record.Point) bool {
				return p.Update == q.Update && cmp.Compare(p.Values[t.Place], q.Values[place]) == 0 // NaN, too
			}
			if n > 1 && other.Seed == t.declared().Seed && slices.EqualFunc(own[:n], theirs[:n], same) {
				runs = append(runs, r)
			}
		}
	}
	return runs
}

func (t Trial) Number() int { return t.declared().Number }

// X is the trial's value of what the panel sweeps, or [NoX].
func (t Trial) X() float64 {
	if x := t.declared().X; x != nil {
		return *x
	}
	return NoX
}

// lacks says that something is not in the trial's record.
func (t Trial) lacks(what string) { lack("no %s of %s in %s", what, t.declared().Arm, t.Record.Name()) }

// points are those of a series, up to where curves are cut.
func (t Trial) points(series record.Result) []record.Point {
	return slices.DeleteFunc(t.Record.Series(string(series)), func(p record.Point) bool {
		return t.until != 0 && p.Update > t.until
	})
}

// Curve returns a series of the trial, expressed as asked for: where it diverged, the worst value that there is. It has
// a point at least.
func (t Trial) Curve(series record.Result, as As, higher bool) (c Curve) {
	for _, p := range t.points(series) {
		if len(p.Values) == 0 {
			lack("series %s of %s has several numbers at each point", series, t.Record.Name())
		}
		c.Updates = append(c.Updates, p.Update)
		c.Values = append(c.Values, t.as(Worst(p.Values[t.Place], higher), as))
	}
	if len(c.Values) == 0 {
		t.lacks("series " + string(series))
	}
	return c
}

// Final returns a final result of the trial, as recorded: NaN where it diverged.
func (t Trial) Final(name record.Result) float64 { return final(t, t.Record.End.Final, name) }

// Vector returns a final result of several numbers.
func (t Trial) Vector(name record.Result) []float64 { return final(t, t.Record.End.Vectors, name) }

func final[L ~[]T, T any](t Trial, of map[string]L, name record.Result) T {
	all, ok := of[string(name)]
	if !ok {
		t.lacks("final " + string(name))
	}
	return all[t.Place]
}

// Vectors are the points of a series of several numbers. It has a point at least.
func (t Trial) Vectors(series record.Result) (points [][]float64) {
	for _, p := range t.points(series) {
		if len(p.Vectors) == 0 {
			break
		}
		points = append(points, p.Vectors[t.Place])
	}
	if len(points) == 0 {
		t.lacks("series " + string(series))
	}
	return points
}

func (t Trial) as(loss float64, as As) float64 {
	if as == Recorded {
		return loss
	}
	of, best := t.declared(), 0.
	if of.Memoryless == nil {
		t.lacks("memoryless loss")
	}
	if as == Excess {
		if of.Best == nil {
			t.lacks("best loss")
		}
		best = *of.Best
	}
	if !(*of.Memoryless > best) {
		t.lacks(fmt.Sprintf("memoryless loss (%g) above the best loss (%g)", *of.Memoryless, best))
	}
	return (loss - best) / (*of.Memoryless - best)
}

// NoX is the x of a trial in a panel that sweeps nothing. Records have finite ones only.
var NoX = math.Inf(-1)
