package scripts_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// phrases are idioms that readers had to read twice, each with what says the same in plain English.
var phrases = [][2]string{
	// Numbers and nouns.
	{"of it so far", "done so far"},
	{"so many trials", "n trials"},
	{"so many updates", "n updates"},
	{"hangs on", "depends on"},
	{"hang on what", "depend on what"},
	{"to be had", "available"},
	{"can be had", "is available, or: can reach"},
	{"cannot be had", "cannot be downloaded, or: is missing"},
	{"has for nothing", "knows without a memory"},
	{"a quarter of a minute", "about 15 seconds"},
	{"a third of a minute", "about 20 seconds"},
	{"since long", "long ago"},
	{"not by one percent", "not even one percent"},
	// Programs do not speak, know, ask or refuse.
	{"asks more", "wants more, or: needs more"},
	{"is asked it is asked", "is validated"},
	{"same command goes on", "same command resumes"},
	{"goes on where", "resumes where"},
	{"begins anew", "starts over"},
	{"begin anew", "start over"},
	{"never ask what kind", "use only through their interfaces"},
	{"knows no trainer", "depends on no trainer"},
	{"is passed on", "goes to"},
	{"says other things", "changes"},
	{"know no more", "fail"},
	// Chains, and verbless or reversed clauses.
	{"of which nothing", "nothing … of it"},
	{"by which nothing is judged", "no claim is judged on it"},
	{"passes the tests", "runs the tests"},
	{"in a model of one's own", "in your own model"},
	{"a step of one's own", "a custom step"},
	{"steps of one's own", "custom steps"},
	{"but for 2 to 3", "except for 2 to 3"},
	{"padding only the gated", "only gated networks … padding"},
	{"for questions that the papers' figures leave", "on questions the papers leave open"},
	{"none can influence another", "trials cannot influence each other"},
	{"what was tried of this", "tested"},
	{"no record was made on one", "untested"},
	{"none of our records was made on one", "untested"},
	{"beside all else", "with whatever else is running"},
	{"that had other work beside", "that were busy"},
	{"says of itself", "its own settings"},
	{"say of themselves", "their own settings"},
	{"lends a step", "gives a step"},
	{"let through", "accepted"},
	{"needs no memory: ", "is a view"},
	{"ours, of no figure", "our own experiment, not in the paper"},
	{"fit to read", "readable"},
	{"is not known before the first updates", "is estimated after the first updates"},
	{"as far as the run goes", "so far"},
	{"what it showed last", "the last state"},
	{"as to run", "as runnable"},
	{"something to run", "runnable"},
	{"start weights", "initial weights"},
	{"contestant", "arm"},
	{"trainee", "network"},
}

// Phrases that readers had to read twice do not come back: in comments, strings, pages or notebooks.
func TestPhrasesStayAway(t *testing.T) {
	for _, path := range filesOf(t, ".go", ".md", ".ipynb", ".sh", ".html") {
		data := check.Read(t, path)
		if base := filepath.Base(path); base == "phrases_test.go" || base == "names_test.go" ||
			bytes.HasPrefix(data, []byte("// Code generated ")) {
			continue
		}
		text := prose(t, path, data)
		for _, p := range phrases {
			for i, from := 0, 0; ; from = i + len(p[0]) {
				if i = strings.Index(text[from:], p[0]); i < 0 {
					break
				}
				i += from
				t.Errorf("%s: %q: better: %q: …%s…", path, p[0], p[1], text[max(0, i-40):min(len(text), i+60)])
			}
		}
	}
}

// A phrase is found across the lines of a comment, the parts of a string and the lines of a notebook's cell, also after
// a large letter.
func TestPhrasesAreFound(t *testing.T) {
	for name, text := range map[string]string{
		"comment.go":     "// It Hangs\n// on what …",
		"string.go":      "x := \"it hangs \" +\n\t\t\"on what\"",
		"page.md":        "it hangs\non what",
		"notebook.ipynb": `{"cells":[{"source":["It\n","hangs\n","on"]}]}`,
	} {
		if got := prose(t, name, []byte(text)); !strings.Contains(got, "it hangs on") {
			t.Errorf("%s becomes %q", name, got)
		}
	}
}

var (
	parts    = regexp.MustCompile(`["` + "`" + `]\s*\+\s*["` + "`" + `]`) // of a string
	comments = regexp.MustCompile(`\n\s*(//|#)`)
	spaces   = regexp.MustCompile(`\s+`)
)

// prose is what a person reads of a file, on one line and in small letters.
func prose(t *testing.T, path string, data []byte) string {
	t.Helper()
	text := string(data)
	if filepath.Ext(path) == ".ipynb" {
		var notebook struct {
			Cells []struct{ Source []string }
		}
		if err := json.Unmarshal(data, &notebook); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		text = ""
		for _, cell := range notebook.Cells {
			text += strings.Join(cell.Source, "") + "\n"
		}
	}
	text = parts.ReplaceAllString(comments.ReplaceAllString(text, " "), "")
	return strings.ToLower(spaces.ReplaceAllString(text, " "))
}
