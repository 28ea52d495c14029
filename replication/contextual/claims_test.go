package contextual_test

import (
	"testing"

	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papertest"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/worlds"
)

// made are the worlds' records of the figures with claims.
func made() []papertest.World {
	var all []papertest.World
	for _, w := range worlds.Contextual {
		all = append(all, papertest.World{Name: w.Name, Records: func(o experiment.Options) []*record.Record {
			return w.Records([]experiment.Figure{contextual.Fig2, contextual.Fig5, contextual.Fig6}, o)
		}})
	}
	return all
}

func TestVerdicts(t *testing.T) { papertest.Verdicts(t, contextual.Claims(), made()) }

func TestMissing(t *testing.T) { papertest.Missing(t, contextual.Claims(), made()[0]) }

func TestSentences(t *testing.T) { papertest.Sentences(t, contextual.Claims(), contextual.Figures()) }
