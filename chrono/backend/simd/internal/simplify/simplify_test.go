package simplify

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/irtest"
	"github.com/warptime/warptime/internal/check"
)

// Each file of testdata has graphs before and after: "clean" is the first pass alone, "simplify" both. What stands
// below a graph are the rules and fusions that applied. With -rewrite the results are written anew.
func TestRules(t *testing.T) {
	applied := make(map[string]bool)
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			fn := irtest.Parse(d.Input)
			var out strings.Builder
			for _, pass := range []struct {
				name string
				run  func(*ir.Function) (*ir.Function, map[string]int)
			}{{"clean", Clean}, {"fuse", Fuse}} {
				var rules map[string]int
				fn, rules = pass.run(fn)
				for _, name := range slices.Sorted(maps.Keys(rules)) {
					applied[name] = true
					fmt.Fprintf(&out, "# %s: %s\n", pass.name, name)
				}
				if d.Cmd == "clean" {
					break
				}
			}
			return fn.String() + out.String()
		})
	})
	for _, name := range names() {
		check.That(t, applied[name], "no graph of testdata shows what the rule %q does", name)
	}
}

// names are those of all rules and fusions.
func names() (list []string) {
	list = append(list, foldRule.name)
	for _, of := range rules {
		for _, r := range of {
			list = append(list, r.name)
		}
	}
	for _, of := range fusions {
		for _, f := range of {
			list = append(list, f.name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
