package record

import (
	"bytes"
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
	for _, name := range append([]string{Train}, slices.Sorted(maps.Keys(a.Header.Series))...) {
		lines = append(lines, a.compareValues(name, values(a.Series(name)), values(b.Series(name)))...)
	}
	lines = append(lines, a.compareDiverged(b)...)
	if a.End == nil || b.End == nil {
		if a.End != b.End {
			lines = append(lines, "only one of them is finished")
		}
		return lines
	}
	return append(lines, a.compareResults(b)...)
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

// compareDiverged compares which trials diverged, when, and with what gradients: a line for each that did otherwise.
func (r *Record) compareDiverged(other *Record) []string {
	var lines []string
	for i, t := range r.Trials {
		says := func(r *Record) string {
			at := slices.IndexFunc(r.Diverged, func(d Diverged) bool { return d.Trial == i })
			if at < 0 {
				return "did not diverge"
			}
			d := r.Diverged[at]
			return fmt.Sprintf("diverged at update %d after gradients of norm %g and %g", d.Update, d.Norms[0],
				d.Norms[1])
		}
		if a, b := says(r), says(other); a != b {
			lines = append(lines, fmt.Sprintf("trial %d of %s: in one it %s, in the other it %s", t.Number, t.Arm,
				a, b))
		}
	}
	return lines
}

// compareResults compares the results of two finished records.
func (r *Record) compareResults(other *Record) []string {
	var lines []string
	for _, name := range bothKeys(r.End.Final, other.End.Final) {
		a, b := r.End.Final[name], other.End.Final[name]
		if a == nil || b == nil {
			lines = append(lines, "final "+name+": only one of them has it")
			continue
		}
		lines = append(lines, r.compareValues("final "+name, [][]float64{a}, [][]float64{b})...)
	}
	for _, name := range bothKeys(r.End.Vectors, other.End.Vectors) {
		a, b := r.End.Vectors[name], other.End.Vectors[name]
		if a == nil || b == nil {
			lines = append(lines, "final "+name+": only one of them has it")
			continue
		}
		lines = append(lines, r.compareValues("final "+name, transposed(a), transposed(b))...)
	}
	return lines
}

// compareValues compares two lists of values for each trial, [n][R] each, and returns one line, or none if they are the
// same.
func (r *Record) compareValues(name string, a, b [][]float64) []string {
	if len(a) != len(b) {
		return []string{fmt.Sprintf("%s: %d values for each trial against %d", name, len(a), len(b))}
	}
	count, differ, most, worst := 0, 0, 0.0, 0
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return []string{fmt.Sprintf("%s: values for %d trials against %d", name, len(a[i]), len(b[i]))}
		}
		for t := range a[i] {
			count++
			if same(a[i][t], b[i][t]) {
				continue
			}
			differ++
			if d := relative(a[i][t], b[i][t]); differ == 1 || d > most {
				most, worst = d, t
			}
		}
	}
	if differ == 0 {
		return nil
	}
	t := r.Trials[worst]
	return []string{fmt.Sprintf("%s: %d of %d numbers differ, by up to %s of their size (trial %d of %s)",
		name, differ, count, Number(most), t.Number, t.Arm)}
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

func values(points []Point) [][]float64 {
	var v [][]float64
	for _, p := range points {
		if len(p.Vectors) > 0 {
			v = append(v, transposed(p.Vectors)...)
		} else {
			v = append(v, p.Values)
		}
	}
	return v
}

// transposed turns vectors of trials, [R][n], into values for each trial, [n][R].
func transposed(vectors []Values) [][]float64 {
	if len(vectors) == 0 {
		return nil
	}
	out := make([][]float64, len(vectors[0]))
	for i := range out {
		for _, v := range vectors {
			out[i] = append(out[i], v[i])
		}
	}
	return out
}

// bothKeys returns the keys that are in a or in b, sorted.
func bothKeys[V any](a, b map[string]V) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}
