package plan

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/made"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
)

// chosen is what a command line chooses.
func chosen(t *testing.T, args ...string) (Choice, []experiment.Task) {
	t.Helper()
	var c Choice
	flags := command.NewFlags("", "")
	complete := c.Flags(flags)
	if _, err := flags.Parse(args, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	check.OK(t, complete())
	tasks, err := c.Tasks()
	check.OK(t, err)
	return c, tasks
}

func names(tasks []experiment.Task) (names []string) {
	for _, task := range tasks {
		names = append(names, Name(task))
	}
	return names
}

// A record is complete if it is of the task, and not because a file has its name.
func TestMissing(t *testing.T) {
	args := []string{"-figure", "warp/fig4", "-panel", "adding200", "-scale", "quick", "-out", t.TempDir()}
	c, tasks := chosen(t, args...)
	path := record.Path(c.RecordsDir(), tasks[0].Header(""))
	finish := func(task experiment.Task) {
		t.Helper()
		_, err := made.Write(c.RecordsDir(), made.Record(task, func(record.Trial, float64) float64 { return 0.25 }))
		check.OK(t, err)
	}
	missing := func(want int) {
		t.Helper()
		found, err := c.Missing(tasks)
		check.OK(t, err)
		check.Equal(t, len(found), want, "missing runs")
	}
	missing(1)
	_, others := chosen(t, append(args, "-seed", "2")...)
	for of, write := range map[string]func(){
		"empty":           func() { check.OK(t, os.WriteFile(path, nil, 0o666)) },
		"of another seed": func() { finish(others[0]) },
	} {
		check.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
		write()
		if _, err := c.Missing(tasks); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("a record that is %s: says %v, want an error that names it", of, err)
		}
		check.OK(t, os.Remove(path))
	}
	finish(tasks[0])
	missing(0)
}

// Every run has a name of its own, by which it is found.
func TestNames(t *testing.T) {
	for _, scale := range []string{"quick", "paper"} {
		_, all := chosen(t, "-scale", scale)
		_, again := chosen(t, "-run", strings.Join(names(all), ","))
		if !slices.Equal(names(all), names(again)) {
			t.Errorf("scale %s: %d runs, by their names %d", scale, len(all), len(again))
		}
	}
	c, runs := chosen(t, "-run", "warp/fig5/generalization.quick.rnn,warp/fig3/copy2000.paper.standard-1",
		"-trials", "1")
	if len(runs) != 2 || !c.Part() || !c.Scaled || len(runs[1].Trials) != 1 {
		t.Errorf("%v, %d trials", names(runs), len(runs[1].Trials))
	}
}

// The shares of a choice hold each run once, whether there are more runs or more shares.
func TestShards(t *testing.T) {
	_, all := chosen(t, "-figure", "fig5")
	for _, n := range []int{1, 3, len(all), len(all) + 2} {
		var dealt []string
		for i := range n {
			c, share := chosen(t, "-figure", "fig5", "-shard", fmt.Sprintf("%d/%d", i, n))
			if !c.Part() || n > len(all) && len(share) > 1 {
				t.Errorf("share %d of %d: %v", i, n, names(share))
			}
			dealt = append(dealt, names(share)...)
		}
		want := names(all)
		slices.Sort(want)
		slices.Sort(dealt)
		check.Equal(t, dealt, want, "%d shares hold", n)
	}
}

func TestDeal(t *testing.T) {
	costs := []float64{1, 5, 2, 2, 4}
	for _, c := range []struct {
		n       int
		machine []int
		done    float64
	}{
		{1, []int{0, 0, 0, 0, 0}, 14},
		{2, []int{1, 0, 1, 0, 1}, 7}, // 5, 4, 2 to the second, 2 to the first, and both are free at 7 and 6
		{64, []int{4, 0, 2, 3, 1}, 5},
		{math.MaxInt, []int{4, 0, 2, 3, 1}, 5},
	} {
		machine, done := Deal(costs, c.n)
		if !slices.Equal(machine, c.machine) || math.Abs(done-c.done) > 1e-9 {
			t.Errorf("%d machines: %v, done at %g; want %v, %g", c.n, machine, done, c.machine, c.done)
		}
	}
	if _, done := Deal(nil, 4); done != 0 {
		t.Errorf("nothing takes %g", done)
	}
}

// The longest run of a figure comes first.
func TestLongestFirst(t *testing.T) {
	_, tasks := chosen(t, "-figure", "warp/fig3", "-scale", "paper")
	sorted := names(LongestFirst(tasks))
	if first, last := sorted[0], sorted[len(sorted)-1]; first != "warp/beyond-long/varcopy1000.paper.standard-1" ||
		last != "warp/fig3/varcopy500-normal.paper.chrono-3" {
		t.Errorf("%v", sorted)
	}
}

// A run of scale paper starts only if its program was built from a commit that has the rules of its claims.
func TestRegistered(t *testing.T) {
	for _, scale := range []string{"quick", "paper"} {
		_, tasks := chosen(t, "-figure", "warp/fig4", "-scale", scale)
		for commit, modified := range map[string]bool{"0123abc": false, "0123abc+changes": true, "unknown": false} {
			for claim, read := range map[string]bool{"": false, "warp/fig3.copy500.faster": false,
				"warp/fig4.adding750.7x": true} {
				err := registered(tasks, commit, map[string]string{claim: "0123456789ab"})
				if want := scale == "paper" && (modified || read); (err != nil) != want {
					t.Errorf("scale %s, commit %s, another rule of %q: %v", scale, commit, claim, err)
				}
			}
		}
	}
	c, tasks := chosen(t, "-figure", "warp/fig4", "-scale", "paper", "-unregistered")
	check.OK(t, c.Registered(tasks, "0123abc+changes"))
}

func TestUnclearCommit(t *testing.T) {
	for commit, want := range map[string]string{"0123abc": "", "0123abc+changes": "modified", "unknown": "the commit"} {
		if note := unclear(commit); !strings.Contains(note, want) || (note == "") != (want == "") {
			t.Errorf("%s: %q, want %q", commit, note, want)
		}
	}
}
