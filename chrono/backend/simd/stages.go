package simd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/exec"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
	"github.com/warptime/warptime/chrono/backend/simd/internal/simplify"
)

// Dump is the environment variable SIMD_DUMP. All computations whose names contain its value are written to standard
// error, as they were recorded, and as they will run.
const Dump = "SIMD_DUMP"

// dumpTo is where that goes.
var dumpTo io.Writer = os.Stderr

// checkLayout, unless nil, is how tests check every layout.
var checkLayout func(l *plan.Layout) error

// stages are what a graph goes through. Each takes what the one before made.
func (b *builder) stages() *exec.Program {
	name := os.Getenv(Dump)
	dump := name != "" && strings.Contains(b.name, name)
	done := func(stage string, text fmt.Stringer) {
		if dump {
			fmt.Fprintf(dumpTo, "\n# %s: %s\n%v", b.name, stage, text)
		}
	}
	main := b.main.graph
	done("recorded", main)
	main, cleaned := simplify.Clean(main)
	main, fused := simplify.Fuse(main)
	// Before units: a view is none, and joins what it is read by with what it is a view of.
	views := plan.FindViews(main)
	// Before places: which values are read outside of their unit, and in which order units run.
	units := plan.Group(views, main)
	// Before places, too: where threads run apart, fewer values can share one.
	divisions := plan.FindDivisions(units, main, b.backend.threads, exec.ParallelWork)
	layout := plan.NewLayout(units, main, divisions)
	done(fmt.Sprint("layout, by ", cleaned, fused), layout)
	if checkLayout != nil {
		if err := checkLayout(layout); err != nil {
			panic(errors.WithMessagef(err, "internal error in %s", b.name))
		}
	}
	return exec.Lower(layout, b.backend.workers)
}
