package warp_test

import (
	"testing"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/papertest"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/replication/worlds"
)

func TestVerdicts(t *testing.T) { papertest.Verdicts(t, warp.Paper, worlds.Warp) }

func TestMissing(t *testing.T) {
	papertest.Missing(t, warp.Paper, worlds.Warp[0], "warp/fig3.copy.standard-beats-memoryless",
		"warp/text.spikes-harmless")
}

// A claim about several panels, one of which is enough, is judged on those that were run. It is contradicted only if
// all of them were.
func TestJudgedOnWhatWasRun(t *testing.T) {
	for _, c := range []struct {
		id, world, missing string
		want               claim.Answer
	}{
		{"fig3.copy.standard-beats-memoryless", "as the paper says", "copy500", claim.Reproduced},
		{"fig3.copy.standard-beats-memoryless", "as the paper says", "copy2000", claim.Reproduced},
		{"fig3.copy.standard-beats-memoryless", "baseline stuck", "copy500", claim.Inconclusive},
		{"fig3.copy.standard-beats-memoryless", "baseline stuck", "copy2000", claim.Inconclusive},
	} {
		for _, w := range worlds.Warp {
			if w.Name != c.world {
				continue
			}
			if j := judgement(t, w, c.id, []string{c.missing}); j.Answer != c.want {
				t.Errorf("%s, %s without %s: %v because %q", c.id, c.world, c.missing, j.Answer, j.Why)
			}
		}
	}
}
