package claim_test

import (
	"fmt"
	"os"

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

	better := claim.Claim{
		ID: "warp/fig4.adding750.better", Where: "Figure 4", Says: "Chrono is better than standard.",
		Criterion: "every chrono trial is below every standard one, by 0.02 on average",
		Judge: claim.Judging(func(r claim.Reader) claim.Finding {
			chrono := r.Spread(r.Arm("warp/fig4", "adding750", "chrono").Losses("mse"))
			standard := r.Spread(r.Arm("warp/fig4", "adding750", "standard").Losses("mse"))
			return claim.Found(claim.Below(chrono, standard, 0.02), "they do not differ visibly",
				fmt.Sprintf("chrono %v, standard %v", chrono, standard))
		}),
	}
	judgements := claim.Judge([]claim.Claim{better}, []*record.Record{r})
	if err := claim.WriteText(os.Stdout, judgements, 80, false); err != nil {
		panic(err)
	}
	// Output:
	// Reproduced at quick scale:
	//   - Chrono is better than standard.
	//       chrono 0.015 [0.01, 0.02], standard 0.17 [0.16, 0.18]
	//
	// Of 1 claim: 1 reproduced at quick scale.
}
