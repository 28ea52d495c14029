package record

import (
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Two records are equal unless anything differs but the clock, the environment and the place.
func TestEqual(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*Record)
		equal  bool
	}{
		"nothing":     {func(r *Record) {}, true},
		"environment": {func(r *Record) { r.Environment = Environment{Commit: "x"} }, true},
		"clock":       {func(r *Record) { r.Started, r.End.Seconds, r.End.SHA256 = "now", 7, "" }, true},
		"place":       {func(r *Record) { r.Path = "x" }, true},
		"resumed":     {func(r *Record) { r.Resumed = []Resumed{{Update: 10}} }, true},
		"backend":     {func(r *Record) { r.Backend = "simd" }, false},
		"a seed":      {func(r *Record) { r.Trials[1].Seed-- }, false},
		"experiment":  {func(r *Record) { r.Experiment = []byte("{}") }, false},
		"a last bit":  {func(r *Record) { r.Points[4].Values[0] = math.Nextafter(1./3, 1) }, false},
		"a sign":      {func(r *Record) { r.Points[0].Values[1] = 0 }, false},
		"diverged":    {func(r *Record) { r.Diverged = []Diverged{{14, 1, Values{1, 2}}} }, false},
		"a result":    {func(r *Record) { r.End.Final["accuracy"][0] = 1 }, false},
		"a vector":    {func(r *Record) { r.End.Vectors["forget"][0][0]++ }, false},
		"no end":      {func(r *Record) { r.End = nil }, false},
	} {
		a, b := testRecord(), testRecord()
		c.change(b)
		if Equal(a, b) != c.equal || Equal(b, a) != c.equal {
			t.Errorf("%s is another: equal is not %v", what, c.equal)
		}
	}
}

// The lines name what differs, and say by how much and where.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(r *Record)
		want   []string
	}{
		{"nothing", func(r *Record) {}, nil},
		{"clock and place", func(r *Record) { r.Started, r.Commit, r.End.Seconds = "now", "def", 9 }, nil},
		{"backend", func(r *Record) { r.Backend = "xla:cpu" }, nil}, // this is what it is for
		{"another run", func(r *Record) { r.Trials[0].Seed++; r.Updates++ },
			[]string{"not the same run: they differ in trials, updates"}},
		{"experiment", func(r *Record) { r.Experiment = []byte("{}") },
			[]string{"not the same run: they differ in experiment"}},
		{"points", func(r *Record) { r.Points[3].Values[1], r.Points[1].Values[1] = -4, 1.1e-300 },
			[]string{"train: 2 differ, by up to 0.2 of their size; the first at update 20, trial 1 of chrono"}},
		{"a NaN less", func(r *Record) { r.Points[2].Values[0] = 1 },
			[]string{"valid: 1 differ, by up to ∞ of their size; the first at update 20, trial 0 of standard"}},
		{"a sign", func(r *Record) { r.Points[0].Values[1] = 0 }, // 0 and −0
			[]string{"train: 1 differ, by up to 0 of their size; the first at update 10, trial 1 of chrono"}},
		{"opposite", func(r *Record) { r.Points[3].Values[0] *= -1 },
			[]string{"train: 1 differ, by up to 2 of their size; the first at update 30, trial 0 of standard"}},
		{"results", func(r *Record) { r.End.Final["loss"][1] = 2.000001; r.End.Vectors["forget"][1][0] = 8 }, []string{
			"final forget: 1 differ, by up to 0.5 of their size; the first at update 35, trial 1 of chrono",
			"final loss: 1 differ, by up to 1 of their size; the first at update 35, trial 1 of chrono",
		}},
		{"a result less", func(r *Record) { delete(r.End.Final, "loss") },
			[]string{"final loss: 2 differ, by up to ∞ of their size; the first at update 35, trial 0 of standard"}},
		{"longer vectors", func(r *Record) { r.End.Vectors["none"] = []Values{{1}, {1}} },
			[]string{"final none: 2 differ, by up to ∞ of their size; the first at update 35, trial 0 of standard"}},
		{"a divergence", func(r *Record) { r.Diverged = []Diverged{{20, 1, Values{7e29, math.NaN()}}} }, []string{
			"divergence (update, and norms of two gradients): 1 differ, by up to ∞ of their size; the first at " +
				"update 35, trial 1 of chrono",
		}},
	} {
		a, b := testRecord(), testRecord()
		c.change(b)
		check.Equal(t, Compare(a, b), c.want, "%s", c.name)
		check.Equal(t, len(Compare(b, a)), len(c.want), "%s, the other way around", c.name)
	}
}
