package warp_test

import (
	"fmt"
	"testing"

	"github.com/warptime/warptime/replication/papertest"
	"github.com/warptime/warptime/replication/warp"
)

// What W says of its experiments, in Section 3 and Appendix A. The numbers of trials and of test sequences in Figure 5
// are ours, and so are the rates of the panels "-best".
func TestPapersNumbers(t *testing.T) {
	const rmsprop, test = `"is":"trial.RMSprop","Alpha":0.9`, `}],"Split":"test","Batch":%s,"Sequences":0},"Batches":%s`
	test100, test128 := fmt.Sprintf(test, "100", "100"), fmt.Sprintf(test, "128", "8")
	warped := func(task string, length, low, high int) string {
		return fmt.Sprintf(`"is":"task.%s","Length":%d,"Min":%d,"Max":%d`, task, length, low, high)
	}
	lstm := []string{
		rmsprop, `"Rates":[0.001]`, `"Clip":0`, `"is":"trial.ConstantRate"`, `"is":"cell.LSTM","Hidden":128`,
	}
	generalized := func(task string) []string {
		return []string{
			warped(task, 500, 1, 50) + `}],"Split":"train"`, warped(task, 500, 100, 100) + test128,
			warped(task, 1000, 100, 100) + test128, warped(task, 500, 100, 500) + test128,
			warped(task, 5000, 100, 500) + test128,
		}
	}
	papertest.PapersNumbers(t, warp.Paper, []papertest.Stated{
		{Of: `^warp/fig[15] `, Says: []string{
			rmsprop, `"Clip":0`, `"is":"trial.ReduceOnPlateau","Every":100,"Series":"valid_loss"`, `"Symbols":10`,
			`"Batch":32,"Sequences":50000`, fmt.Sprintf(`"Epochs":1,"Updates":%d`, 3*50_000/32), // three passes
		}},
		{Of: `^warp/fig[15] .*[a-z]$`, Says: []string{`"Number":4`}},
		{Of: `^warp/fig[15] .* rnn(-2)?$`, Says: []string{`"is":"cell.RNN","Hidden":64`}},                     // (2)
		{Of: `^warp/fig[15] .* leaky(-2)?$`, Says: []string{`"is":"cell.Leaky","Hidden":64`}},                 // (5)
		{Of: `^warp/fig[15] .* (gated|chrono-tested)(-2)?$`, Says: []string{`"is":"cell.Gated","Hidden":64`}}, // (10)
		{Of: `^warp/fig1 (uniform|variable)-(warp|pad) `, Says: []string{`"Rates":[0.001]`}},
		{Of: `^warp/fig5 (generalization|uniform) `, Says: []string{`"Rates":[0.001]`}},
		{Of: `^warp/fig[15] .*-best paper rnn(-2)?$`, Says: []string{`"Rates":[0.004]`}},
		{Of: `^warp/fig[15] .*-best paper (leaky|gated|chrono-tested)(-2)?$`, Says: []string{`"Rates":[0.008]`}},
		{Of: `^warp/fig1 .*-warp`, Says: []string{warped("Warp", 500, 1, 1)}},
		{Of: `^warp/fig1 .*-pad`, Says: []string{warped("Pad", 500, 1, 1)}},
		{Of: `^warp/fig1 uniform-warp`, Says: []string{warped("Warp", 500, 100, 100) + test100}},
		{Of: `^warp/fig1 uniform-pad`, Says: []string{warped("Pad", 500, 100, 100) + test100}},
		{Of: `^warp/fig1 variable-warp`, Says: []string{warped("Warp", 500, 1, 100) + test100}},
		{Of: `^warp/fig1 variable-pad`, Says: []string{warped("Pad", 500, 1, 100) + test100}},
		{Of: `^warp/fig[34] `, Says: lstm},
		{Of: `^warp/fig[34] \S+ paper( standard-\d)?$`, Says: []string{`"is":"chrono.Standard","Forget":1`}},
		{Of: `^warp/fig3 copy500 `, Says: []string{`"is":"task.Copy","T":500`}},
		{Of: `^warp/fig3 copy2000 `, Says: []string{`"is":"task.Copy","T":2000`}},
		{Of: `^warp/fig3 varcopy500 `, Says: []string{`"is":"task.VariableCopy","T":500`}},
		{Of: `^warp/fig3 varcopy1000 `, Says: []string{`"is":"task.VariableCopy","T":1000`}},
		{Of: `^warp/fig4 adding200 `, Says: []string{`"is":"task.Adding","T":200`}},
		{Of: `^warp/fig4 adding750 `, Says: []string{`"is":"task.Adding","T":750`}},
		{Of: `^warp/fig3 copy500 paper( chrono-\d)?$`, Says: []string{`"Tmax":750`}},
		{Of: `^warp/fig3 copy2000 paper( chrono-\d)?$`, Says: []string{`"Tmax":3000`}},
		{Of: `^warp/fig3 varcopy500 paper( chrono-\d)?$`, Says: []string{`"Tmax":500`}},
		{Of: `^warp/fig3 varcopy1000 paper( chrono-\d)?$`, Says: []string{`"Tmax":1000`}},
		{Of: `^warp/fig4 adding200 paper( chrono-\d)?$`, Says: []string{`"Tmax":200`}},
		{Of: `^warp/fig4 adding750 paper( chrono-\d)?$`, Says: []string{`"Tmax":750`}},
		{Of: `^warp/fig5 generalization`, Says: generalized("Warp")},
		{Of: `^warp/fig5 uniform`, Says: generalized("UniformWarp")},
		{Of: `^warp/fig5 .* gated(-2)?$`, Says: []string{`"is":"chrono.Chrono","Tmax":50}`}},
		{Of: `^warp/fig5 .* chrono-tested(-2)?$`, Says: []string{`"is":"chrono.Chrono","Tmax":500}`}},
	})
}
