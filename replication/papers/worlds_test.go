package papers_test

import (
	"slices"

	"github.com/warptime/warptime/replication/contextual"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/replication/worlds"
)

var worldsOf = map[string][]worlds.World{warp.Paper.Name: worlds.Warp, contextual.Paper.Name: worlds.Contextual}

const asThePaperSays = "as the paper says"

// in are the records of a figure, or of some of its panels, in a world that its paper has.
func in(world, id string, scale record.Scale, panels ...string) []*record.Record {
	f, err := papers.All.Figure(id)
	if err != nil {
		panic(err)
	}
	of := worldsOf[f.Paper]
	w := of[slices.IndexFunc(of, func(w worlds.World) bool { return w.Name == world })].Spread(0.03)
	records := w.Records([]experiment.Figure{f.Experiments()}, experiment.Options{Scale: scale})
	return slices.DeleteFunc(records, func(r *record.Record) bool {
		return len(panels) > 0 && !slices.Contains(panels, r.Panel)
	})
}

// made are a figure's records where all is as its paper says.
func made(id string, scale record.Scale, panels ...string) []*record.Record {
	return in(asThePaperSays, id, scale, panels...)
}

// pictured are the records that the golden picture of a figure is drawn from: of scale paper, but where it shows a
// panel that was not run, several scales (of which the larger is drawn), or data that stand in for others.
func pictured(id string) []*record.Record {
	switch id {
	case "warp/fig3":
		return slices.Concat(made(id, record.Quick, "copy500", "varcopy1000"),
			made(id, record.Paper, "copy500", "varcopy500"))
	case "warp/fig6":
		return slices.Concat(made(id, record.Quick, "mnist"), made(id, record.Paper, "pmnist"))
	case "warp/fig7":
		return slices.Concat(made(id, record.Reduced, "text8"), made(id, record.Quick, "ptb"))
	case "warp/beyond-pixels":
		return made(id, record.Quick)
	}
	return made(id, record.Paper)
}

// allPictured are those of all figures.
func allPictured() (records []*record.Record) {
	for _, f := range papers.All.Figures() {
		if len(f.Panels) > 0 {
			records = append(records, pictured(f.ID())...)
		}
	}
	return records
}
