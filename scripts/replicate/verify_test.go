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

// The first updates of our records are believed on every instruction set of this machine, as if it had not theirs. With
// two of their trials exchanged they are not. One record is chaotic: its rate is so high that rounding changes the
// first points by percents. Then the report says that sizes alone were compared.
func TestQuickRecordsOnEveryInstructionSet(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some seconds")
	}
	defer simd.UseInstructions(simd.Instructions())
	b, err := backend.New("simd")
	check.OK(t, err)
	defer b.Finalize()
	for name, forged := range map[string]run.Verdict{
		"beyond-safe/gru-adding.quick.t010":       run.Differs,
		"fig4/adding200.quick":                    run.Differs,
		"fig5/generalization.quick.chrono-tested": run.Differs,
		"beyond-plain/warp-rates.quick.rate-16":   run.PartlyChecked,
	} {
		ours, err := record.Read(filepath.Join("../..", plan.Committed, "warp", name+".jsonl"))
		check.OK(t, err)
		ours.Instructions = "another"
		exchanged := *ours
		exchanged.Points = nil
		for _, p := range ours.Points {
			p.Values = append(record.Values{}, p.Values...)
			last := len(p.Values) - 1
			p.Values[0], p.Values[last] = p.Values[last], p.Values[0]
			exchanged.Points = append(exchanged.Points, p)
		}
		for _, set := range []string{"portable", "avx2", "avx512", "neon"} {
			if !simd.UseInstructions(set) {
				continue
			}
			runner := run.Runner{Backend: b, Name: "simd"}
			v, err := runner.Verify(t.Context(), ours, plan.Figures(), 24)
			check.OK(t, err)
			if v.Verdict == run.Differs {
				t.Errorf("%s with %s: %+v", name, set, v)
			}
			v, err = runner.Verify(t.Context(), &exchanged, plan.Figures(), 24)
			check.OK(t, err)
			if v.Verdict != run.Differs && (v.Verdict != forged || v.Unchecked == nil) {
				t.Errorf("%s with %s and trials exchanged: %+v", name, set, v)
			}
		}
	}
}
