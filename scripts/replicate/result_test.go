package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// In the repository's root a run at scale quick reports first whether it agrees with the records there, then what those
// records decide, then where the pictures are, all of it in fewer lines than a terminal has. The claims are in a file.
func TestWhatComesOut(t *testing.T) {
	tasks := declared(t, "adding200")
	for _, c := range []struct {
		ours  float64
		wants []string
	}{
		{0.25, []string{"1 of 1 of your runs agree with ours, number by number.",
			"By the larger runs in replication/records:",
			"Of 5 claims, runs of the paper's own size reproduce 0,",
			filepath.Join("out", "warp", "fig4.png") + " Standard and chrono"}},
		{0.26, []string{"0 of 1 of your runs agree with ours",
			filepath.Join("out", "warp", "fig4.png")}},
	} {
		root := t.TempDir()
		invent(t, filepath.Join(root, committed), tasks, c.ours)
		invent(t, filepath.Join(root, "out", "records"), tasks, 0.25)
		cmd := program("", trained("out")...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, cmd.Stderr)
		}
		_, said, _ := strings.Cut(string(out), "\n\n") // what is trained stands above
		if said == "" {
			t.Fatalf("it says nothing of what came out:\n%s", out)
		}
		if lines := strings.Count(said, "\n"); lines > 20 {
			t.Errorf("%d lines, want at most 20:\n%s", lines, said)
		}
		text := strings.Join(strings.Fields(said), " ")
		for _, want := range c.wants {
			i := strings.Index(text, want)
			if i < 0 {
				t.Errorf("no %q, in this order, in\n%s", want, said)
				continue
			}
			text = text[i:]
		}
		page, err := os.ReadFile(filepath.Join(root, "out", "CLAIMS.md"))
		if err != nil || !strings.Contains(string(page), "`adding200.faster` not run") {
			t.Errorf("the claims are not in a file: %v", err)
		}
		all := check.Read(t, filepath.Join(root, "out", "claims.json"))
		check.Contains(t, string(all), `"id": "warp/fig4.adding200.faster"`)
	}
}

// Where there are no records to compare with, the run's own say what came out.
func TestWhatComesOutElsewhere(t *testing.T) {
	root := t.TempDir()
	invent(t, filepath.Join(root, "out", "records"), declared(t, "adding200"), 0.25)
	cmd := program("", trained("out")...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, cmd.Stderr)
	}
	check.Contains(t, string(out), "\nOf 5 claims, ", "  out/warp/fig4.png  Standard",
		"The claims, with numbers and rules, are in out/CLAIMS.md.")
	if strings.Contains(string(out), "agree") {
		t.Errorf("it compares with nothing:\n%s", out)
	}
}
