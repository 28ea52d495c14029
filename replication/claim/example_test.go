package claim_test

import (
	"fmt"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// One claim is judged by one record, in which both arms have three trials.
func ExampleJudge() {
	r := &record.Record{
		Header: record.Header{Paper: "warp", Figure: "fig4", Panel: "adding750", Scale: "quick"},
		End:    &record.End{Final: map[string]record.Values{"mse": {0.16, 0.17, 0.18, 0.01, 0.02, 0.015}}},
	}
	for i := range 6 {
		r.Trials = append(r.Trials, record.Trial{Arm: []string{"standard", "chrono"}[i/3], Number: i % 3})
	}

	visible := claim.Threshold{Name: "a visible difference of %s", Value: 0.1}
	better := claim.Claim{
		ID: "warp/fig4.adding750.better", Where: "Figure 4", Says: "Chrono is better than standard.",
		Criterion: fmt.Sprintf("every chrono trial is below every standard one, by %g on average", visible.Value),
		Judge: claim.Judging(func(r claim.Reader) claim.Finding {
			chrono := r.Spread(r.Arm("warp/fig4", "adding750", "chrono").Losses("mse"))
			standard := r.Spread(r.Arm("warp/fig4", "adding750", "standard").Losses("mse"))
			return claim.Found(r.Below(chrono, standard, r.Threshold(visible)), "they do not differ visibly",
				fmt.Sprintf("mean squared error: chrono %v, standard %v", chrono, standard),
			).With("%.3g against %.3g", chrono.Mean, standard.Mean)
		}),
	}
	j := claim.Judge([]claim.Claim{better}, []*record.Record{r})[0]
	fmt.Println(j.Says, j.Short(), "at scale", j.Scale)
	fmt.Println(j.Number)
	fmt.Println(j.Robustness())
	// Output:
	// Chrono is better than standard. reproduced at scale quick
	// 0.015 against 0.17
	// inconclusive with a visible difference of 0.2
}
