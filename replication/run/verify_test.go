package run

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

func TestVerifyConfirmsEveryNumber(t *testing.T) {
	for i := range tiny {
		old := mustTrain(t, newRunner(t, engine, t.TempDir()), tinyTask(t, i))
		v, err := newRunner(t, engine, t.TempDir()).Verify(context.Background(), old, tiny)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Same() || len(v.Numbers)+len(v.Settings) > 0 || v.First != 0 || !record.Equal(v.Again, old) {
			t.Errorf("%s: %+v", old.Name(), v)
		}
	}
}

// forge writes a record with something changed, and a checksum to match.
func forge(t *testing.T, from *record.Record, change func(*record.Record)) *record.Record {
	t.Helper()
	forged := *from
	end := *from.End
	forged.End, forged.Points = &end, nil
	for _, p := range from.Points {
		p.Values = slices.Clone(p.Values)
		forged.Points = append(forged.Points, p)
	}
	end.Final = map[string]record.Values{}
	for name, values := range from.End.Final {
		end.Final[name] = slices.Clone(values)
	}
	change(&forged)
	path := record.Path(t.TempDir(), forged.Header)
	w, err := record.Open(path, forged.Header)
	diverged := forged.Diverged
	for _, p := range forged.Points {
		for err == nil && len(diverged) > 0 && diverged[0].Update <= p.Update {
			d := diverged[0]
			err, diverged = w.Diverged(d.Update, d.Trial, [2]float64(d.Norms)), diverged[1:]
		}
		if err == nil {
			err = w.Point(p.Update, p.Series, p.Values)
		}
	}
	if err == nil {
		err = w.Finish(end.Seconds, end.Final, end.Vectors)
	}
	if err != nil {
		t.Fatal(err)
	}
	there, err := record.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// ulp changes the last bit of a number.
func ulp(v *float64) { *v = math.Nextafter(*v, math.Inf(1)) }

func TestVerifySeesOneBit(t *testing.T) {
	old := mustTrain(t, newRunner(t, engine, t.TempDir()), tinyTask(t, warping))
	series := func(r *record.Record) { ulp(&r.Points[len(r.Points)-1].Values[1]) }
	result := func(r *record.Record) { ulp(&r.End.Final["test_loss"][0]) }
	other := func(r *record.Record) { r.Instructions = "another" }
	const set = `the instruction set was "another"`
	far := func(r *record.Record) { r.Points[1].Values[1] *= 1.01 } // valid_loss comes first: Every 3, Window 4
	version := func(r *record.Record) { r.Versions = map[string]string{"gomlx": "v0.1.0"} }
	device := func(r *record.Record) { r.Device = "another" }
	plugin := func(r *record.Record) { r.Plugin = strings.Repeat("0", 64) }
	diverged := func(r *record.Record) {
		r.Diverged = []record.Diverged{{Update: 14, Trial: 0, Norms: record.Values{1, 2}}}
		r.Points[len(r.Points)-1].Values[0] = math.NaN()
	}
	elsewhere := func(r *record.Record) { r.Commit, r.CPU = "1", "2" }
	type changes []func(*record.Record)
	for what, c := range map[string]struct {
		change            changes
		numbers, settings string
		same              bool
	}{
		"a point":                    {changes{series}, "train: 1 of ", "", false},
		"a result":                   {changes{result}, "final test_loss: 1 of ", "", false},
		"another instruction set":    {changes{other}, "", set, true},
		"and a last bit":             {changes{other, series}, "train: 1 of ", set, true},
		"and more than a last bit":   {changes{other, far}, "train: 1 of ", set, false},
		"another version":            {changes{version}, "", `the version of gomlx was "v0.1.0"`, true},
		"another device":             {changes{device}, "", `the device was "another"`, true},
		"another plugin":             {changes{plugin}, "", `the plugin was "0000`, true},
		"a trial that diverged":      {changes{diverged}, "in one it diverged at update 14", "", false},
		"another commit and machine": {changes{elsewhere}, "", "", true},
	} {
		forged := forge(t, old, func(r *record.Record) {
			for _, change := range c.change {
				change(r)
			}
		})
		v, err := newRunner(t, engine, t.TempDir()).Verify(context.Background(), forged, tiny)
		if err != nil {
			t.Fatal(err)
		}
		numbers, settings := strings.Join(v.Numbers, "; "), strings.Join(v.Settings, "; ")
		if v.Same() != c.same || !strings.Contains(numbers, c.numbers) || (numbers == "") != (c.numbers == "") ||
			!strings.Contains(settings, c.settings) || (settings == "") != (c.settings == "") {
			t.Errorf("%s: same %v, numbers %q, settings %q", what, v.Same(), numbers, settings)
		}
	}
}

// A run that was resumed where the last bits may be others says so, whatever it is that was another there, and one that
// was resumed by another commit or on another machine alone does not.
func TestVerifySeesWhereItWasResumed(t *testing.T) {
	env := record.Environment{
		Commit: "1", CPU: "2", Instructions: "avx2", Device: "card", Plugin: "3",
		Versions: map[string]string{"go": "go1.26", "gomlx": "v0.28.8"},
	}
	for what, c := range map[string]struct {
		change func(*record.Environment)
		differ bool
	}{
		"instructions":       {func(e *record.Environment) { e.Instructions = "avx512" }, true},
		"device":             {func(e *record.Environment) { e.Device = "another card" }, true},
		"plugin":             {func(e *record.Environment) { e.Plugin = "" }, true},
		"a version":          {func(e *record.Environment) { e.Versions = map[string]string{"go": "go1.26"} }, true},
		"no versions":        {func(e *record.Environment) { e.Versions = nil }, true},
		"commit and machine": {func(e *record.Environment) { e.Commit, e.CPU = "4", "5" }, false},
	} {
		elsewhere := env
		c.change(&elsewhere)
		old := &record.Record{Header: record.Header{Environment: env}}
		old.Resumed = []record.Resumed{{Update: 3, Environment: elsewhere}}
		lines := settingsDiffer(old, &record.Record{Header: old.Header})
		var want []string
		if c.differ {
			want = []string{"from update 3 on it was in another environment"}
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s: %q, want %q", what, lines, want)
		}
	}
}

// Another engine, where the last bits do differ, confirms a record by its first points, and another seed's does not.
func TestVerifyOnAnotherEngine(t *testing.T) {
	old := mustTrain(t, newRunner(t, "go", t.TempDir()), tinyTask(t, adding))
	v, err := newRunner(t, "simd", t.TempDir()).Verify(context.Background(), old, tiny)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Same() || len(v.Settings) == 0 {
		t.Errorf("%+v", v)
	}
	tasks, err := tiny[adding].Tasks(experiment.Options{Scale: "quick", Seed: 8})
	if err != nil {
		t.Fatal(err)
	}
	strange := mustTrain(t, newRunner(t, "go", t.TempDir()), tasks[0])
	forged := forge(t, old, func(r *record.Record) { r.Points = strange.Points })
	if v, err = newRunner(t, "simd", t.TempDir()).Verify(context.Background(), forged, tiny); err != nil || v.Same() {
		t.Errorf("another seed's numbers: %+v, %v", v, err)
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
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), old.Path) {
			t.Errorf("%s: %v, want one line that names %s", what, err, old.Path)
		}
	}
}
