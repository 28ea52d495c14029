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
	updates := map[string]claim.Sample{}
	var xs []float64
	for _, arm := range arms {
		updates[arm.Name] = Must(claim.Reaching{
			Of:   claim.Arm{Figure: warp.BeyondSafe.ID(), Panel: panel.Name, Name: arm.Name},
			Name: record.Train, As: claim.OfMemoryless, Level: claim.Threshold{Value: panel.Target}, Longest: true,
		}.Read(claim.From(records...)))
		for _, x := range updates[arm.Name].Xs() {
			if x != claim.NoX && !slices.Contains(xs, x) {
				xs = append(xs, x)
			}
		}
	}
	slices.Sort(xs)
	at := func(arm string, x float64) claim.Sample {
		if s := updates[arm]; len(s) > 0 && s[0].X == claim.NoX {
			return s
		}
		return updates[arm].At(x)
	}
	var b strings.Builder
	head, rule := "| Task |", "|:--|"
	for _, arm := range arms {
		head, rule = head+" "+arm.Label+" |", rule+":--|"
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, rule)
	for _, x := range xs {
		fmt.Fprintf(&b, "| %s |", swept(panel.Name, x))
		for _, arm := range arms {
			took, against := at(arm.Name, x), x
			if arm.Name == "chrono" {
				against = 1 // times the right Tmax
			}
			bound := ""
			if took.Censored() {
				bound = "≥ "
			}
			fmt.Fprintf(&b, " %s%v", bound, record.SpreadOf(took.Values()))
			if best := at("chrono", against); len(best) > 0 && len(took) > 0 && (arm.Name != "chrono" || x != 1) {
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
