package simd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/exec"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
	"github.com/warptime/warptime/chrono/backend/simd/internal/simplify"
)

// Dump is the environment variable SIMD_DUMP. The stages of all computations whose names contain its value are written
// to standard error.
const Dump = "SIMD_DUMP"

// dumpTo is where that goes.
var dumpTo io.Writer = os.Stderr

// checkStages makes every stage be checked, as tests have it. So does Dump, of what it dumps.
var checkStages = false

// A stages watches a graph on its way.
type stages struct {
	name        string
	dump, check bool
}

// done is called after a stage, with its text and its check, if there is one.
func (s stages) done(stage string, text fmt.Stringer, check func() error) {
	if s.dump {
		fmt.Fprintf(dumpTo, "\n# %s: %s\n%v", s.name, stage, text)
	}
	if s.check && check != nil {
		if err := check(); err != nil {
			panic(errors.WithMessagef(err, "internal error in %s, after %s", s.name, stage))
		}
	}
}

// stages are what a graph goes through. Each takes what the one before made, so that only the passes of package
// simplify, which make graphs of graphs, could stand in another order; they check theirs.
func (b *builder) stages() *exec.Program {
	name := os.Getenv(Dump)
	dump := name != "" && strings.Contains(b.name, name)
	s := stages{b.name, dump, dump || checkStages}
	main := b.main.graph
	s.done("recorded", main, nil) // values may still be used where they are not computed
	for _, p := range simplify.Passes {
		var applied map[string]int
		main, applied = p.Run(main)
		s.done(fmt.Sprint(p.Name, " ", applied), main, func() error { return ir.Check(main) })
	}
	// Before units: a view is none, and joins what it is read by with what it is a view of.
	views := plan.FindViews(main)
	// Before places: which values are read outside of their unit, and in which order units run.
	units := plan.Group(views, main)
	// Before places, too: where threads run apart, fewer values can share one.
	divisions := plan.FindDivisions(units, main, b.backend.threads, exec.ParallelWork)
	layout := plan.NewLayout(units, main, divisions)
	s.done("layout", layout, layout.Check)
	return exec.Lower(layout, b.backend.workers)
}
