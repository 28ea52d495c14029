package show

import (
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// made are records of a panel of beyond-safe at scale quick: chrono learns in 200 updates, with a wrong Tmax in 500,
// what has a constant forget bias in 400, and all else never.
func made(t *testing.T, panel string) []*record.Record {
	tasks, err := warp.BeyondSafe.Tasks(experiment.Options{Scale: "quick", Panel: panel, Seed: 1})
	check.OK(t, err)
	var records []*record.Record
	for _, task := range tasks {
		r := &record.Record{Header: task.Header("go"), End: &record.End{}}
		for update := 100; update <= r.Updates; update += 100 {
			p := record.Point{Update: update, Series: record.Train}
			for _, trial := range r.Trials {
				takes := map[string]int{"chrono": 200, "bias0": 400, "bias1": 400, "bias2": 400,
					"unknown": 1 << 20}[trial.Arm]
				if strings.HasPrefix(panel, "tmax") && trial.X != nil && *trial.X != 1 {
					takes = 500
				}
				loss := *trial.Memoryless
				if update >= takes {
					loss = 0
				}
				p.Values = append(p.Values, loss)
			}
			r.Points = append(r.Points, p)
		}
		records = append(records, r)
	}
	return records
}

func TestLearnedAfter(t *testing.T) {
	for panel, want := range map[string][]string{
		"lstm-adding": {
			"| Task | forget bias 0 | forget bias 1 | forget bias 2 | chrono | Tmax unknown (",
			"| T = 50 | 400<br>× 1.5 to 4 | 400<br>× 1.5 to 4 | 400<br>× 1.5 to 4 | 200 |" +
				" ≥ 800<br>× 4 to ∞ |",
			"*Scale quick: updates until the loss is 10 % of the memoryless loss, mean and range of the trials.",
		},
		"tmax-copy": {
			"| Tmax / 10 | 400<br>× 0.6 to 1 | 500<br>× 2 to 5 |",
			"| Tmax × 1 | 400<br>× 1.5 to 4 | 200 |",
			"is 90 %",
		},
	} {
		shown := capture(t)
		UpdatesToLearn(made(t, panel)...)
		for _, w := range want {
			if got := text((*shown)[0]); !strings.Contains(got, w) {
				t.Errorf("%s: no %q in\n%s", panel, w, got)
			}
		}
	}
	shown := capture(t)
	UpdatesToLearn()
	if len(*shown) != 0 {
		t.Error("of no records it shows something")
	}
}

// A panel's records are those of the largest scale that has all of its arms, though more trials may be declared.
func TestRecords(t *testing.T) {
	t.Run("all arms", func(t *testing.T) {
		inCheckout(t, func(r *record.Record) bool { return r.Figure == "fig1" })
		if got := Records("warp/fig1", "uniform-pad"); len(got) != 3 || got[0].Panel != "uniform-pad" {
			t.Errorf("records %v", got)
		}
	})
	t.Run("not all trials", func(t *testing.T) {
		inCheckout(t, func(r *record.Record) bool {
			return r.Figure == "beyond-safe" && (r.Scale == record.Quick || r.Part == "t010")
		})
		if got := Records("warp/beyond-safe", "lstm-adding"); len(got) != 1 || got[0].Scale != record.Reduced {
			t.Errorf("records %v, want the one of scale reduced", got)
		}
	})
}

// One claim, and those of a figure.
func TestClaimsByName(t *testing.T) {
	inCheckout(t, func(*record.Record) bool { return false })
	got := ClaimsText("warp/text.gru", "warp/fig4")
	check.Contains(t, got, "`gru`", "`adding200.faster`", "(`warp/text`)", "(`warp/fig4`)")
	if strings.Contains(got, "tmax-robust") {
		t.Errorf("claims %s", got)
	}
}
