// Package notebooks_test holds the notebooks to what a reader can be asked to read.
package notebooks_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/prose"
	"github.com/warptime/warptime/notebooks/show"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

var rewrite = flag.Bool("rewrite", false, "store what show.Source, show.Claims and show.Choices display now")

const (
	columns = 86 // of a line of code: a page of the book has room for no more
	lines   = 40 // of a code cell
)

type notebook struct {
	Cells []struct {
		Type   string   `json:"cell_type"`
		Source []string `json:"source"`
		Meta   struct {
			Scrolled *bool `json:"scrolled"`
		} `json:"metadata"`
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

func TestNotebooks(t *testing.T) {
	for path, n := range notebooks(t) {
		t.Run(path, func(t *testing.T) { checkNotebook(t, n) })
	}
}

// notebooks are all there are.
func notebooks(t *testing.T) map[string]notebook {
	paths, err := filepath.Glob("*.ipynb")
	check.Must(t, err == nil && len(paths) != 0, "no notebooks: %v", err)
	all := make(map[string]notebook)
	for _, path := range paths {
		data := check.Read(t, path)
		var n notebook
		check.OK(t, json.Unmarshal(data, &n))
		all[path] = n
	}
	return all
}

// The table in README.md lists all notebooks, in the order in which the book has them. Each leads to the next.
func TestREADMEListsAllNotebooks(t *testing.T) {
	readme, all := check.Read(t, "README.md"), notebooks(t)
	rows := regexp.MustCompile(`\| \[\w+\]\((\w+\.ipynb)\)`).FindAllStringSubmatch(string(readme), -1)
	check.Equal(t, len(rows), len(all), "rows of README.md's table")
	for i, row := range rows {
		cells := all[row[1]].Cells
		if len(cells) == 0 {
			t.Errorf("README.md lists %s, which is not there", row[1])
		} else if i+1 < len(rows) {
			next := rows[i+1][1]
			check.Contains(t, strings.Join(cells[len(cells)-1].Source, ""), "\nNext: [", "]("+next+")")
		}
	}
}

func checkNotebook(t *testing.T, n notebook) {
	check.Equal(t, n.Metadata.Language.Lexer, "go", "the language as which it is highlighted")
	pictures := 0
	for i, c := range n.Cells {
		source := strings.Join(c.Source, "")
		if c.Type != "code" {
			checkText(t, i, source)
			continue
		}
		check.That(t, len(c.Source) <= lines, "cell %d has %d lines, want at most %d", i, len(c.Source), lines)
		for _, line := range c.Source {
			line = strings.TrimSuffix(line, "\n")
			if width := utf8.RuneCountInString(line); width > columns {
				t.Errorf("cell %d has a line of %d columns, want at most %d: %s", i, width, columns, line)
			}
			check.That(t, !strings.Contains(line, "\t"),
				"cell %d has a tab, which Jupyter Notebook 6 draws as an arrow: %s", i, line)
		}
		check.That(t, c.Meta.Scrolled != nil && !*c.Meta.Scrolled,
			`cell %d has no "scrolled": false, and Jupyter Notebook 6 may show it in a box`, i)
		for _, o := range c.Outputs {
			check.That(t, o.Type != "error" && o.Name != "stderr", "cell %d has failed, or has warned", i)
			if o.Data["image/svg+xml"] != nil && o.Data["image/png"] == nil {
				t.Errorf("cell %d has an SVG without a PNG", i)
			}
			if o.Data["image/png"] != nil && i < 3 {
				pictures++
			}
			if o.Data["image/png"] != nil && o.Meta.Alt == "" {
				t.Errorf("cell %d has a picture that says nothing to those who cannot see it", i)
			}
		}
	}
	if pictures == 0 { // of what the notebook is about
		t.Error("no picture in the first three cells")
	}
}

var (
	listItem = regexp.MustCompile(`^\s*(\d+[.)]|[-+*])\s`)
	inList   = regexp.MustCompile(`^\s*(\d+[.)]|[-+*])\s|^\s{2,}\S|^\s*(> ?)?$`)
	equation = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
)

// checkText finds what some readers of Markdown show in another way than meant.
func checkText(t *testing.T, cell int, source string) {
	before := ""
	for line := range strings.SplitSeq(source, "\n") {
		if listItem.MatchString(line) && !inList.MatchString(before) {
			t.Errorf("cell %d: Jupyter begins a list within a sentence: %s", cell, line)
		}
		before = line
	}
	ends := 0
	for _, at := range equation.FindAllStringIndex(source, -1) {
		text := source[at[0]:at[1]]
		if strings.Contains(text, `\tag`) && strings.Contains(text, `\\`) {
			t.Errorf(`cell %d: the book cannot number an equation with \\; write \cr: %s`, cell, text)
		}
		if ends > 0 && !strings.Contains(source[ends:at[0]], "\n\n") {
			t.Errorf("cell %d: without an empty line before it, its number does not stand at the right: %s", cell, text)
		}
		ends = at[1]
	}
}

// A text that names the claims which its numbers come from has none that they do not state: see prose.Check.
func TestNumbersInProse(t *testing.T) {
	const dir = "../replication/records"
	judgements := check.Got(papers.Judge(dir, check.Got(record.ReadAny(dir))(t)))(t)
	for path, n := range notebooks(t) {
		for i, c := range n.Cells {
			if c.Type != "markdown" {
				continue
			}
			for _, wrong := range prose.Check(strings.Join(c.Source, ""), judgements) {
				t.Errorf("%s: cell %d: %s", path, i, wrong)
			}
		}
	}
}

var (
	figureShown = regexp.MustCompile(`show\.Figure\("([^"]+)"\)`)
	textShown   = regexp.MustCompile(`show\.(Source|Claims|Choices)\(("[^)]*")\)`)
	quoted      = regexp.MustCompile(`"([^"]*)"`)
)

// The figures, verdicts, choices and lines of code that are kept in a notebook are those that the repository has: where
// a figure has changed since, it must be executed again (scripts/notebooks.sh --execute). Texts need no execution:
// -rewrite stores them.
func TestOutputsAreCurrent(t *testing.T) {
	shown := map[string]int{}
	for path, n := range notebooks(t) {
		before := shown["Source"]
		for i, c := range n.Cells {
			source := strings.Join(c.Source, "")
			for k, call := range textShown.FindAllStringSubmatch(source, -1) {
				if shown[call[1]]++; k >= len(c.Outputs) {
					t.Errorf("%s: cell %d: execute it again: it has %d outputs", path, i, len(c.Outputs))
					continue
				}
				checkStored(t, path, i, c.Outputs[k].Data["text/markdown"], displayed(call[1], call[2]))
			}
			figure := figureShown.FindStringSubmatch(source)
			for _, o := range c.Outputs {
				if svg := text(t, o.Data["image/svg+xml"]); figure != nil && svg != "" {
					if shown["Figure"]++; svg != string(check.Read(t, "../figures/"+figure[1]+".svg")) {
						t.Errorf("%s: cell %d: its figure is not the one in figures", path, i)
					}
				}
			}
		}
		check.That(t, shown["Source"] != before, "%s shows no lines of the library", path)
	}
	for _, what := range []string{"Claims", "Choices", "Figure"} {
		check.That(t, shown[what] != 0, "no notebook shows a %s", what)
	}
}

// displayed is what a call of a function of package show displays.
func displayed(function, arguments string) string {
	var names []string
	for _, q := range quoted.FindAllStringSubmatch(arguments, -1) {
		names = append(names, q[1])
	}
	before, shown := show.Markdown, ""
	defer func() { show.Markdown = before }()
	show.Markdown = func(text string) { shown = text }
	switch function {
	case "Claims":
		show.Claims(names...)
	case "Choices":
		show.Choices(names[0])
	default:
		show.Source(names[0], names[1:]...)
	}
	return shown
}

// checkStored compares what a notebook stores with what a cell displays, or stores it, in the form that Jupyter writes:
// a line of the file for each line.
func checkStored(t *testing.T, path string, cell int, stored json.RawMessage, want string) {
	switch {
	case text(t, stored) == want:
	case !*rewrite:
		t.Errorf("%s: cell %d: its text is not current: run go test -rewrite", path, cell)
	default:
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("      ", " ")
		check.OK(t, encoder.Encode(slices.Collect(strings.Lines(want))))
		file := bytes.Replace(check.Read(t, path), stored, bytes.TrimSpace(b.Bytes()), 1)
		check.Write(t, path, file)
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
	check.OK(t, json.Unmarshal(data, &several))
	return strings.Join(several, "")
}
