package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// In the repository's root a run at scale quick reports first whether it agrees with the records there, then what those
// records decide, then where the pictures are, all of it in fewer lines than a terminal has. The claims are in a file.
func TestWhatComesOut(t *testing.T) {
	tasks := declared(t, "adding200")
	for _, c := range []struct {
		ours  float64 // in the repository's records; none if negative
		wants []string
	}{
		{0.25, []string{"1 of 1 of your runs agree with ours", "replication/records:", "Of 5 claims,",
			"out/warp/fig4.png"}},
		{0.26, []string{"0 of 1 of your runs agree with ours", "-verify", "out/warp/fig4.png"}},
		{-1, []string{"Of 5 claims,", "are in out/CLAIMS.md", "out/warp/fig4.png"}},
	} {
		root := t.TempDir()
		if c.ours >= 0 {
			invent(t, filepath.Join(root, plan.Committed), tasks, c.ours)
		}
		invent(t, filepath.Join(root, "out", "records"), tasks, 0.25)
		cmd := program("", trained("out")...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, cmd.Stderr)
		}
		_, said, _ := strings.Cut(string(out), "\n\n") // what is trained stands above
		if lines := strings.Count(said, "\n"); lines > 20 {
			t.Errorf("%d lines, want at most 20:\n%s", lines, said)
		}
		said = strings.Join(strings.Fields(said), " ")
		check.Contains(t, said, c.wants...)
		check.Equal(t, strings.Contains(said, "agree"), c.ours >= 0, "it compares with ours")
		check.Contains(t, string(check.Read(t, filepath.Join(root, "out", "CLAIMS.md"))), "`adding200.faster` not run")
		all := string(check.Read(t, filepath.Join(root, "out", "claims.json")))
		check.Contains(t, all, `"id": "warp/fig4.adding200.faster"`)
	}
}
