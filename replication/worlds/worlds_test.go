package worlds_test

import (
	"bytes"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/replication/worlds"
)

// Every figure can be drawn from the records of the worlds that differ most: as the paper says, and where trials have
// diverged. What was not run would be said in the picture.
func TestFiguresCanBeDrawn(t *testing.T) {
	for _, c := range []struct {
		paper figures.Paper
		made  []worlds.World
	}{{warp.Paper, worlds.Warp}, {contextual.Paper, worlds.Contextual}} {
		for _, w := range c.made {
			if w.Name != "as the paper says" && w.Name != "one trial diverges" {
				continue
			}
			for _, f := range c.paper.Figures {
				if len(f.Panels) == 0 {
					continue
				}
				records := w.Records([]experiment.Figure{f.Experiments()}, experiment.Options{Scale: record.Paper})
				svg, err := f.Draw(records).SVG()
				if err != nil || bytes.Contains(svg, []byte("not run")) {
					t.Errorf("%s, %s: not drawn (%v), or not of all panels", f.ID(), w.Name, err)
				}
			}
		}
	}
}
