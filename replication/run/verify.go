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

// A Verdict is what training a record again says about it.
type Verdict string

const (
	// Same: every number is the same, bit for bit.
	Same Verdict = "the same"

	// Differs: a number is another, and nothing on which last bits depend is.
	Differs Verdict = "not the same"

	// NotComparable: numbers differ, but they were computed by another engine, instruction set, device or (on xla:cpu)
	// processor, on which their last bits depend. It neither confirms the record nor contradicts it.
	NotComparable Verdict = "not comparable"
)

// A Verification is how a record compares with one that was trained again.
type Verification struct {
	Verdict Verdict
	Again   *record.Record

	// Numbers has a line for each series or result that is not the same, bit for bit: see record.Compare.
	Numbers []string

	// Settings has a line for everything that is not as it was and that may explain why numbers differ.
	Settings []string
}

// firstTolerance is how far apart the first points of the training curve may be where the last bits cannot be the same,
// as a share of their size. Rounding in float32 makes a difference of 1e-6 over the updates of a first window; other
// data or weights make one of a percent.
const firstTolerance = 1e-3

// Verify trains a complete record again, from the declaration in figures that it is a record of, and compares the two
// bit for bit. Other versions of a program do not excuse another number. Another engine, instruction set or device
// does, and on xla:cpu another processor; where the record was resumed on another one, so does that for the numbers
// after it.
//
// The runner's Dir is not touched: the new record goes to a temporary directory, and what is interrupted is lost. An
// error is one line. A record that none of the figures declares is one.
func (r Runner) Verify(ctx context.Context, old *record.Record, figures []experiment.Figure) (Verification, error) {
	task, err := experiment.Declared(figures, old)
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
	return verify(old, again), nil
}

func verify(old, again *record.Record) Verification {
	v := Verification{Again: again, Numbers: record.Compare(old, again)}
	var excused bool
	v.Settings, excused = environmentsDiffer(old.Environment, again.Environment)
	if old.Engine() != again.Engine() {
		v.Settings, excused = append(v.Settings, changed("the engine", old.Engine(), again.Engine())), true
	}
	if old.Engine() == "xla:cpu" && old.CPU != again.CPU { // XLA compiles for the processor that it finds
		v.Settings, excused = append(v.Settings, changed("the processor", old.CPU, again.CPU)), true
	}
	held := len(v.Numbers) == 0 || excused && firstPoints(old, again) <= firstTolerance
	for _, at := range old.Resumed {
		lines, bits := environmentsDiffer(old.Environment, at.Environment)
		if len(lines) > 0 {
			v.Settings = append(v.Settings, fmt.Sprintf("it was resumed with other settings at update %d", at.Update))
		}
		if bits && !excused {
			before := record.Compare(old.Until(at.Update), again.Until(at.Update))
			for i := range before {
				before[i] = fmt.Sprintf("up to update %d, %s", at.Update, before[i])
			}
			v.Numbers = append(v.Numbers, before...)
			held, excused = len(before) == 0, true
		}
	}
	switch {
	case len(v.Numbers) == 0:
		v.Verdict = Same
	case excused && held:
		v.Verdict = NotComparable
	default:
		v.Verdict = Differs
	}
	return v
}

// environmentsDiffer has a line for each thing in which two environments differ and that may explain other numbers, and
// reports whether last bits depend on any of them.
func environmentsDiffer(a, b record.Environment) (lines []string, bits bool) {
	compare := func(what, was, is string) {
		if was != is {
			lines = append(lines, changed(what, was, is))
		}
	}
	compare("the instruction set", a.Instructions, b.Instructions)
	compare("the device", a.Device, b.Device)
	compare("the plugin", a.Plugin, b.Plugin)
	bits = len(lines) > 0
	programs := slices.AppendSeq(slices.Collect(maps.Keys(a.Versions)), maps.Keys(b.Versions))
	slices.Sort(programs)
	for _, name := range slices.Compact(programs) {
		compare("the version of "+name, a.Versions[name], b.Versions[name])
	}
	return lines, bits
}

func changed(what, was, is string) string { return fmt.Sprintf("%s was %q, is %q", what, was, is) }

// firstPoints is how far the first points of the training curves are apart, at most, as a share of their size; +Inf if
// only one of two is a number.
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
