package scripts_test

import (
	"go/parser"
	"go/token"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

const (
	module = "github.com/warptime/warptime/"
	gomlx  = "github.com/gomlx/"
	train  = "github.com/gomlx/gomlx/ml/train"
	saving = "github.com/gomlx/gomlx/ml/model/checkpoint"
)

// eachPaper stands for the packages that replication/papers/papers.go lists, each of which declares one paper.
const eachPaper = "each paper"

// What a package must not link, itself or through others. A name that ends with "/" stands for everything under it.
var forbidden = []struct {
	packages []string
	links    []string
}{
	{ // evidence and verdicts need no engine
		[]string{"replication/record", "replication/claim"},
		[]string{gomlx, module + "chrono/", module + "figures"},
	}, { // synthetic sequences are drawn by the standard library
		[]string{"chrono/task"},
		[]string{gomlx},
	}, { // data are files and bytes
		[]string{"chrono/dataset"},
		[]string{gomlx, module + "replication/", module + "figures"},
	}, { // and who downloads them knows no experiment, but the lock that records have
		[]string{"scripts/data"},
		[]string{gomlx, module + "replication/record", module + "replication/experiment", module + "figures"},
	}, { // declaring, drawing and judging train nothing
		[]string{"replication/experiment", "figures", eachPaper, "scripts/figures", "scripts/replicate/watch"},
		[]string{train, saving, module + "replication/run", module + "chrono/loader", module + "chrono/backend",
			module + "chrono/backend/"},
	}, { // the library knows no experiments
		[]string{"chrono", "chrono/scan", "chrono/cell", "chrono/task", "chrono/trial", "chrono/loader",
			"chrono/weights", "chrono/backend"},
		[]string{module + "replication/", module + "figures"},
	}, { // cells and trials do not choose how one trains
		[]string{"chrono", "chrono/scan", "chrono/cell", "chrono/trial", "chrono/weights"},
		[]string{train, saving, module + "chrono/backend", module + "chrono/backend/"},
	}, { // a declaration's parts know no figure of any paper
		[]string{"replication/experiment", "replication/run"},
		[]string{eachPaper, module + "figures"},
	}, { // the drawing kit knows no paper, and no paper knows another, or the list of all
		[]string{"figures", eachPaper},
		[]string{eachPaper, module + "replication/papers"},
	},
}

func TestDependencies(t *testing.T) {
	var each []string
	file, err := parser.ParseFile(token.NewFileSet(), "../replication/papers/papers.go", nil, parser.ImportsOnly)
	check.OK(t, err)
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value) // the parser has checked it
		if name := strings.TrimPrefix(path, module); strings.HasPrefix(name, "replication/") {
			each = append(each, name)
		}
	}
	check.Must(t, len(each) >= 2, "papers are %q", each)
	expand := func(names []string, before string) (all []string) {
		for _, name := range names {
			if name != eachPaper {
				all = append(all, name)
				continue
			}
			for _, paper := range each {
				all = append(all, before+paper)
			}
		}
		return all
	}
	for _, rule := range forbidden {
		for _, name := range expand(rule.packages, "") {
			out := check.Got(exec.Command("go", "list", "-f", `{{join .Deps "\n"}}`, module+name).Output())(t)
			linked := strings.Fields(string(out))
			for _, link := range expand(rule.links, module) {
				if i := slices.IndexFunc(linked, func(path string) bool {
					return path == link || strings.HasSuffix(link, "/") && strings.HasPrefix(path, link)
				}); i >= 0 {
					t.Errorf("%s links %s", name, linked[i])
				}
			}
		}
	}
}
