package scripts_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/warptime/warptime/"
	gomlx  = "github.com/gomlx/"
	train  = "github.com/gomlx/gomlx/ml/train"
	saving = "github.com/gomlx/gomlx/ml/model/checkpoint"
)

// What a package must not link, itself or through others. A name that ends with "/" stands for everything under it.
var forbidden = []struct {
	packages []string
	links    []string
}{
	{ // evidence and verdicts need no engine
		[]string{"replication/record", "replication/claim"},
		[]string{gomlx, module + "chrono/"},
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
		[]string{"replication/experiment", "replication/warp", "replication/contextual", "figures", "scripts/figures",
			"scripts/replicate/watch"},
		[]string{train, saving, module + "replication/run", module + "chrono/loader", module + "chrono/backend",
			module + "chrono/backend/"},
	}, { // the library knows no experiments
		[]string{"chrono", "chrono/scan", "chrono/cell", "chrono/task", "chrono/trial", "chrono/loader",
			"chrono/backend"},
		[]string{module + "replication/", module + "figures"},
	}, { // cells and trials do not choose how one trains
		[]string{"chrono", "chrono/scan", "chrono/cell", "chrono/trial"},
		[]string{train, saving, module + "chrono/backend", module + "chrono/backend/"},
	}, { // a declaration's parts know no figure of any paper
		[]string{"replication/experiment", "replication/run"},
		[]string{module + "replication/warp", module + "replication/contextual", module + "figures"},
	},
}

func TestDependencies(t *testing.T) {
	for _, rule := range forbidden {
		for _, name := range rule.packages {
			linked := dependencies(t, module+name)
			for _, link := range rule.links {
				if i := slices.IndexFunc(linked, func(path string) bool {
					return path == link || strings.HasSuffix(link, "/") && strings.HasPrefix(path, link)
				}); i >= 0 {
					t.Errorf("%s links %s", name, linked[i])
				}
			}
		}
	}
}

// dependencies lists every package that a package links.
func dependencies(t *testing.T, path string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", path).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", path, err)
	}
	return strings.Fields(string(out))
}
