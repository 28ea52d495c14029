package warp

import (
	"fmt"
	"slices"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/torch"
)

// BeyondTorch compares our training with that of an independent implementation, a script for PyTorch that was written
// from the paper: replication/torch. The paper's size is that script's. It is a claim's, and not drawn.
var BeyondTorch = figures.Figure{
	Paper: paper, Name: "beyond-torch",
	Title: "The same trainings in PyTorch",
	Panels: []experiment.Panel{
		torchPanel(torchAdding, "adding", addingLoss, 200, adding),
		torchPanel(torchCopy, "copy", copyLoss, 50, copying),
	},
	Claims: []claim.Claim{{
		Name: "implementations-agree", Where: "Section 3, adding and copy tasks", Ours: true,
		Says: "Ours and an independent implementation in PyTorch find the same.",
		Rule: slices.Concat(agree(torchAdding, 0.5, 0.1), agree(torchCopy, 0.9)),
	}},
}

// sameTime is up to how many times longer one implementation may take: our choice.
var sameTime = claim.Threshold{Value: 1.5, From: 1}

// agree is the rule that both implementations take as long to each share of the memoryless loss, or that no network
// gets there in either.
func agree(task string, levels ...float64) (rules claim.All) {
	for _, arm := range initializations {
		for _, level := range levels {
			here := timedPanel{"warp/beyond-torch", task, claim.Threshold{Value: level}}.toLearn(arm.Name)
			there := InTorch{Task: task, Arm: arm.Name, Level: here.Level}
			rules = append(rules, SameTime{here, there, sameTime})
		}
	}
	return rules
}

// SameTime holds if two arms take as long, up to a factor, or if not all trials of either get there and the trials of
// both overlap. Its opposite holds if they neither take as long nor overlap.
type SameTime struct {
	A, B   claim.Quantity
	Within claim.Threshold
}

func (r SameTime) Judge(e *claim.Evidence) claim.Finding {
	a, b := e.Of(r.A), e.Of(r.B)
	ratio := claim.RatioOf(a, b)
	near := max(ratio.Value, 1/ratio.Value) <= r.Within.Value
	overlap := a.Min() <= b.Max() && b.Min() <= a.Max()
	same := near && !a.Censored() && !b.Censored() || overlap && a.Censored() && b.Censored()
	return claim.Decide(same, !near && !overlap, "further apart, but the trials of both overlap", claim.Number{
		Kind: claim.RatioOfAll, Of: r.A, To: r.B, Interval: ratio, X: claim.NoX,
	})
}

func (r SameTime) Text(w claim.Words) string {
	return fmt.Sprintf("%s, and in PyTorch, within a factor of %g, or overlapping where training is too short",
		claim.Text(r.A, w), r.Within.Value)
}

// InTorch is after how many updates the networks in PyTorch get to a share of the memoryless loss.
type InTorch struct {
	Task, Arm string
	Level     claim.Threshold
}

func (q InTorch) Read(s claim.Source) (all claim.Sample) {
	for k, c := range torchCurves(s, q.Task, q.Arm) {
		v := c.When(func(loss float64) bool { return loss <= q.Level.Value })
		v.Trial, v.X = k, claim.NoX
		all = append(all, v)
	}
	return all
}

func (q InTorch) Named(claim.Words) claim.Named {
	return claim.Named{Name: "updates to " + claim.Percent.Write(q.Level.Value), Unit: claim.Updates}
}

func (q InTorch) Whose(w claim.Words) string {
	return w.Arm(claim.Arm{Panel: q.Task, Name: q.Arm}) + " in PyTorch"
}

// The panels whose tasks were trained here and in PyTorch.
const torchAdding, torchCopy = "adding200", "copy50"

func torchPanel(name, title, axis string, t int, of func(training) comparison) experiment.Panel {
	return comparisonPanel(name, title, axis, of, map[record.Scale]training{
		record.Quick: {t: 20, hidden: 32, updates: 300, rate: 4e-3},
		record.Paper: {t: t, hidden: 64, updates: 2_000, rate: 4e-3}, // that of the script
	})
}

// torchCurves are the losses of an arm in PyTorch, as shares of the memoryless loss, up to where a source cuts curves.
func torchCurves(s claim.Source, task, arm string) (curves []claim.Curve) {
	result := torch.Of(task)
	for _, trial := range result.Trials {
		if trial.Arm != arm {
			continue
		}
		var c claim.Curve
		for i, loss := range trial.Losses[:s.Until(result.Updates)/result.Window] {
			c.Updates = append(c.Updates, (i+1)*result.Window)
			c.Values = append(c.Values, loss/result.Memoryless)
		}
		curves = append(curves, c)
	}
	return curves
}
