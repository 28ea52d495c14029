package run

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

func mustVerify(t *testing.T, task experiment.Task, r *record.Record, updates int) Verification {
	t.Helper()
	return check.Got(newRunner(t, engine, t.TempDir()).Verify(t.Context(), r, task, updates))(t)
}

// forge returns a trained record, read anew, with something changed.
func forge(t *testing.T, from *record.Record, change func(*record.Record)) *record.Record {
	t.Helper()
	forged := check.Got(record.Read(from.Path))(t)
	change(forged)
	return forged
}

// forgeries are changes of a record of tinyWarp, one for each kind of number that records have.
var forgeries = map[string]func(*record.Record){
	"the first point":    func(r *record.Record) { r.Series(record.Train)[0].Values[1] *= 1.01 },
	"a better test":      func(r *record.Record) { r.End.Final["test_loss"][0] = 0.7 },
	"a gate in a series": func(r *record.Record) { r.Series("gates")[0].Vectors[2][1] += 0.1 },
	"a divergence": func(r *record.Record) {
		r.Diverged = []record.Diverged{{Update: 14, Trial: 0, Norms: record.Values{1, 2}}}
		r.Series(record.Train)[3].Values[0] = math.NaN()
	},
}

// noSet is the name of an instruction set that no machine has.
const noSet = "mmx"

// excuses are changes of a record's environment after which other last bits are no proof of anything.
var excuses = map[string]func(*record.Record){
	"the instruction set": func(r *record.Record) { r.Instructions = noSet },
	"the device":          func(r *record.Record) { r.Device = "another" },
	"the plugin":          func(r *record.Record) { r.Plugin = strings.Repeat("0", 64) },
	"the backend":         func(r *record.Record) { r.Backend = "go" },
	"the processor":       func(r *record.Record) { r.Backend, r.CPU = "xla:cpu", "another" },
	"the engine":          func(r *record.Record) { r.EngineVersion = engineVersion - 1 },
	"an old engine":       func(r *record.Record) { r.EngineVersion = 0 },
	"resumed at once":     resumed(0),
	"resumed":             resumed(4),
	"both, and the first point": func(r *record.Record) {
		first := &r.Series(record.Train)[0].Values[1] // at update 5
		*first, r.Instructions = math.Nextafter(*first, 1), noSet
		resumed(6)(r)
	},
}

// resumed adds that the run was resumed on another instruction set.
func resumed(update int) func(*record.Record) {
	return func(r *record.Record) {
		there := r.Environment
		there.Instructions = noSet
		r.Resumed = append(r.Resumed, record.Resumed{Update: update, Environment: there})
	}
}

// Nothing excuses invented numbers.
func TestForgeriesAreFound(t *testing.T) {
	task := tinyTask(t, warping)
	task.Optimizer.Rates = []float64{1e-3} // at which training does not amplify rounding
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	all := map[string]func(*record.Record){"the version of Go": func(r *record.Record) { r.Versions["go"] += "x" }}
	for _, why := range []string{"the instruction set", "the backend", "resumed"} { // the others are like the first
		all[why] = excuses[why]
	}
	for what, change := range forgeries {
		for why, excuse := range all {
			v := mustVerify(t, task, forge(t, old, func(r *record.Record) { change(r); excuse(r) }), 0)
			check.That(t, v.Verdict == Differs && len(v.Numbers) != 0, "%s, excused by %s: %+v", what, why, v)
		}
	}
}

// A record with other last bits is equal within rounding where something excuses them, and not the same where nothing
// does.
func TestLastBits(t *testing.T) {
	task := tinyTask(t, adding)
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	moved := func(x *float64) { *x = math.Nextafter(*x, 1) }
	verified := func(also func(*record.Record)) Verification {
		return mustVerify(t, task, forge(t, old, func(r *record.Record) {
			moved(&r.Series(record.Train)[2].Values[1])
			also(r)
		}), 0)
	}
	for what, no := range map[string]func(*record.Record){
		"nothing": func(*record.Record) {}, "resumed at the end": resumed(12),
		"resumed after other bits": func(r *record.Record) {
			moved(&r.Series(record.Train)[0].Values[1]) // at update 5
			resumed(6)(r)
		},
		"another program and processor": func(r *record.Record) { r.Versions["go"], r.Commit, r.CPU = "x", "1", "2" },
	} {
		v := verified(no)
		check.That(t, v.Verdict == Differs, "%s excuses other last bits: %+v", what, v)
	}
	for why, excuse := range excuses {
		v := verified(excuse)
		check.That(t, v.Verdict == Rounded && len(v.Settings) != 0, "%s: %+v", why, v)
	}
}

// What rounding changes too much to be compared is reported.
func TestUncheckedPart(t *testing.T) {
	task := tinyTask(t, warping)
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	v := mustVerify(t, task, forge(t, old, func(r *record.Record) {
		r.Series("valid_loss")[3].Values[3] *= 0.98 // at a rate that is too high for this trial
		excuses["the instruction set"](r)
	}), 0)
	check.That(t, v.Verdict == PartlyChecked && len(v.Unchecked) == 1 &&
		strings.HasPrefix(v.Unchecked[0], "valid_loss: 1 "), "%+v", v)
}

// An honest record of any instruction set is the same here if this machine has it, and is believed if it has not; and
// so is one of another engine.
func TestHonestRecordsAreBelieved(t *testing.T) {
	best := simd.Instructions()
	defer simd.UseInstructions(best)
	for i := range tiny {
		task := tinyTask(t, i)
		for _, set := range []string{"portable", "avx2", "avx512", "neon"} {
			if !simd.UseInstructions(set) {
				continue
			}
			old := mustTrain(t, newRunner(t, "simd", t.TempDir()), task)
			simd.UseInstructions(best)
			v := mustVerify(t, task, old, 0)
			check.That(t, v.Verdict == Same && simd.Instructions() == best,
				"%s with %s: %+v; then %s", old.Name(), set, v, simd.Instructions())
			if v := mustVerify(t, task, forge(t, old, excuses["the instruction set"]), 0); v.Verdict == Differs {
				t.Errorf("%s with %s, which this machine lacks: %+v", old.Name(), set, v)
			}
		}
		old := mustTrain(t, newRunner(t, "go", t.TempDir()), task)
		v := mustVerify(t, task, old, 0)
		check.That(t, v.Verdict != Differs && slices.Contains(v.Settings, `the backend was "go", is "simd"`),
			"%s on another engine: %+v", old.Name(), v)
	}
}

// The first updates of a record can be verified alone.
func TestVerifyFirstUpdates(t *testing.T) {
	task := tinyTask(t, warping)
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	late := forge(t, old, func(r *record.Record) { r.Series(record.Train)[2].Values[0] *= 1.01 }) // at update 12
	for _, c := range []struct {
		updates, compared int
		want              Verdict
	}{{1, 4, Same}, {4, 4, Same}, {11, 11, Same}, {12, 12, Differs}, {14, 14, Differs}, {15, 14, Differs}} {
		v := mustVerify(t, task, late, c.updates)
		check.That(t, v.Verdict == c.want && v.Updates == c.compared,
			"the first %d updates: %+v, want %s of %d", c.updates, v, c.want, c.compared)
	}
}
