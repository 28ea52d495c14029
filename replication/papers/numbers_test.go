package papers_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// What the papers say of their experiments is in what is declared at scale paper: W Section 3 and Appendix A, C 2.2.1
// and 2.2.2. W's numbers of trials and of test sequences in Figure 5 are ours, and so are the rates of the panels
// "-best".
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
	texts := map[string]string{}
	for _, f := range papers.All.Trained() {
		tasks, err := f.Tasks(experiment.Options{Scale: record.Paper, Seed: 1})
		check.OK(t, err)
		for _, task := range tasks {
			texts[task.String()] = string(experiment.Encode(task.Experiment))
		}
	}
	for _, n := range []struct {
		of   string // a regular expression for names of runs, "warp/fig1 uniform-warp paper rnn"
		says []string
	}{
		{`^warp/fig[15] `, []string{
			rmsprop, `"Clip":0`, `"is":"trial.ReduceOnPlateau","Every":100,"Series":"valid_loss"`, `"Symbols":10`,
			`"Batch":32,"Sequences":50000`, fmt.Sprintf(`"Epochs":1,"Updates":%d`, 3*50_000/32), // three passes
		}},
		{`^warp/fig[15] .*[a-z]$`, []string{`"Number":4`}},
		{`^warp/fig[15] .* rnn(-2)?$`, []string{`"is":"cell.RNN","Hidden":64`}},                     // (2)
		{`^warp/fig[15] .* leaky(-2)?$`, []string{`"is":"cell.Leaky","Hidden":64`}},                 // (5)
		{`^warp/fig[15] .* (gated|chrono-tested)(-2)?$`, []string{`"is":"cell.Gated","Hidden":64`}}, // (10)
		{`^warp/fig1 (uniform|variable)-(warp|pad) `, []string{`"Rates":[0.001]`}},
		{`^warp/fig5 (generalization|uniform) `, []string{`"Rates":[0.001]`}},
		{`^warp/fig[15] .*-best paper rnn(-2)?$`, []string{`"Rates":[0.004]`}},
		{`^warp/fig[15] .*-best paper (leaky|gated|chrono-tested)(-2)?$`, []string{`"Rates":[0.008]`}},
		{`^warp/fig1 .*-warp`, []string{warped("Warp", 500, 1, 1)}},
		{`^warp/fig1 .*-pad`, []string{warped("Pad", 500, 1, 1)}},
		{`^warp/fig1 uniform-warp`, []string{warped("Warp", 500, 100, 100) + test100}},
		{`^warp/fig1 uniform-pad`, []string{warped("Pad", 500, 100, 100) + test100}},
		{`^warp/fig1 variable-warp`, []string{warped("Warp", 500, 1, 100) + test100}},
		{`^warp/fig1 variable-pad`, []string{warped("Pad", 500, 1, 100) + test100}},
		{`^warp/fig[34] `, lstm},
		{`^warp/fig[34] \S+ paper( standard-\d)?$`, []string{`"is":"chrono.Standard","Forget":1`}},
		{`^warp/fig3 copy500 `, []string{`"is":"task.Copy","T":500`}},
		{`^warp/fig3 copy2000 `, []string{`"is":"task.Copy","T":2000`}},
		{`^warp/fig3 varcopy500 `, []string{`"is":"task.VariableCopy","T":500`}},
		{`^warp/fig3 varcopy1000 `, []string{`"is":"task.VariableCopy","T":1000`}},
		{`^warp/fig4 adding200 `, []string{`"is":"task.Adding","T":200`}},
		{`^warp/fig4 adding750 `, []string{`"is":"task.Adding","T":750`}},
		{`^warp/fig3 copy500 paper( chrono-\d)?$`, []string{`"Tmax":750`}},
		{`^warp/fig3 copy2000 paper( chrono-\d)?$`, []string{`"Tmax":3000`}},
		{`^warp/fig3 varcopy500 paper( chrono-\d)?$`, []string{`"Tmax":500`}},
		{`^warp/fig3 varcopy1000 paper( chrono-\d)?$`, []string{`"Tmax":1000`}},
		{`^warp/fig4 adding200 paper( chrono-\d)?$`, []string{`"Tmax":200`}},
		{`^warp/fig4 adding750 paper( chrono-\d)?$`, []string{`"Tmax":750`}},
		{`^warp/fig5 generalization`, generalized("Warp")},
		{`^warp/fig5 uniform`, generalized("UniformWarp")},
		{`^warp/fig5 .* gated(-2)?$`, []string{`"is":"chrono.Chrono","Tmax":50}`}},
		{`^warp/fig5 .* chrono-tested(-2)?$`, []string{`"is":"chrono.Chrono","Tmax":500}`}},
		{`^warp/fig6 \S+ paper$`, []string{
			`"is":"dataset.MNIST"`, `"is":"cell.LSTM","Hidden":512`, `"is":"chrono.Standard","Forget":1`, `"Tmax":784`,
		}},
		{`^warp/fig7 text8 paper$`, []string{
			`"Alphabet":27`, `"Hidden":2000,"Gain":0.1,"Epsilon":1e-05`, `"is":"chrono.Standard","Forget":1`,
			`"is":"chrono.Chrono","Tmax":8`, `"is":"cell.JointOrthogonal"`, `"Rates":[0.001]`, `"Clip":1`,
			`"is":"trial.Adam","Beta1":0.9,"Beta2":0.999,"Epsilon":1e-08`, `"Length":180,"Batch":128`,
		}},
		{`^warp/fig7 ptb paper$`, []string{
			`"Words":10000`, `"Hidden":830,"Depth":10,"Spread":0.04`, `"Batch":20,"Steps":35`, `"Rates":[0.2]`,
			`"Symbols":0.25,"Inputs":0.75,"States":0.25,"Outputs":0.75`, `"Clip":10,"Decay":1e-07`,
			`"is":"trial.ExponentialDecay","By":1.02,"Epoch":1327,"After":20`, `"Epochs":500`,
		}},
		{`^context/fig2 `, []string{
			`"Pairs":4`, `"Split":"train","Batch":128,"Sequences":100000`, `"Sequences":20000`,
			`"is":"cell.FastWeights","Hidden":50`,
			`{"is":"trial.Adam"`, `"Rates":[0.001]`, `"Updates":782`,
		}},
		{`^context/fig5 `, []string{
			`"Final":25,"Alpha":0,"Beta":0.001,"Low":2,"High":4`,
			`"Drawn":[0.5,1.5,2.5,3.5,4.5]}],"Split":"train","Batch":128,"Series":5000`,
			`"Drawn":[1,2,3,4]}],"Split":"valid","Batch":500,"Series":2000`, `"is":"cell.LSTM","Hidden":128`,
			`"Rates":[0.0002]`, `"Epochs":65,"Updates":40`,
		}},
		{`^context/fig5 .* learned$`, []string{`"is":"cell.Contextual","Hidden":[50]`}},
	} {
		of, found := regexp.MustCompile(n.of), false
		for name, text := range texts {
			if !of.MatchString(name) {
				continue
			}
			found = true
			for _, says := range n.says {
				if !strings.Contains(text, says) {
					t.Errorf("%s has no %s", name, says)
				}
			}
		}
		if !found {
			t.Errorf("no run is called %s", n.of)
		}
	}
}
