package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

func chosen(t *testing.T, c Choice) []experiment.Task {
	t.Helper()
	return check.Got(c.Tasks())(t)
}

func names(tasks []experiment.Task) (names []string) {
	for _, task := range tasks {
		names = append(names, Name(task))
	}
	return names
}

// A figure, a panel and a run have names, and everything is trained once.
func TestNames(t *testing.T) {
	for _, scale := range []string{"quick", "paper"} {
		all := names(chosen(t, Choice{Names: "warp/fig4,context/fig5,beyond-long", Scale: scale}))
		again := names(chosen(t, Choice{Names: strings.Join(all, ",")}))
		check.Equal(t, again, all, "scale %s: the runs by their names", scale)
	}
	for _, c := range []struct {
		Choice
		want []string
		part bool
	}{
		{Choice{Names: "4,warp/fig4,fig4"}, []string{"warp/fig4/adding200.quick", "warp/fig4/adding750.quick"}, false},
		{Choice{Names: "warp/fig4/adding750, context/fig6"},
			[]string{"warp/fig4/adding750.quick", "context/fig6/samples.quick"}, false},
		{Choice{Names: "beyond-long"}, // panels of a figure whose records go by this name
			[]string{"warp/beyond-long/varcopy500.quick", "warp/beyond-long/varcopy1000.quick"}, false},
		{Choice{Names: "warp/fig3/copy2000.paper.standard-1"}, []string{"warp/fig3/copy2000.paper.standard-1"}, true},
		{Choice{Names: "fig4", Shard: "1/2"}, []string{"warp/fig4/adding750.quick"}, true},
		{Choice{Names: "fig4", Shard: "2/3"}, nil, true},
	} {
		check.Equal(t, names(chosen(t, c.Choice)), c.want, "runs of %+v", c.Choice)
		check.Equal(t, c.Part(), c.part, "%+v: a part", c.Choice)
	}
	var dealt []string
	for _, shard := range []string{"0/3", "1/3", "2/3"} {
		dealt = append(dealt, names(chosen(t, Choice{Names: "fig5", Shard: shard}))...)
	}
	all := names(chosen(t, Choice{Names: "fig5"}))
	slices.Sort(dealt)
	slices.Sort(all)
	check.Equal(t, dealt, all, "what three shares hold")
}

func TestBadChoices(t *testing.T) {
	for _, c := range []Choice{
		{Names: "fig9"}, {Names: "fig3,"}, {Names: "warp/"}, {Names: "warp/fig4/"}, {Names: "warp/fig4/copy500"},
		{Names: "warp/fig4/adding200.quick.half"}, {Names: "warp/fig4/adding200.huge"},
		{Names: "warp/fig4/adding200.quick", Scale: "paper"}, {Scale: "huge"}, {Scale: "reduced"},
		{Seed: math.MaxUint64}, {Shard: "4/4"}, {Shard: "1"}, {Shard: "0/4x"},
	} {
		_, err := c.Tasks()
		check.Rejected(t, fmt.Sprintf("%+v", c), err, "")
	}
}

// A record is complete if it is of the task, and not because a file has its name.
func TestMissing(t *testing.T) {
	c := Choice{Names: "warp/fig4/adding200", Out: t.TempDir()}
	tasks, other := chosen(t, c), chosen(t, Choice{Names: c.Names, Seed: 2})
	check.Equal(t, len(check.Got(c.Missing(tasks))(t)), 1, "missing runs")
	r := made.Record(tasks[0], func(record.Trial, float64) float64 { return 0.25 })
	path := check.Got(made.Write(c.RecordsDir(), r))(t)
	check.Equal(t, len(check.Got(c.Missing(tasks))(t)), 0, "missing runs")
	_, err := c.Missing(other)
	check.Rejected(t, "a record of another seed", err, path)
}

// Records say how long runs took. The longest comes first, after those that have none.
func TestLongestFirst(t *testing.T) {
	tasks := chosen(t, Choice{Names: "warp/fig4,context/fig6"})
	t.Chdir(t.TempDir())
	for i, seconds := range []float64{60, 120} {
		r := made.Record(tasks[i], func(record.Trial, float64) float64 { return 0.25 })
		r.End.Seconds = seconds
		check.Got(made.Write(papers.Committed, r))(t)
	}
	all := names(tasks)
	check.Equal(t, names(LongestFirst(tasks)), []string{all[2], all[1], all[0]}, "order")
}

// A run of scale paper starts only if its program was built from a commit that has the rules of its claims.
func TestEvidence(t *testing.T) {
	for _, scale := range record.Scales {
		tasks := chosen(t, Choice{Names: "warp/fig4"})
		for i := range tasks {
			tasks[i].Scale = scale
		}
		for commit, modified := range map[string]bool{"0123abc": false, "0123abc+changes": true, "unknown": false} {
			for claim, read := range map[string]bool{"": false, "warp/fig3.copy500.faster": false,
				"warp/fig4.adding750.7x": true} {
				_, err := Evidence(tasks, commit, map[string]string{claim: "0123456789ab"})
				check.Equal(t, err != nil, scale == "paper" && (modified || read),
					"scale %s, commit %s, another rule of %q: rejected", scale, commit, claim)
			}
			note, _ := Evidence(tasks, commit, nil)
			want := scale == "reduced" && commit != "0123abc" || scale == "paper" && commit == "unknown"
			check.Equal(t, note != "", want, "scale %s, commit %s: a note", scale, commit)
		}
	}
}
