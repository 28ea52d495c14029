package plan

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/warptime/warptime/chrono/backend/simd/internal/irtest"
)

// Check is plantest.Check, which imports this package.
var Check func(l *Layout) error

// Each file of testdata has graphs and their layouts, for one thread or several. With -rewrite they are written anew.
func TestLayouts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			threads := 1
			if d.HasArg("threads") {
				d.ScanArgs(t, "threads", &threads)
			}
			main := irtest.Parse(d.Input)
			units := Group(FindViews(main), main)
			layout := NewLayout(units, main, FindDivisions(units, main, threads, 0))
			if err := Check(layout); err != nil {
				return layout.String() + err.Error() + "\n"
			}
			return layout.String()
		})
	})
}
