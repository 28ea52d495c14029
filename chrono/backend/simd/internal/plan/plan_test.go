package plan

import (
	"math/rand/v2"
	"slices"
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

// Every slot is at the lowest offset that is free all the time that it is in use, large ones first.
func TestPackFindsLowestOffsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		units := 1 + rng.IntN(40)
		var slots []*Slot
		for range rng.IntN(60) {
			first := rng.IntN(units)
			slots = append(slots, &Slot{Size: 8 * rng.IntN(6), first: first, last: first + rng.IntN(units-first)})
		}
		total := pack(slots)
		slices.SortStableFunc(slots, func(a, b *Slot) int { return b.Size - a.Size })
		end := 0
		for i, s := range slots {
			free := func(off int) bool {
				return !slices.ContainsFunc(slots[:i], func(o *Slot) bool {
					return o.first <= s.last && s.first <= o.last && o.off < off+s.Size && off < o.off+o.Size
				})
			}
			lowest := 0
			for !free(lowest) {
				lowest += 8
			}
			if s.off != lowest {
				t.Fatalf("slot %d of %d bytes, in use from %d to %d, is at %d, want %d", i, s.Size, s.first, s.last,
					s.off, lowest)
			}
			end = max(end, s.off+s.Size)
		}
		if total != end {
			t.Fatalf("%d bytes, want %d", total, end)
		}
	}
}
