package record

import (
	"errors"
	"math"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Compare names what differs, in which trial, but for the clock, the environment, the place, and the backend, since it
// compares what two have computed.
func TestCompare(t *testing.T) {
	const run = "not the same run: they differ in "
	for what, c := range map[string]struct {
		change func(*Record)
		lines  []string // their parts
	}{
		"what does not count": {func(r *Record) {
			r.Environment, r.Backend, r.Path = Environment{Commit: "x"}, "simd", "x"
			r.Started, r.End.Seconds, r.End.SHA256, r.Resumed = "now", 7, "", []Resumed{{Update: 10}}
		}, nil},
		"a seed":     {func(r *Record) { r.Trials[1].Seed-- }, []string{run + "trials"}},
		"experiment": {func(r *Record) { r.Experiment = []byte("{}") }, []string{run + "experiment"}},
		"a last bit": {func(r *Record) { r.Points[4].Values[0] = math.Nextafter(1./3, 1) },
			[]string{"train: 1 …update 35, trial 0 of standard"}},
		"a sign": {func(r *Record) { r.Points[0].Values[1] = 0 }, // 0 and −0
			[]string{"train: 1 …update 10, trial 1 of chrono"}},
		"points": {func(r *Record) { r.Points[3].Values[1], r.Points[1].Values[1] = -4, 1.1e-300 },
			[]string{"train: 2 …0.2 of their size…update 20, trial 1 of chrono"}},
		"a NaN less": {func(r *Record) { r.Points[2].Values[0] = 1 },
			[]string{"valid: 1 …∞ of their size…update 20, trial 0 of standard"}},
		"results": {func(r *Record) { r.End.Final["loss"][1] = 2; r.End.Vectors["forget"][1][0] = 8 },
			[]string{"final forget: 1 …0.5 of their size", "final loss: 1 …1 of their size"}},
		"a result less": {func(r *Record) { delete(r.End.Final, "loss") }, []string{"final loss: 2 …"}},
		"longer vectors": {func(r *Record) { r.End.Vectors["none"] = []Values{{1}, {1}} },
			[]string{"final none: 2 …"}},
		"diverged": {func(r *Record) { r.Diverged = []Diverged{{14, 1, Values{1, 2}}} },
			[]string{"divergence…: 1 …trial 1 of chrono"}},
	} {
		a, b := testRecord(), testRecord()
		c.change(b)
		lines := Compare(a, b)
		check.Equal(t, len(lines), len(c.lines), "%s: lines", what)
		check.Equal(t, len(Compare(b, a)), len(c.lines), "%s: lines, the other way around", what)
		for i, line := range lines[:min(len(lines), len(c.lines))] {
			check.Rejected(t, what, errors.New(line), c.lines[i])
		}
	}
}
