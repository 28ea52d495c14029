package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/internal/prose"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/scripts/internal/command"
)

// drawn runs the program.
func drawn(t *testing.T, args ...string) (said string, err error) {
	t.Helper()
	var b strings.Builder
	err = run(t.Context(), args, &command.Output{To: &b})
	return b.String(), err
}

// someRecords returns a directory with a record of Figure 3's first panel.
func someRecords(t *testing.T, changes ...func(*record.Header)) string {
	t.Helper()
	dir := t.TempDir()
	tasks := check.Got(warp.Fig3.Tasks(experiment.Options{Scale: "quick", Panel: "copy500", Seed: 1}))(t)
	r := made.Record(tasks[0], func(record.Trial, float64) float64 { return 0.01 })
	for _, change := range changes {
		change(&r.Header)
	}
	check.Got(made.Write(dir, r))(t)
	return dir
}

func TestDrawsAndJudges(t *testing.T) {
	site, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	for _, name := range []string{"README.md", "FINDINGS.md"} {
		check.Write(t, filepath.Join(site, name), []byte("# a\n"+papers.Begin+papers.End+"b\n"))
	}
	dir := someRecords(t)
	args := []string{"-records", dir, "-out", out, "-pages", site}
	check.Got(drawn(t, args...))(t)
	said := check.Got(drawn(t, append(args, "-web", filepath.Join(out, "web"))...))(t) // which replaces its own
	records := check.Got(record.ReadAll(dir))(t)
	judgements := claim.Judge(papers.All.Sets(), records)

	var text bytes.Buffer
	check.OK(t, papers.WriteVerdicts(&text, judgements))
	check.Equal(t, said, text.String(), "what is printed")
	for _, name := range []string{"fig2.png", "fig3.svg", "fig3.png"} {
		check.That(t, len(check.Read(t, filepath.Join(out, warp.Paper.Name, name))) > 0, "%s is empty", name)
	}
	_, err := os.Stat(filepath.Join(out, warp.Paper.Name, "fig4.png"))
	check.That(t, err != nil, "Figure 4 is drawn without a record")
	about := string(check.Read(t, filepath.Join(out, "web", "figures.json")))
	check.That(t, strings.Count(about, `"caption"`) == len(papers.All.Draw(records, true)), "figures.json:\n%s", about)
	svg := string(check.Read(t, filepath.Join(out, "web", "warp", "fig3.svg")))
	check.That(t, strings.HasPrefix(svg, "<svg "), "the figure for web pages begins with %.80s", svg)
	var entries []struct{ ID string }
	check.OK(t, json.Unmarshal(check.Read(t, filepath.Join(site, "claims.json")), &entries))
	check.Equal(t, len(entries), len(judgements), "claims in claims.json")
	for name, want := range map[string]string{
		"CLAIMS.md": papers.Page(judgements), "README.md": claim.CountOf(judgements).String(),
		"FINDINGS.md": papers.Findings(judgements),
	} {
		page := string(check.Read(t, filepath.Join(site, name)))
		check.Contains(t, page, want)
		if name != "CLAIMS.md" && (!strings.HasPrefix(page, "# a\n") || !strings.HasSuffix(page, "\nb\n")) {
			t.Errorf("the rest of %s changed:\n%s", name, page)
		}
	}
}

// What came out of our records is said of them, by whatever path, and not of others.
func TestFoundIsOfOurRecords(t *testing.T) {
	t.Chdir(t.TempDir())
	tasks := check.Got(warp.Fig4.Tasks(experiment.Options{Scale: record.Paper, Panel: "adding200", Seed: 2}))(t)
	for _, dir := range []string{papers.Committed, "other"} {
		check.Got(made.Write(dir, made.Record(tasks[0], func(record.Trial, float64) float64 { return 0.1 })))(t)
	}
	absolute := check.Got(filepath.Abs(papers.Committed))(t)
	check.OK(t, os.Symlink(absolute, "link"))
	for dir, ours := range map[string]bool{papers.Committed: true, absolute: true, "link": true, "other": false} {
		check.Got(drawn(t, "-records", dir, "-out", "out"))(t)
		caption := string(check.Read(t, filepath.Join("out", "warp", "fig4.svg")))
		check.Equal(t, strings.Contains(caption, warp.Fig4.Found), ours, "%s: what came out is said", dir)
		check.Equal(t, strings.Contains(caption, warp.Fig4.Caption), true, "%s: what is shown is said", dir)
	}
	check.OK(t, os.Mkdir(ourFigures, 0o777))
	_, err := drawn(t, "-records", "other")
	check.Rejected(t, "other records", err, "-out")
	check.Entries(t, ourFigures, 0)
}

// Bad input is one line, and no file is made or changed. A record that says other than its figure declares decides
// nothing, even if it is well signed.
func TestBadInput(t *testing.T) {
	good, forged := someRecords(t), someRecords(t, func(h *record.Header) { h.Units++ })
	file := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(file, []byte("precious"), 0o644))
	// site is a directory of pages that can be written, but for what change does to one.
	site := func(change func(path string), name string) string {
		dir := t.TempDir()
		for _, name := range []string{"README.md", "FINDINGS.md"} {
			check.Write(t, filepath.Join(dir, name), []byte(papers.Begin+papers.End))
		}
		change(filepath.Join(dir, name))
		return dir
	}
	with := func(text string) func(string) { return func(path string) { check.Write(t, path, []byte(text)) } }
	folder := func(path string) { check.OK(t, errors.Join(os.Remove(path), os.Mkdir(path, 0o777))) }

	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"argument":           {[]string{"fig3"}, `"fig3"`},
		"forged header":      {[]string{"-records", forged}, forged},
		"out is a file":      {[]string{"-out", file}, file},
		"claims is a user's": {[]string{"-pages", site(with("# Claims\nof mine"), "CLAIMS.md")}, "CLAIMS.md"},
		"numbers of a user":  {[]string{"-pages", site(with("[1, 2]"), "claims.json")}, "claims.json"},
		"readme is a folder": {[]string{"-pages", site(folder, "README.md")}, "README.md"},
		"findings unmarked":  {[]string{"-pages", site(with("text"), "FINDINGS.md")}, "FINDINGS.md"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		said, err := drawn(t, append([]string{"-records", good, "-out", out}, c.args...)...)
		check.Rejected(t, name, err, c.want)
		check.Equal(t, said, "", "%s: what is printed", name)
		check.Entries(t, out, 0)
		check.Equal(t, string(check.Read(t, file)), "precious", "%s: a file", name)
	}
}

// The committed pages are what the committed records say, and their prose has the numbers of the claims that it names.
func TestCommittedPages(t *testing.T) {
	records := check.Got(record.ReadAll("../../replication/records"))(t)
	judgements := check.Got(papers.Judge("../../replication/records", records))(t)
	documents := check.Got(documentsOf("../..", judgements))(t)
	for path, want := range documents {
		text := string(check.Read(t, path))
		check.That(t, text == string(want),
			"%s is not what the records say: run go run ./scripts/figures -pages .", path)
		if filepath.Ext(path) == ".md" {
			for _, wrong := range prose.Check(text, judgements) {
				t.Errorf("%s: %s", path, wrong)
			}
		}
	}
	const most = 45_000
	n := len(documents[filepath.Join("..", "..", "CLAIMS.md")])
	check.That(t, n <= most, "CLAIMS.md has %d bytes, want at most %d", n, most)
}
