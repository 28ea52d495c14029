package run

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

func TestVerifyConfirmsEveryNumber(t *testing.T) {
	for i := range tiny {
		old := mustTrain(t, newRunner(t, engine, t.TempDir()), tinyTask(t, i))
		v, err := newRunner(t, engine, t.TempDir()).Verify(context.Background(), old, tiny)
		check.OK(t, err)
		if v.Verdict != Same || len(v.Numbers)+len(v.Settings) > 0 || !record.Equal(v.Again, old) {
			t.Errorf("%s: %+v", old.Name(), v)
		}
	}
}

// forge returns a copy of a record with something changed.
func forge(from *record.Record, change func(*record.Record)) *record.Record {
	forged, end := *from, *from.End
	forged.End, forged.Points, end.Final = &end, nil, map[string]record.Values{}
	forged.Versions = maps.Clone(from.Versions)
	for _, p := range from.Points {
		p.Values = slices.Clone(p.Values)
		forged.Points = append(forged.Points, p)
	}
	for name, values := range from.End.Final {
		end.Final[name] = slices.Clone(values)
	}
	change(&forged)
	return &forged
}

// ulp changes the last bit of a number.
func ulp(v *float64) { *v = math.Nextafter(*v, math.Inf(1)) }

// halved is a forged curve: after the first point every loss of one trial is half of what it was.
func halved(r *record.Record) {
	for i, p := range r.Points {
		if p.Series == record.Train && i > 1 {
			p.Values[1] /= 2
		}
	}
	last := r.Series(record.Train)
	r.End.Final[record.Loss] = last[len(last)-1].Values
}

func TestVerdicts(t *testing.T) {
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), tinyTask(t, warping))
	series := func(r *record.Record) { ulp(&r.Series("valid_loss")[0].Values[1]) }
	result := func(r *record.Record) { ulp(&r.End.Final["test_loss"][0]) }
	far := func(r *record.Record) { r.Series(record.Train)[0].Values[1] *= 1.01 }
	diverged := func(r *record.Record) {
		r.Diverged = []record.Diverged{{Update: 14, Trial: 0, Norms: record.Values{1, 2}}}
		r.Series(record.Train)[3].Values[0] = math.NaN() // at update 14
	}
	instructions := func(r *record.Record) { r.Instructions = "another" }
	device := func(r *record.Record) { r.Device = "another" }
	plugin := func(r *record.Record) { r.Plugin = strings.Repeat("0", 64) }
	version := func(r *record.Record) { r.Versions["go"] += "x" }
	elsewhere := func(r *record.Record) { r.Commit, r.CPU = "1", "2" }
	resumed := func(update int, change func(*record.Record)) func(*record.Record) {
		return func(r *record.Record) {
			there := *r
			there.Versions = maps.Clone(r.Versions)
			change(&there)
			r.Resumed = append(r.Resumed, record.Resumed{Update: update, Environment: there.Environment})
		}
	}
	type changes []func(*record.Record)
	for what, c := range map[string]struct {
		change            changes
		verdict           Verdict
		numbers, settings string
	}{
		"nothing":                            {nil, Same, "", ""},
		"a point":                            {changes{series}, Differs, "valid_loss: 1 of ", ""},
		"a result":                           {changes{result}, Differs, "final test_loss: 1 of ", ""},
		"a trial that diverged":              {changes{diverged}, Differs, "divergence (update", ""},
		"commit and machine":                 {changes{elsewhere}, Same, "", ""},
		"a version":                          {changes{version}, Same, "", "the version of go was"},
		"the instruction set":                {changes{instructions}, Same, "", "the instruction set"},
		"... and a last bit":                 {changes{instructions, series}, NotComparable, "valid_loss", "set"},
		"... and more than that":             {changes{instructions, far}, Differs, "train: 1 of ", "set"},
		"the device and a last bit":          {changes{device, series}, NotComparable, "valid_loss", "device"},
		"the plugin and a last bit":          {changes{plugin, series}, NotComparable, "valid_loss", "plugin"},
		"forged":                             {changes{halved}, Differs, "train: 3 of ", ""},
		"forged, a version's letter":         {changes{halved, version}, Differs, "train: 3 of ", "the version of go"},
		"forged, another instruction set":    {changes{halved, instructions}, NotComparable, "0.5", "set"},
		"forged, resumed at the end":         {changes{halved, resumed(14, instructions)}, Differs, "update 14", "14"},
		"forged, resumed by another version": {changes{halved, resumed(4, version)}, Differs, "train: 3 of", "4"},
		"forged, resumed by another commit":  {changes{halved, resumed(4, elsewhere)}, Differs, "train: 3 of ", ""},
		"resumed elsewhere":                  {changes{halved, resumed(4, instructions)}, NotComparable, "0.5", "4"},
	} {
		forged := forge(old, func(r *record.Record) {
			for _, change := range c.change {
				change(r)
			}
		})
		v := verify(forged, old)
		numbers, settings := strings.Join(v.Numbers, "; "), strings.Join(v.Settings, "; ")
		if v.Verdict != c.verdict || !strings.Contains(numbers, c.numbers) || (numbers == "") != (c.numbers == "") ||
			!strings.Contains(settings, c.settings) || (settings == "") != (c.settings == "") {
			t.Errorf("%s: %s, numbers %q, settings %q", what, v.Verdict, numbers, settings)
		}
	}

	// XLA's last bits depend on the processor, those of simd on its instruction set only.
	xla := func(r *record.Record) { r.Backend = "xla:cpu" }
	v := verify(forge(old, func(r *record.Record) { xla(r); elsewhere(r); series(r) }), forge(old, xla))
	if v.Verdict != NotComparable || !strings.Contains(strings.Join(v.Settings, "; "), "the processor was") {
		t.Errorf("xla:cpu on another processor: %+v", v)
	}
}

// On another engine, where the last bits do differ, a record is not comparable, and another seed's numbers are wrong.
func TestVerifyOnAnotherEngine(t *testing.T) {
	old := mustTrain(t, newRunner(t, "go", t.TempDir()), tinyTask(t, adding))
	tasks, err := tiny[adding].Tasks(experiment.Options{Scale: "quick", Seed: 8})
	check.OK(t, err)
	strange := mustTrain(t, newRunner(t, "go", t.TempDir()), tasks[0])
	forged := forge(old, func(r *record.Record) { r.Points, r.End.Final = strange.Points, strange.End.Final })
	for r, want := range map[*record.Record]Verdict{old: NotComparable, forged: Differs} {
		v, err := newRunner(t, "simd", t.TempDir()).Verify(context.Background(), r, tiny)
		if err != nil || v.Verdict != want || !slices.Contains(v.Settings, `the engine was "go", is "simd"`) {
			t.Errorf("%+v, %v, want %s", v, err, want)
		}
	}
}

func TestVerifyRefusesWhatIsNotDeclared(t *testing.T) {
	declared := tinyTask(t, copying)
	longer, named, parted, shifted := declared, declared, declared, declared
	longer.Length.Updates++
	named.Panel.Name = "other"
	parted.Part = "half"
	shifted.Trials = slices.Clone(shifted.Trials)
	shifted.Trials[1].Seed += 5
	for what, task := range map[string]experiment.Task{
		"a longer run": longer, "another panel": named, "a part": parted, "another seed": shifted,
	} {
		old := mustTrain(t, newRunner(t, engine, t.TempDir()), task)
		_, err := newRunner(t, engine, t.TempDir()).Verify(context.Background(), old, tiny)
		check.Rejected(t, what, err, old.Path)
	}
}
