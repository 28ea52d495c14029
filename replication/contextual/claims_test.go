package contextual_test

import (
	"testing"

	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/papertest"
	"github.com/warptime/warptime/replication/worlds"
)

func TestVerdicts(t *testing.T) { papertest.Verdicts(t, contextual.Paper, worlds.Contextual) }

func TestMissing(t *testing.T) { papertest.Missing(t, contextual.Paper, worlds.Contextual[0]) }

// The sizes that C names: 2.2.1 and 2.2.2.
func TestPapersNumbers(t *testing.T) {
	papertest.PapersNumbers(t, contextual.Paper, []papertest.Stated{
		{Of: `^context/fig2 `, Says: []string{
			`"Pairs":4`, `"Split":"train","Batch":128,"Sequences":100000`, `"Sequences":20000`,
			`"is":"cell.FastWeights","Hidden":50`,
			`{"is":"trial.Adam"`, `"Rates":[0.001]`, `"Updates":782`,
		}},
		{Of: `^context/fig5 `, Says: []string{
			`"Final":25,"Alpha":0,"Beta":0.001,"Low":2,"High":4`,
			`"Drawn":[0.5,1.5,2.5,3.5,4.5]}],"Split":"train","Batch":128,"Series":5000`,
			`"Drawn":[1,2,3,4]}],"Split":"valid","Batch":500,"Series":2000`, `"is":"cell.LSTM","Hidden":128`,
			`"Rates":[0.0002]`, `"Epochs":65,"Updates":40`,
		}},
		{Of: `^context/fig5 .* learned$`, Says: []string{`"is":"cell.Contextual","Hidden":[50]`}},
	})
}
