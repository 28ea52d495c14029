package main

import (
	"path/filepath"
	"testing"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/run"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// The first updates of our records are believed on every instruction set of this machine, as if it had not theirs. One
// is chaotic: its rate is so high that rounding changes the first points by percents.
func TestQuickRecordsOnEveryInstructionSet(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some seconds")
	}
	defer simd.UseInstructions(simd.Instructions())
	b, err := backend.New("simd")
	check.OK(t, err)
	defer b.Finalize()
	for _, name := range []string{"fig4/adding200.quick", "beyond-plain/warp-rates.quick.rate-16"} {
		ours, err := record.Read(filepath.Join("../..", plan.Committed, "warp", name+".jsonl"))
		check.OK(t, err)
		ours.Instructions = "another"
		for _, set := range []string{"portable", "avx2", "avx512", "neon"} {
			if !simd.UseInstructions(set) {
				continue
			}
			v, err := run.Runner{Backend: b, Name: "simd"}.Verify(t.Context(), ours, plan.Figures(), 24)
			check.OK(t, err)
			if v.Verdict == run.Differs {
				t.Errorf("%s with %s: %+v", name, set, v)
			}
		}
	}
}
