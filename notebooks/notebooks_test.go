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
	paths, err := filepath.Glob("*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) { check(t, path) })
	}
}

// The table in README.md is the list of the notebooks, in the order in which the book has them.
func TestREADMEListsAllNotebooks(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(path, ".ipynb")
		if row := "| [" + name + "](" + path + ") |"; strings.Count(string(readme), row) != 1 {
			t.Errorf("README.md's table should have one row with %q", row)
		}
	}
}

func check(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n notebook
	if err := json.Unmarshal(data, &n); err != nil {
		t.Fatal(err)
	}
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
