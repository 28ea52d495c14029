package show

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// UpdatesToLearn displays after how many updates the networks of a panel of warp/beyond-safe had learned its task, by
// records of its parts: a row for each swept value, a column for each arm, and how many times as many updates it took
// as chrono at the same value; for chrono itself, as with the right Tmax. Of runs of several lengths only the longest
// count.
func UpdatesToLearn(records ...*record.Record) {
	if len(records) == 0 {
		return
	}
	panel := warp.BeyondSafe.Panel(records[0].Panel)
	arms := panel.Arms
	all := map[string]claim.Trials{}
	var xs []float64
	for _, r := range records {
		for place, t := range r.Trials {
			all[t.Arm] = append(all[t.Arm], claim.Trial{Record: r, Place: place})
			if t.X != nil && !slices.Contains(xs, *t.X) {
				xs = append(xs, *t.X)
			}
		}
	}
	slices.Sort(xs)
	trials := func(arm string, x float64) claim.Trials {
		ts := all[arm]
		if len(ts.Xs()) > 0 {
			ts = ts.At(x)
		}
		return ts.Longest()
	}
	updates := func(arm string, x float64) claim.Durations {
		return claim.DurationsOf(Must(trials(arm, x).Shares(record.Train)), panel.Target)
	}
	var b strings.Builder
	head, rule := "| Task | Trials | In updates |", "|:--|--:|--:|"
	for _, arm := range arms {
		head, rule = head+" "+arm.Label+" |", rule+":--|"
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, rule)
	for _, x := range xs {
		ts := trials("chrono", x)
		fmt.Fprintf(&b, "| %s | %d | %d |", swept(records[0].Panel, x), len(ts), ts[0].Record.Updates)
		for _, arm := range arms {
			took := updates(arm.Name, x)
			fmt.Fprintf(&b, " %v", took)
			against := x
			if arm.Name == "chrono" {
				against = 1 // times the right Tmax
			}
			if best := updates("chrono", against); len(best.AtMost) > 0 && (arm.Name != "chrono" || x != 1) {
				ratio := claim.RatioOf(took, best)
				fmt.Fprintf(&b, "<br>× %s to %s", record.Number(ratio.Low), record.Number(ratio.High))
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n*Scale %s: updates until the loss is %g %% of the memoryless loss, mean and range of the "+
		"trials. ≥: not all trials got there. ×: the ratio to chrono's number of updates, as a 95 %% interval, or, "+
		"with ≥ or where no trials differ, as the range of what is possible.*",
		records[0].Scale, math.Round(100*panel.Target))
	Markdown(b.String())
}

// swept says what a row of UpdatesToLearn is about.
func swept(panel string, x float64) string {
	if !strings.HasPrefix(panel, "tmax") {
		return "T = " + record.Number(x)
	}
	if x < 1 {
		return "Tmax / " + record.Number(math.Round(1/x))
	}
	return "Tmax × " + record.Number(x)
}
