package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Equal reports whether two records are of the same run with the same results, bit for bit: everything must agree but
// the clock (when it started, how long it took), the environment with the places where it changed, and the file's name.
func Equal(a, b *Record) bool { return bytes.Equal(mustJSON(a.evidence()), mustJSON(b.evidence())) }

// evidence returns the record without what Equal passes over: taken away, not picked out, so that nothing new can be
// forgotten.
func (r *Record) evidence() Record {
	e := *r
	e.Environment, e.Started, e.Resumed, e.Path = Environment{}, "", nil, ""
	if len(e.Points) == 0 {
		e.Points = nil // as in a record that was read
	}
	if e.End != nil {
		end := *e.End
		end.Seconds, end.SHA256 = 0, ""
		e.End = &end
	}
	return e
}

// Compare says where two records differ, a line for each series or result with a number that is not the same, bit for
// bit, in both: how many differ, and by how much at most. Two records of one experiment on two backends can be
// compared. If they are not of the same experiment, it says what is not the same, and compares no numbers. It returns
// nothing if all numbers agree.
func Compare(a, b *Record) []string {
	if !a.SameExperiment(b.Header) {
		return []string{"not the same run: they differ in " + a.Differences(b.Header)}
	}
	var lines []string
	as, bs := a.numbers(), b.numbers()
	names := bothKeys(as, bs)
	slices.SortStableFunc(names, func(a, b string) int { // what was measured after training stands last
		return cmp.Compare(strings.Index(a, final), strings.Index(b, final))
	})
	for _, name := range names {
		x, inA := as[name]
		if y, inB := bs[name]; !inA || !inB {
			lines = append(lines, name+": only one of them has it")
		} else if len(x) != len(y) {
			lines = append(lines, fmt.Sprintf("%s: %d numbers against %d", name, len(x), len(y)))
		} else if worst, n := furthest(x, y); n > 0 {
			t := a.Trials[worst%len(a.Trials)]
			lines = append(lines, fmt.Sprintf("%s: %d of %d numbers differ, by up to %s of their size (trial %d of %s)",
				name, n, len(x), Number(relative(x[worst], y[worst])), t.Number, t.Arm))
		}
	}
	return lines
}

// final stands before the names of results.
const final = "final "

// A list has the numbers of a record that were measured together.
type list struct {
	name   string
	update int
	of     []Values // [R][n]
}

// lists are all of a record's numbers: the points in their order, then what was measured after training.
func (r *Record) lists() []list {
	var all []list
	add := func(name string, update int, values Values, vectors []Values) {
		for _, x := range values {
			vectors = append(vectors, Values{x})
		}
		all = append(all, list{name, update, vectors})
	}
	for _, p := range r.Points {
		add(p.Series, p.Update, p.Values, p.Vectors)
	}
	diverged := slices.Repeat([]Values{{0, 0, 0}}, len(r.Trials))
	for _, d := range r.Diverged {
		diverged[d.Trial] = append(Values{float64(d.Update)}, d.Norms...)
	}
	add("divergence (update, and norms of two gradients)", r.Updates, nil, diverged)
	if r.End != nil {
		for _, name := range slices.Sorted(maps.Keys(r.End.Final)) {
			add(final+name, r.Updates, r.End.Final[name], nil)
		}
		for _, name := range slices.Sorted(maps.Keys(r.End.Vectors)) {
			add(final+name, r.Updates, nil, r.End.Vectors[name])
		}
	}
	return all
}

// numbers are all of a record's numbers, by what they are of. Every R of them are of the R trials, in their order.
func (r *Record) numbers() map[string][]float64 {
	all := map[string][]float64{}
	for _, l := range r.lists() {
		xs := all[l.name]
		for i := range l.of[0] {
			for _, v := range l.of {
				xs = append(xs, v[i])
			}
		}
		all[l.name] = xs
	}
	return all
}

// furthest returns how many of two lists' numbers are not the same, and where those are that differ most.
func furthest(x, y []float64) (worst, n int) {
	for i := range x {
		if same(x[i], y[i]) {
			continue
		}
		if n++; n == 1 || relative(x[i], y[i]) > relative(x[worst], y[worst]) {
			worst = i
		}
	}
	return worst, n
}

// Differences names the fields that keep two headers from being of the same experiment: "trials, updates".
func (h Header) Differences(other Header) string {
	fields := func(h Header) map[string]json.RawMessage {
		m := map[string]json.RawMessage{}
		if err := json.Unmarshal(mustJSON(h.asked()), &m); err != nil {
			panic(err) // it was encoded just now
		}
		return m
	}
	fa, fb := fields(h), fields(other)
	var names []string
	for _, name := range bothKeys(fa, fb) {
		if !bytes.Equal(fa[name], fb[name]) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// same reports whether two numbers are the same, bit for bit, or both NaN.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// relative returns the distance of two numbers as a share of the larger one; +Inf if not both are finite.
func relative(x, y float64) float64 {
	if !Finite(x) || !Finite(y) {
		return math.Inf(1)
	}
	if x == y { // 0 and −0
		return 0
	}
	size := max(math.Abs(x), math.Abs(y))
	return math.Abs(x/size - y/size)
}

// bothKeys returns the keys that are in a or in b, sorted.
func bothKeys[V any](a, b map[string]V) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}
