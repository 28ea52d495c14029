package record

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// Compare says where two records differ: a line for each series or result with a number that is not the same, bit for
// bit, in both. Two records of one experiment on two backends can be compared. If they are not of the same experiment,
// it says what is not the same, and compares no numbers. It returns nothing if all numbers agree.
func Compare(a, b *Record) []string {
	if !a.SameExperiment(b.Header) {
		return []string{"not the same run: they differ in " + a.Differences(b.Header)}
	}
	differ, theirs := tally{}, b.places()
	for _, l := range a.lists() {
		other, both := theirs[l.place]
		delete(theirs, l.place)
		for t, trial := range a.Trials {
			differs, far := true, math.Inf(1)
			if both {
				differs, far = !slices.EqualFunc(l.of[t], other.of[t], same), distance(l.of[t], other.of[t], 0)
			}
			differ.add(l, trial, far, differs)
		}
	}
	for _, l := range b.lists() {
		if _, alone := theirs[l.place]; alone {
			differ.add(l, b.Trials[0], math.Inf(1), true)
		}
	}
	return differ.lines("%d of %d differ, by up to %s of their size")
}

// final stands before the names of results.
const final = "final "

// A list has the numbers of a record that were measured together.
type list struct {
	place
	of []Values // [R][n]
}

// A place is where a list stands among a record's.
type place struct {
	name   string
	update int
}

// lists are all of a record's numbers: the points in their order, then what was measured after training.
func (r *Record) lists() (all []list) {
	add := func(name string, update int, values Values, vectors []Values) {
		for _, x := range values {
			vectors = append(vectors, Values{x})
		}
		all = append(all, list{place{name, update}, vectors})
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

func (r *Record) places() map[place]list {
	all := map[place]list{}
	for _, l := range r.lists() {
		all[l.place] = l
	}
	return all
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
	mine, theirs := fields(h), fields(other)
	names := slices.AppendSeq(slices.Collect(maps.Keys(mine)), maps.Keys(theirs))
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return bytes.Equal(mine[name], theirs[name])
	})
	return strings.Join(names, ", ")
}

// same reports whether two numbers are the same, bit for bit, or both NaN.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}
