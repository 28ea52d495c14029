package contextual_test

import (
	"testing"

	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papertest"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/worlds"
)

func made() []papertest.World {
	var all []papertest.World
	for _, w := range worlds.Contextual {
		all = append(all, papertest.World{Name: w.Name, Records: func(o experiment.Options) []*record.Record {
			return w.Records(contextual.Paper.Trained(), o)
		}})
	}
	return all
}

func TestVerdicts(t *testing.T) { papertest.Verdicts(t, contextual.Paper, made()) }

func TestMissing(t *testing.T) { papertest.Missing(t, contextual.Paper, made()[0]) }
