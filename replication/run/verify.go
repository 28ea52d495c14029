package run

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A Verification is how a record compares with one that was trained again.
type Verification struct {
	Again *record.Record

	// Numbers has a line for each series or result that is not the same, bit for bit: see record.Compare.
	Numbers []string

	// Settings has a line for each thing on which the last bits depend and that is not as it was: the engine, its
	// versions, the instruction set. Numbers can be the same only where there is none.
	Settings []string

	// First is how far the first points of the training curve are apart, at most, as a share of their size; +Inf if
	// only one of two is a number.
	First float64
}

// FirstTolerance is how far apart the first points may be where the last bits cannot be the same. Rounding in float32
// makes a difference of 1e-6 over the updates of a first window; other data or weights make one of a percent.
const FirstTolerance = 1e-3

// Same reports whether the record is confirmed: every number is the same, or, where the settings do not allow that, the
// first points agree.
func (v Verification) Same() bool {
	return len(v.Numbers) == 0 || len(v.Settings) > 0 && v.First <= FirstTolerance
}

// Verify trains a complete record again, from the declaration in figures that it is a record of, and compares the two.
// The runner's Dir is not touched: the new record goes to a temporary directory, and what is interrupted is lost.
//
// An error is one line. A record that none of the figures declares is one.
func (r Runner) Verify(ctx context.Context, old *record.Record, figures []experiment.Figure) (Verification, error) {
	task, err := Declared(old, figures)
	if err != nil {
		return Verification{}, err
	}
	if r.Dir, err = os.MkdirTemp("", "verify-"); err != nil {
		return Verification{}, err
	}
	defer os.RemoveAll(r.Dir)
	again, err := r.Train(ctx, task)
	if err != nil {
		return Verification{}, err
	}
	return Verification{
		Again: again, Numbers: record.Compare(old, again), Settings: settingsDiffer(old, again),
		First: firstPoints(old, again),
	}, nil
}

// Declared returns the task that a record is of, among those that figures declare for the record's trials and seeds.
func Declared(r *record.Record, figures []experiment.Figure) (experiment.Task, error) {
	trials := 0
	var seed uint64
	for _, t := range r.Trials {
		trials = max(trials, t.Number+1)
		if t.Number == 0 {
			seed = t.Seed
		}
	}
	none := func(why string) (experiment.Task, error) {
		return experiment.Task{}, fmt.Errorf("record %s cannot be trained again: this program declares %s %s",
			r.Path, why, r.Name())
	}
	for _, figure := range figures {
		if figure.Paper != r.Paper || figure.Name != r.Figure {
			continue
		}
		tasks, err := figure.Tasks(experiment.Options{
			Scale: r.Scale, Panel: r.Panel, Trials: trials, Seed: seed / 1000, // of which trial 0's is the multiple
		})
		if err != nil {
			return none("no")
		}
		for _, task := range tasks {
			if task.Part != r.Part {
				continue
			}
			if !r.SameExperiment(task.Header("")) {
				return none("another experiment as")
			}
			return task, nil
		}
	}
	return none("no")
}

// settingsDiffer says in which of the things that the last bits depend on two records differ, and where the first was
// resumed with other ones.
func settingsDiffer(a, b *record.Record) []string {
	var lines []string
	if a.Backend != b.Backend {
		lines = append(lines, changed("the engine", a.Backend, b.Backend))
	}
	lines = append(lines, environmentsDiffer(a.Environment, b.Environment)...)
	for _, r := range a.Resumed {
		if environmentsDiffer(a.Environment, r.Environment) != nil {
			lines = append(lines, fmt.Sprintf("from update %d on it was in another environment", r.Update))
		}
	}
	return lines
}

// environmentsDiffer has a line for each thing in which two environments differ and on which the last bits depend.
func environmentsDiffer(a, b record.Environment) []string {
	var lines []string
	compare := func(what, was, is string) {
		if was != is {
			lines = append(lines, changed(what, was, is))
		}
	}
	compare("the instruction set", a.Instructions, b.Instructions)
	compare("the device", a.Device, b.Device)
	compare("the plugin", a.Plugin, b.Plugin)
	programs := slices.AppendSeq(slices.Collect(maps.Keys(a.Versions)), maps.Keys(b.Versions))
	slices.Sort(programs)
	for _, name := range slices.Compact(programs) {
		compare("the version of "+name, a.Versions[name], b.Versions[name])
	}
	return lines
}

func changed(what, was, is string) string { return fmt.Sprintf("%s was %q, is %q", what, was, is) }

// firstPoints is how far the first points of the training curves are apart, as a share of their size.
func firstPoints(a, b *record.Record) float64 {
	x, y := a.Series(record.Train)[0].Values, b.Series(record.Train)[0].Values
	most := 0.
	for r := range x {
		switch {
		case x[r] == y[r] || math.IsNaN(x[r]) && math.IsNaN(y[r]):
		case math.IsNaN(x[r]-y[r]) || math.IsInf(x[r]-y[r], 0):
			return math.Inf(1)
		default:
			most = max(most, math.Abs(x[r]-y[r])/max(math.Abs(x[r]), math.Abs(y[r])))
		}
	}
	return most
}
