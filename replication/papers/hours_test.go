package papers_test

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// impossible is why a run decides nothing: it is not declared, or has been made.
func impossible(run claim.Run, records []*record.Record) string {
	f, err := papers.All.Figure(run.Figure)
	if err != nil {
		return err.Error()
	}
	if run.Panel != "" && !slices.Contains(f.PanelNames(), run.Panel) {
		return "there is no such panel"
	}
	tasks, err := f.Tasks(experiment.Options{Scale: run.Scale, Panel: run.Panel, Seed: 1, Trials: run.Trials})
	if err != nil {
		return err.Error()
	}
	made := !slices.ContainsFunc(tasks, func(task experiment.Task) bool {
		return !slices.ContainsFunc(records, func(r *record.Record) bool {
			return r.Name() == task.String() && len(r.Trials) >= len(task.Trials)
		})
	})
	if made {
		return "it has been made"
	}
	return ""
}

// What hours.txt has is declared.
func TestHours(t *testing.T) {
	runs := papers.MeasuredRuns()
	if len(runs) == 0 {
		t.Fatal("hours.txt has no run")
	}
	for _, run := range runs {
		check.Equal(t, impossible(run, nil), "", "%v", run)
		hours, ok := papers.Hours(run)
		more := run
		more.Trials = 1000
		if many, _ := papers.Hours(more); !ok || hours <= 0 || many <= hours {
			t.Errorf("%v takes %g core-hours, %v, and with 1,000 trials %g", run, hours, ok, many)
		}
	}
	if _, ok := papers.Hours(claim.Run{Figure: "warp/fig9", Scale: record.Paper}); ok {
		t.Error("a figure that is not there has a cost")
	}
}
