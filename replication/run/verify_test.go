package run

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

func mustVerify(t *testing.T, r *record.Record, updates int) Verification {
	t.Helper()
	v, err := newRunner(t, engine, t.TempDir()).Verify(t.Context(), r, tiny, updates)
	check.OK(t, err)
	return v
}

// forge returns a copy of a record with something changed.
func forge(t *testing.T, from *record.Record, changes ...func(*record.Record)) *record.Record {
	t.Helper()
	forged, err := record.Read(from.Path)
	check.OK(t, err)
	for _, change := range changes {
		change(forged)
	}
	return forged
}

// lists are all numbers of a record: what a point or a result has, or one trial's vector of it.
func lists(r *record.Record) (all []record.Values) {
	for _, p := range r.Points {
		if all = append(all, p.Vectors...); p.Values != nil {
			all = append(all, p.Values)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.End.Final)) {
		all = append(all, r.End.Final[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.End.Vectors)) {
		all = append(all, r.End.Vectors[name]...)
	}
	return all
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
}

// resumed adds that the run was resumed on another instruction set.
func resumed(update int) func(*record.Record) {
	return func(r *record.Record) {
		there := r.Environment
		there.Instructions = noSet
		r.Resumed = append(r.Resumed, record.Resumed{Update: update, Environment: there})
	}
}

// Nothing excuses an invented number, anywhere in a record, nor those of another seed.
func TestForgeriesAreFound(t *testing.T) {
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), tinyTask(t, calm))
	tasks, err := tiny[calm].Tasks(experiment.Options{Scale: "quick", Seed: 8})
	check.OK(t, err)
	other := mustTrain(t, newRunner(t, engine, t.TempDir()), tasks[0])
	forgeries := []func(*record.Record){
		func(r *record.Record) { r.Points, r.End = other.Points, other.End },
		func(r *record.Record) { lists(r)[0][0] = math.NaN() },
		func(r *record.Record) {
			r.Diverged = []record.Diverged{{Update: 14, Trial: 0, Norms: record.Values{1, 2}}}
			r.Series(record.Train)[3].Values[0] = math.NaN()
		},
	}
	for n := range lists(old) {
		forgeries = append(forgeries, func(r *record.Record) {
			list := lists(r)[n]
			i := n % len(list)
			list[i] = 0.9*list[i] - 0.05
		})
	}
	program := func(r *record.Record) { r.Versions["go"] += "x" }
	for n, change := range forgeries { // the other excuses are like the first
		also := []func(*record.Record){excuses["the backend"], excuses["resumed"], program}[n%3]
		for _, excuse := range []func(*record.Record){excuses["the instruction set"], also} {
			if v := mustVerify(t, forge(t, old, change, excuse), 0); v.Verdict != Differs || len(v.Numbers) == 0 {
				t.Errorf("forgery %d: %+v", n, v)
			}
		}
	}
}

// A record with other last bits is equal within rounding where something excuses them, and not the same where nothing
// does.
func TestLastBits(t *testing.T) {
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), tinyTask(t, adding))
	bits := func(r *record.Record) {
		last := &r.Series(record.Train)[2].Values[1]
		*last = math.Nextafter(*last, 1)
	}
	for what, no := range map[string]func(*record.Record){
		"nothing": func(*record.Record) {}, "resumed at the end": resumed(12),
		"resumed after other bits": func(r *record.Record) {
			first := &r.Series(record.Train)[0].Values[1] // at update 5
			*first = math.Nextafter(*first, 1)
			resumed(6)(r)
		},
		"another program and processor": func(r *record.Record) { r.Versions["go"], r.Commit, r.CPU = "x", "1", "2" },
	} {
		if v := mustVerify(t, forge(t, old, bits, no), 0); v.Verdict != Differs {
			t.Errorf("%s excuses other last bits: %+v", what, v)
		}
	}
	for why, excuse := range excuses {
		v := mustVerify(t, forge(t, old, bits, excuse), 0)
		if v.Verdict != Rounded || len(v.Settings) == 0 {
			t.Errorf("%s: %+v", why, v)
		}
	}
}

// What rounding changes too much to be compared is reported.
func TestUncheckedPart(t *testing.T) {
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), tinyTask(t, warping))
	v := mustVerify(t, forge(t, old, func(r *record.Record) {
		r.Series("valid_loss")[3].Values[3] *= 0.98 // at a rate that is too high for this trial
	}, excuses["the instruction set"]), 0)
	if v.Verdict != PartlyChecked || len(v.Unchecked) != 1 || !strings.HasPrefix(v.Unchecked[0], "valid_loss: 1 ") {
		t.Errorf("%+v", v)
	}
}

// An honest record of any instruction set is the same here if this machine has it, and is believed if it has not; and
// so is one of another engine.
func TestHonestRecordsAreBelieved(t *testing.T) {
	best := simd.Instructions()
	defer simd.UseInstructions(best)
	for i := range tiny {
		for _, set := range []string{"portable", "avx2", "avx512", "neon"} {
			if !simd.UseInstructions(set) {
				continue
			}
			old := mustTrain(t, newRunner(t, "simd", t.TempDir()), tinyTask(t, i))
			simd.UseInstructions(best)
			v := mustVerify(t, old, 0)
			if v.Verdict != Same || simd.Instructions() != best {
				t.Errorf("%s with %s: %+v; then %s", old.Name(), set, v, simd.Instructions())
			}
			if v := mustVerify(t, forge(t, old, excuses["the instruction set"]), 0); v.Verdict == Differs {
				t.Errorf("%s with %s, which this machine lacks: %+v", old.Name(), set, v)
			}
		}
		old := mustTrain(t, newRunner(t, "go", t.TempDir()), tinyTask(t, i))
		v := mustVerify(t, old, 0)
		if v.Verdict == Differs || !slices.Contains(v.Settings, `the backend was "go", is "simd"`) {
			t.Errorf("%s on another engine: %+v", old.Name(), v)
		}
	}
}

// A run that was resumed on another instruction set is trained again as it was.
func TestResumedOnAnotherInstructionSet(t *testing.T) {
	best, dir := simd.Instructions(), t.TempDir()
	defer simd.UseInstructions(best)
	task := tinyTask(t, warping)
	stop(t, newRunner(t, "simd", dir), task, 4)
	simd.UseInstructions("portable")
	old := mustTrain(t, newRunner(t, "simd", dir), task)
	simd.UseInstructions(best)
	if v := mustVerify(t, old, 0); v.Verdict != Same {
		t.Errorf("%+v", v)
	}
}

// The first updates of a record can be verified alone.
func TestVerifyFirstUpdates(t *testing.T) {
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), tinyTask(t, warping))
	late := forge(t, old, func(r *record.Record) { r.Series(record.Train)[2].Values[0] *= 1.01 }) // at update 12
	for _, c := range []struct {
		updates, compared int
		want              Verdict
	}{{1, 4, Same}, {4, 4, Same}, {11, 11, Same}, {12, 12, Differs}, {14, 14, Differs}, {15, 14, Differs}} {
		v := mustVerify(t, late, c.updates)
		if v.Verdict != c.want || v.Updates != c.compared {
			t.Errorf("the first %d updates: %+v, want %s of %d", c.updates, v, c.want, c.compared)
		}
	}
}

func TestVerifyRefusesWhatIsNotDeclared(t *testing.T) {
	task := tinyTask(t, copying)
	task.Length.Updates++
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
	_, err := newRunner(t, engine, t.TempDir()).Verify(t.Context(), old, tiny, 0)
	check.Rejected(t, "a longer run", err, old.Path)
}
