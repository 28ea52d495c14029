package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// In the repository's root a run at scale quick reports first whether it agrees with the records there, then what those
// records decide, then where the pictures are, all of it in fewer lines than a terminal has. The claims are in a file.
// Sweeps count there as they do in CLAIMS.md, if they are whole. Where there are only checks of our own, no claims are
// counted.
func TestWhatComesOut(t *testing.T) {
	const faster = "adding200.faster"
	const ofBatch = "context/beyond-batch/retrieval.paper."
	for _, c := range []struct {
		names string
		ours  float64 // in the repository's records; none if negative
		more  string  // larger runs that are there, too
		wants []string
		not   string
		claim string // which is judged
	}{
		{"warp/fig4/adding200", 0.25, "",
			[]string{"1 of 1 of your", papers.Committed, "Of 5 claims", "out/warp/fig4.png"}, "0 of", faster},
		{"warp/fig4/adding200", 0.26, "", []string{"0 of 1 of your", "-verify", "Of 5 claims"}, "1 of 1 of", faster},
		{"warp/fig4/adding200", -1, "", []string{"Of 5 claims", "out/CLAIMS.md"}, "agree", faster},
		{"warp/today/variable-pad", -1, "", []string{"out/CLAIMS.md", "out/warp/today.png"}, "Of 0",
			"two-inputs-suffice"},
		{"warp/beyond-long", -1, "", []string{"Of 9 claims"}, "picture", "varcopy500.even"}, // no picture shows it
		{"context/beyond-batch", 0.25, ofBatch + "free-b008," + ofBatch + "zero-b008",
			[]string{"leave 0 undecided; 1 have no such run"}, "undecided; 0 have", "tiled-is-compatible"},
	} {
		choice, root := plan.Choice{Names: c.names, Seed: 1}, t.TempDir()
		tasks := check.Got(choice.Tasks())(t)
		if c.ours >= 0 {
			invent(t, filepath.Join(root, papers.Committed), tasks, c.ours)
		}
		if c.more != "" {
			choice.Names = c.more
			invent(t, filepath.Join(root, papers.Committed), check.Got(choice.Tasks())(t), c.ours)
		}
		invent(t, filepath.Join(root, "out", "records"), tasks, 0.25)
		cmd := program("", "-figure", c.names)
		cmd.Dir = root
		out, err := cmd.Output()
		check.OK(t, err, cmd.Stderr)
		_, said, _ := strings.Cut(string(out), "\n\n") // what is trained stands above
		lines := strings.Count(said, "\n")
		check.That(t, lines <= 20, "%d lines, want at most 20:\n%s", lines, said)
		said = strings.Join(strings.Fields(said), " ")
		check.Contains(t, said, c.wants...)
		check.Equal(t, strings.Contains(said, c.not), false, "it says %q: %s", c.not, said)
		for _, file := range []string{"CLAIMS.md", "claims.json"} {
			check.Contains(t, string(check.Read(t, filepath.Join(root, "out", file))), c.claim)
		}
	}
}
