package claim

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// Evidence is the complete records of one scale. Its methods return an error, of one line, where something is missing
// that a claim asks for; the claim then returns Missing("%v", err).
type Evidence struct {
	Records   []*record.Record
	Scale     record.Scale
	MinTrials int // of each arm, at each x

	readings []chosen  // of the choices that the claim names
	reverse  string    // as in Claim
	vary     variation // how the claim is judged again
	notes    *notes    // nil where it is not judged for the first time
}

// Arm returns all trials of an arm of a panel of a figure ("warp/fig3"), in whatever parts of the panel they are. At
// each x that they have there must be enough of them, and none may be there twice.
func (e Evidence) Arm(figure, panel, arm string) (Trials, error) {
	type identity struct {
		x      float64
		number int
	}
	place, run := figure+" "+panel, false
	seen, count := map[identity]bool{}, map[float64]int{}
	var ts Trials
	for _, r := range e.Records {
		if r.Paper+"/"+r.Figure != figure || r.Panel != panel {
			continue
		}
		run = true
		for _, i := range r.Arm(arm) {
			t := Trial{r, i, e.vary, e.notes}
			id := identity{t.x(), t.Declared().Number}
			if slices.Contains(e.vary.leftOut, id.number) {
				continue
			}
			e.notes.trial(id.number)
			if seen[id] {
				return nil, fmt.Errorf("trial %d of %s%s is twice in %s", id.number, arm, atX(id.x), place)
			}
			seen[id] = true
			count[id.x]++
			ts = append(ts, t)
		}
	}
	switch {
	case !run:
		return nil, fmt.Errorf("no record of %s", place)
	case len(ts) == 0:
		return nil, fmt.Errorf("no trials of %s in %s", arm, place)
	}
	for _, x := range slices.Sorted(maps.Keys(count)) {
		if count[x] < e.MinTrials {
			return nil, fmt.Errorf("trials of %s%s in %s: %d, wants %d", arm, atX(x), place, count[x], e.MinTrials)
		}
	}
	return ts, nil
}

// A Trial is one trial of a record.
type Trial struct {
	Record *record.Record
	Place  int // in every list of values of the record

	vary  variation
	notes *notes
}

// series returns the points of a series, up to where the evidence ends.
func (t Trial) series(name record.Result) []record.Point {
	t.notes.asked(true)
	return t.vary.cut(t.Record, t.Record.Series(string(name)))
}

// Declared returns what the record's header says of it.
func (t Trial) Declared() record.Trial { return t.Record.Trials[t.Place] }

// lacks is the error that something is not in the trial's record.
func (t Trial) lacks(what string) error {
	return fmt.Errorf("no %s of %s in %s", what, t.Declared().Arm, t.Record.Name())
}

// noX is the x of a trial in a panel that sweeps none. A record has finite ones only.
var noX = math.Inf(-1)

func (t Trial) x() float64 {
	if x := t.Declared().X; x != nil {
		return *x
	}
	return noX
}

func atX(x float64) string {
	if x == noX {
		return ""
	}
	return " at " + record.Number(x)
}

// Trials are the trials of one arm of a panel.
type Trials []Trial

// Xs returns the values that the panel sweeps, in ascending order; none if it sweeps nothing.
func (ts Trials) Xs() []float64 {
	var xs []float64
	for _, t := range ts {
		if x := t.x(); x != noX && !slices.Contains(xs, x) {
			xs = append(xs, x)
		}
	}
	slices.Sort(xs)
	return xs
}

// At returns the trials at one of the swept values. There may be none.
func (ts Trials) At(x float64) Trials {
	return slices.DeleteFunc(slices.Clone(ts), func(t Trial) bool { return t.x() != x })
}

// Longest returns the trials of the longest runs. That others had not learned by the end of shorter ones says less.
func (ts Trials) Longest() Trials {
	longest := 0
	for _, t := range ts {
		longest = max(longest, t.Record.Updates)
	}
	return slices.DeleteFunc(slices.Clone(ts), func(t Trial) bool { return t.Record.Updates < longest })
}

// Final returns a final result of each trial, as recorded: NaN where it diverged.
func (ts Trials) Final(name record.Result) ([]float64, error) {
	var values []float64
	for _, t := range ts {
		t.notes.asked(false)
		all, ok := t.Record.End.Final[string(name)]
		if !ok {
			return nil, t.lacks("final " + string(name))
		}
		values = append(values, all[t.Place])
	}
	return values, nil
}

// Losses returns a final result of each trial that is better the lower it is. A trial that diverged to NaN has lost
// infinitely.
func (ts Trials) Losses(name record.Result) ([]float64, error) {
	values, err := ts.Final(name)
	return withoutNaN(values, math.Inf(1)), err
}

// Accuracies returns a final result of each trial that is a share of right answers. A trial that diverged to NaN has
// none.
func (ts Trials) Accuracies(name record.Result) ([]float64, error) {
	values, err := ts.Final(name)
	return withoutNaN(values, 0), err
}

// Vectors returns a final result of several numbers of each trial.
func (ts Trials) Vectors(name record.Result) ([][]float64, error) {
	var vectors [][]float64
	for _, t := range ts {
		t.notes.asked(false)
		all, ok := t.Record.End.Vectors[string(name)]
		if !ok {
			return nil, t.lacks("final " + string(name))
		}
		vectors = append(vectors, all[t.Place])
	}
	return vectors, nil
}

// LastVectors returns the last point of a series of several numbers of each trial.
func (ts Trials) LastVectors(series record.Result) ([][]float64, error) {
	var vectors [][]float64
	for _, t := range ts {
		points := t.series(series)
		if len(points) == 0 || len(points[len(points)-1].Vectors) == 0 {
			return nil, t.lacks("series " + string(series))
		}
		vectors = append(vectors, points[len(points)-1].Vectors[t.Place])
	}
	return vectors, nil
}

// Memoryless returns for each trial the loss of the best model without memory.
func (ts Trials) Memoryless() ([]float64, error) {
	return ts.levels("memoryless loss", func(t record.Trial) *float64 { return t.Memoryless })
}

// Best returns for each trial the lowest loss that any model can have.
func (ts Trials) Best() ([]float64, error) {
	return ts.levels("best loss", func(t record.Trial) *float64 { return t.Best })
}

func (ts Trials) levels(name string, level func(record.Trial) *float64) ([]float64, error) {
	var levels []float64
	for _, t := range ts {
		l := level(t.Declared())
		if l == nil {
			return nil, t.lacks(name)
		}
		levels = append(levels, *l)
	}
	return levels, nil
}

// Excess returns for each trial how much of what there is to remember is missing from a final loss: 0 at the best loss
// that any model can have, 1 at the best without memory. Losses in tasks of different lengths can be compared by it.
func (ts Trials) Excess(name record.Result) ([]float64, error) {
	losses, err := ts.Losses(name)
	if err != nil {
		return nil, err
	}
	memoryless, err := ts.Memoryless()
	if err != nil {
		return nil, err
	}
	best, err := ts.Best()
	if err != nil {
		return nil, err
	}
	for i := range losses {
		if !(memoryless[i] > best[i]) {
			return nil, ts[i].lacks(fmt.Sprintf("memoryless loss (%g) above the best loss (%g)", memoryless[i],
				best[i]))
		}
		losses[i] = (losses[i] - best[i]) / (memoryless[i] - best[i])
	}
	return losses, nil
}

// withoutNaN replaces NaN, in place, by what is to stand for it.
func withoutNaN(values []float64, by float64) []float64 {
	for i, v := range values {
		if math.IsNaN(v) {
			values[i] = by
		}
	}
	return values
}
