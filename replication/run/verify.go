package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// A Verdict is what training a record again says about it.
type Verdict string

const (
	// Same: every number is the same, bit for bit.
	Same Verdict = "the same"

	// Rounded: numbers differ, but by no more than rounding explains, which was another one.
	Rounded Verdict = "equal within rounding"

	// PartlyChecked: so they do, but rounding changes so much of some trials that their later numbers could be compared
	// by their size alone.
	PartlyChecked Verdict = "checked in part"

	// Differs: a number is another, and rounding does not explain it.
	Differs Verdict = "not the same"
)

// A Verification is how a record compares with one that was trained again.
type Verification struct {
	Verdict Verdict
	Updates int // up to which the record was compared

	// Numbers has a line for each series or result that is not the same: bit for bit, or within rounding.
	Numbers []string

	// Settings has a line for everything that is not as it was and that may explain why numbers differ.
	Settings []string

	// Unchecked has a line for each series or result with numbers that were compared by their size alone.
	Unchecked []string
}

// Verify trains a complete record again, by the task that it is a record of (see [experiment.Declared]), and compares
// the two bit for bit. If updates is not 0, it is the number of updates that are enough, or a window if that is more.
// On simd the instruction set is the one that the record names; nothing else may be computing meanwhile.
//
// Other versions of a program do not excuse another number. Another version of the engine, another backend or device
// does, as does an instruction set that this machine lacks or in which the run was resumed, and on xla:cpu another
// processor. From there on numbers are compared within rounding, for which the run is trained once or twice more: see
// [record.CompareRounded].
//
// The runner's Dir is not touched: the new record goes to a temporary directory, and what is interrupted is lost. An
// error is one line.
func (r Runner) Verify(ctx context.Context, old *record.Record, task experiment.Task, updates int) (
	Verification, error) {
	if updates = min(max(old.Window, cmp.Or(updates, old.Updates)), old.Updates); updates < old.Updates {
		old = old.Until(updates)
	}
	if old.Engine() == simd.Name {
		defer simd.UseInstructions(simd.Instructions())
		simd.UseInstructions(old.Instructions)
	}
	again, err := r.again(ctx, task, updates)
	if err != nil {
		return Verification{}, err
	}
	v := Verification{Verdict: Same, Updates: updates, Numbers: record.Compare(old, again)}
	since := -1 // the update from which on last bits may be others
	for _, stage := range append([]record.Resumed{{Environment: old.Environment}}, old.Resumed...) {
		if stage.Update > updates {
			break
		}
		lines, bits := differences(old.Engine(), stage.Environment, again.Engine(), environment(r.Backend))
		for _, line := range lines {
			if stage.Update > 0 {
				line = fmt.Sprintf("from update %d on, %s", stage.Update, line)
			}
			v.Settings = append(v.Settings, line)
		}
		if bits && since < 0 {
			since = stage.Update
		}
	}
	if len(v.Numbers) == 0 {
		return v, nil
	}
	v.Verdict = Differs
	if since < 0 {
		return v, nil
	}
	if before := record.Compare(old.Until(since), again.Until(since)); len(before) > 0 {
		for _, line := range before {
			v.Numbers = append(v.Numbers, fmt.Sprintf("up to update %d, %s", since, line))
		}
		return v, nil
	}
	var wrong []string
	var moved []*record.Record
	for seed := range uint64(2) { // by chance, one may stay where rounding goes elsewhere
		r.moves = &moves{since, seed}
		m, err := r.again(ctx, task, updates)
		if err != nil {
			return Verification{}, err
		}
		moved = append(moved, m)
		if wrong, v.Unchecked = record.CompareRounded(old, again, moved...); len(wrong) == 0 {
			break
		}
	}
	switch {
	case len(wrong) > 0:
		v.Numbers = wrong
	case len(v.Unchecked) > 0:
		v.Verdict = PartlyChecked
	default:
		v.Verdict = Rounded
	}
	return v, nil
}

// again trains a task up to an update, or to its end, and returns its record so far.
func (r Runner) again(ctx context.Context, task experiment.Task, update int) (_ *record.Record, err error) {
	if r.Dir, err = os.MkdirTemp("", "verify-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(r.Dir)
	if update == task.Length.Total() {
		return r.Train(ctx, task)
	}
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	observe := r.Observe
	r.Observe = func(s Status) {
		if observe != nil {
			observe(s)
		}
		if s.Update == update {
			stop()
		}
	}
	if _, err := r.Train(stopping, task); !errors.Is(err, ErrInterrupted) || ctx.Err() != nil {
		return nil, err
	}
	so, _, err := record.ReadPartial(record.Path(r.Dir, task.Header(r.Name)))
	return so, err
}

// differences has a line for each thing in which two backends and environments differ and that may explain other
// numbers, and reports whether last bits depend on any of them.
func differences(engine string, a record.Environment, engineNow string, b record.Environment) (
	lines []string, bits bool) {
	compare := func(what, was, is string) {
		if was != is {
			lines = append(lines, fmt.Sprintf("%s was %q, is %q", what, was, is))
		}
	}
	version := func(e record.Environment) string { return strconv.Itoa(max(1, e.EngineVersion)) }
	compare("the backend", engine, engineNow)
	compare("the engine's version", version(a), version(b))
	compare("the instruction set", a.Instructions, b.Instructions)
	compare("the device", a.Device, b.Device)
	compare("the plugin", a.Plugin, b.Plugin)
	if engine == "xla:cpu" { // XLA compiles for the processor that it finds
		compare("the processor", a.CPU, b.CPU)
	}
	bits = len(lines) > 0
	programs := slices.AppendSeq(slices.Collect(maps.Keys(a.Versions)), maps.Keys(b.Versions))
	slices.Sort(programs)
	for _, name := range slices.Compact(programs) {
		compare("the version of "+name, a.Versions[name], b.Versions[name])
	}
	return lines, bits
}
