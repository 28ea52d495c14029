// Package notebooks_test holds the notebooks to what a reader can be asked to read.
package notebooks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

const (
	columns = 110 // of a line, a tab counting as four: more are cut off on a laptop
	lines   = 40  // of a code cell
)

type notebook struct {
	Cells []struct {
		Type    string   `json:"cell_type"`
		Source  []string `json:"source"`
		Outputs []struct {
			Type string                     `json:"output_type"`
			Name string                     `json:"name"`
			Data map[string]json.RawMessage `json:"data"`
			Meta struct {
				Alt string `json:"alt"`
			} `json:"metadata"`
		} `json:"outputs"`
	} `json:"cells"`
	Metadata struct {
		Language struct {
			Lexer string `json:"pygments_lexer"`
		} `json:"language_info"`
	} `json:"metadata"`
}

// takes is how the text above a cell that trains says how long that takes.
var takes = regexp.MustCompile(`(?s)takes\s+about\s+\S+`)

func TestNotebooks(t *testing.T) {
	for path, n := range notebooks(t) {
		t.Run(path, func(t *testing.T) { check(t, n) })
	}
}

// notebooks are all there are.
func notebooks(t *testing.T) map[string]notebook {
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	all := make(map[string]notebook)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var n notebook
		if err := json.Unmarshal(data, &n); err != nil {
			t.Fatal(err)
		}
		all[path] = n
	}
	return all
}

// The table in README.md is the list of the notebooks, in the order in which the book has them.
func TestREADMEListsAllNotebooks(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for path := range notebooks(t) {
		name := strings.TrimSuffix(path, ".ipynb")
		if row := "| [" + name + "](" + path + ") |"; strings.Count(string(readme), row) != 1 {
			t.Errorf("README.md's table should have one row with %q", row)
		}
	}
}

func check(t *testing.T, n notebook) {
	if n.Metadata.Language.Lexer != "go" {
		t.Errorf("Go is highlighted as %q", n.Metadata.Language.Lexer)
	}
	above := ""
	for i, c := range n.Cells {
		source := strings.Join(c.Source, "")
		if c.Type != "code" {
			above = source
			continue
		}
		if len(c.Source) > lines {
			t.Errorf("cell %d has %d lines, want at most %d", i, len(c.Source), lines)
		}
		for _, line := range c.Source {
			line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")
			if width := utf8.RuneCountInString(line); width > columns {
				t.Errorf("cell %d has a line of %d columns, want at most %d: %s", i, width, columns, line)
			}
		}
		if strings.Contains(source, "show.Watch(") || strings.Contains(source, ".Fit(") {
			if !takes.MatchString(above) {
				t.Errorf("cell %d trains, and the text above it does not say how long it takes", i)
			}
		}
		for _, o := range c.Outputs {
			if o.Type == "error" || o.Name == "stderr" {
				t.Errorf("cell %d has failed, or has warned", i)
			}
			if o.Data["image/svg+xml"] != nil && o.Data["image/png"] == nil {
				t.Errorf("cell %d has an SVG without a PNG", i)
			}
			if o.Data["image/png"] != nil && o.Meta.Alt == "" {
				t.Errorf("cell %d has a picture that says nothing to those who cannot see it", i)
			}
		}
		above = ""
	}
}

var (
	figureShown = regexp.MustCompile(`show\.Figure\("([^"]+)"\)`)
	claimRow    = regexp.MustCompile("(?m)^\\| .*<br>`.*$")
	drawnFrom   = regexp.MustCompile(`<!-- drawn from .*? -->`)
)

// A text that names the claims which its numbers come from has none that they do not state: see claim.CheckProse.
func TestNumbersInProse(t *testing.T) {
	records, err := record.ReadAny("../replication/records")
	if err != nil {
		t.Fatal(err)
	}
	judgements := claim.Judge(papers.All.Claims(), records)
	for path, n := range notebooks(t) {
		for i, c := range n.Cells {
			if c.Type != "markdown" {
				continue
			}
			for _, wrong := range claim.CheckProse(strings.Join(c.Source, ""), judgements) {
				t.Errorf("%s: cell %d: %s", path, i, wrong)
			}
		}
	}
}

// The figures and verdicts that are kept in a notebook are those of the records that the repository has: where these
// have changed since, it must be executed again (scripts/notebooks.sh --execute).
func TestOutputsAreCurrent(t *testing.T) {
	claims, err := os.ReadFile("../CLAIMS.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, figures := 0, 0
	for path, n := range notebooks(t) {
		for i, c := range n.Cells {
			source, figure := strings.Join(c.Source, ""), ""
			if found := figureShown.FindStringSubmatch(source); found != nil {
				svg, err := os.ReadFile("../figures/" + found[1] + ".svg")
				if err != nil {
					t.Fatal(err)
				}
				figure = drawnFrom.FindString(string(svg))
			}
			for _, o := range c.Outputs {
				if strings.Contains(source, "show.Claims(") {
					for _, row := range claimRow.FindAllString(text(t, o.Data["text/markdown"]), -1) {
						if rows++; !strings.Contains(string(claims), "\n"+row+"\n") {
							t.Errorf("%s: cell %d: not in CLAIMS.md: %s", path, i, row)
						}
					}
				}
				if shown := drawnFrom.FindString(text(t, o.Data["image/svg+xml"])); figure != "" && shown != "" {
					if figures++; shown != figure {
						t.Errorf("%s: cell %d: the figure is drawn from other records", path, i)
					}
				}
			}
		}
	}
	if rows == 0 || figures == 0 {
		t.Errorf("%d verdicts and %d figures were found in the notebooks", rows, figures)
	}
}

// text is what a notebook keeps as one string or as several.
func text(t *testing.T, data json.RawMessage) string {
	if data == nil {
		return ""
	}
	var one string
	if json.Unmarshal(data, &one) == nil {
		return one
	}
	var several []string
	if err := json.Unmarshal(data, &several); err != nil {
		t.Fatal(err)
	}
	return strings.Join(several, "")
}
