package replication

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono/task"
)

// Every figure can be run at every scale, and its record will hold what the claims and the plots look for.
func TestFiguresAreRunnable(t *testing.T) {
	for _, figure := range Figures() {
		for _, scale := range Scales {
			runs, err := figure.Runs(Options{Scale: scale, Seed: 1})
			if err != nil {
				t.Errorf("%s at scale %s: %v", figure.Name, scale, err)
				continue
			}
			paths := map[string]bool{}
			for _, run := range runs {
				if _, err := newNetwork(run); err != nil {
					t.Errorf("%s: %v", run, err)
				}
				if _, err := task.Dataset(run.tasks, make([]uint64, len(run.tasks)), run.Settings.Batch, 0, "train"); err != nil {
					t.Errorf("%s: %v", run, err)
				}
				for i := range run.tests {
					if len(run.tests[i]) != len(run.Models) {
						t.Errorf("%s: test %d is declared for %d of %d models", run, i, len(run.tests[i]), len(run.Models))
					}
				}
				h := run.Header("go")
				if err := h.validate(); err != nil {
					t.Errorf("%s: %v", run, err)
				}
				paths[RecordPath("", h)] = true
				for _, m := range h.Models {
					trials := 0
					for _, other := range h.Models {
						if other.Arm == m.Arm && (m.X == nil || *m.X == *other.X) {
							trials++
						}
					}
					if trials < minTrials {
						t.Errorf("%s: %d trials of %s, the claims need %d", run, trials, m.Arm, minTrials)
					}
				}
				if points := run.Settings.Steps / run.Settings.Window; points < spikePoints {
					t.Errorf("%s: %d points, the claims need %d", run, points, spikePoints)
				}
				if s := run.Settings; s.HalveAfter > 0 && s.HalveAfter != 100 {
					t.Errorf("%s: the rate is halved after %d batches, in the paper 100", run, s.HalveAfter)
				}
			}
			if len(paths) != len(runs) {
				t.Errorf("%s at scale %s: %d runs, %d records", figure.Name, scale, len(runs), len(paths))
			}
		}
	}
}

// The numbers that the paper gives, in the declarations at scale paper.
func TestPapersNumbers(t *testing.T) {
	for _, c := range []struct {
		figure, panel string
		want          Settings
	}{
		{"fig3", "copy500", Settings{T: 500, Tmax: 750}},
		{"fig3", "copy2000", Settings{T: 2000, Tmax: 3000}},
		{"fig3", "varcopy500", Settings{T: 500, Tmax: 500}},
		{"fig3", "varcopy1000", Settings{T: 1000, Tmax: 1000}},
		{"fig4", "adding200", Settings{T: 200, Tmax: 200}},
		{"fig4", "adding750", Settings{T: 750, Tmax: 750}},
	} {
		figure, err := FindFigure(c.figure)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(figure.Panels, func(p Panel) bool { return p.Name == c.panel })
		if i < 0 {
			t.Fatalf("%s has no panel %s", c.figure, c.panel)
		}
		s := figure.Panels[i].Scales["paper"].defaults()
		if s.T != c.want.T || s.Tmax != c.want.Tmax || s.Hidden != 128 || s.Rate != 1e-3 || s.Alpha != 0.9 {
			t.Errorf("%s: T=%d, Tmax=%g, H=%d, rate %g, α %g; want T=%d, Tmax=%g, H=128, rate 0.001, α 0.9",
				c.panel, s.T, s.Tmax, s.Hidden, s.Rate, s.Alpha, c.want.T, c.want.Tmax)
		}
	}
	for _, panel := range fig1.Panels {
		s := panel.Scales["paper"].defaults()
		passes := float64(s.Steps*s.Batch) / float64(s.Sequences)
		if s.T != 500 || s.Hidden != 64 || s.Batch != 32 || s.Sequences != 50_000 || math.Abs(passes-3) > 1e-3 || s.Trials != 5 || s.Test < 10_000 {
			t.Errorf("%s: %+v, %g passes", panel.Name, s, passes)
		}
		if !slices.Equal(panel.cells(), architectures) {
			t.Errorf("%s has the architectures %v, want %v", panel.Name, panel.cells(), architectures)
		}
	}
}

// Arms are compared on equal terms: trial k of each has the same seed, and so the same data.
func TestArmsShareSeeds(t *testing.T) {
	runs, err := fig3.Runs(Options{Scale: "quick", Seed: 12, Trials: 4})
	if err != nil {
		t.Fatal(err)
	}
	models := runs[0].Models
	if len(models) != 8 {
		t.Fatalf("%d models, want 2 arms of 4 trials", len(models))
	}
	for k := range 4 {
		a, b := models[k], models[4+k]
		if a.Arm == b.Arm || a.Trial != k || b.Trial != k || a.Seed != b.Seed || a.Seed != 12_000+uint64(k) {
			t.Errorf("trial %d: %+v and %+v, want two arms with the seed %d", k, a, b, 12_000+k)
		}
	}
}

func TestRunsRefuses(t *testing.T) {
	for what, o := range map[string]Options{
		"unknown scale": {Scale: "huge"},
		"trials":        {Scale: "quick", Trials: -1},
		"1000 trials":   {Scale: "quick", Trials: 1000},
		"seed":          {Scale: "quick", Seed: math.MaxUint64},
	} {
		if _, err := fig3.Runs(o); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), what) {
			t.Errorf("%+v: error %v, want one line with %q", o, err, what)
		}
	}

	good := Settings{T: 5, Hidden: 4, Batch: 2, Steps: 10, Trials: 1, Tmax: 8}
	for what, spoil := range map[string]func(*Settings){
		"0 hidden":         func(s *Settings) { s.Hidden = 0 },
		"-3 hidden":        func(s *Settings) { s.Hidden = -3 },
		"sequences":        func(s *Settings) { s.Batch = -1 },
		"training steps":   func(s *Settings) { s.Steps = 1 << 40 },
		"0 trials":         func(s *Settings) { s.Trials = 0 },
		"points":           func(s *Settings) { s.Window = 11 },
		"rate -1":          func(s *Settings) { s.Rate = -1 },
		"α 1":              func(s *Settings) { s.Alpha = 1 },
		"T is -5":          func(s *Settings) { s.T = -5 },
		"time scale":       func(s *Settings) { s.Tmax = 1 },
		"no multiples":     func(s *Settings) { s.Valid = 3 },
		"a validation set": func(s *Settings) { s.HalveAfter = 5 },
	} {
		s := good
		spoil(&s)
		figure := Figure{Name: "f", Panels: []Panel{copyPanel("p", "P", 1, func(s Settings, _ float64) task.Task { return task.Copy{T: s.T} }, nil)}}
		figure.Panels[0].Scales = map[string]Settings{"quick": s}
		if _, err := figure.Runs(Options{Scale: "quick"}); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), what) {
			t.Errorf("settings with a bad %q: error %v", what, err)
		}
	}
}

func TestFindFigure(t *testing.T) {
	for _, name := range []string{"fig3", "3"} {
		if f, err := FindFigure(name); err != nil || f.Name != "fig3" {
			t.Errorf("FindFigure(%q) = %s, %v", name, f.Name, err)
		}
	}
	if _, err := FindFigure("fig"); err == nil {
		t.Error("FindFigure(fig) found one")
	}
}
