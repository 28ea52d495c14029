package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/run"
)

// A way that takes this many times as long as the contender's fastest, in the first round, is not timed again.
const hopeless = 1.5

// table times the contenders in turn and prints the table, each row as soon as it is complete.
func (o options) table(ctx context.Context, stdout, stderr io.Writer) error {
	peak := simd.PeakGFLOPS(time.Second)
	fmt.Fprintf(stdout, "%s; %s, %d cores, %s, measured peak %.0f GFLOP/s on a core; commit %s.\n",
		time.Now().Format(time.DateOnly), run.CPU(), runtime.NumCPU(), strings.ToUpper(simd.Instructions()),
		peak, run.Commit())
	fmt.Fprintf(stdout, "Milliseconds for a whole training update: each contender in turn, the way that is fastest "+
		"for it; median of %d. The share of peak is that of the matrix products, at the peak of all cores.\n\n", o.rounds)
	cells := []string{"training update"}
	for _, c := range o.contenders {
		cells = append(cells, c.title)
	}
	cells = append(cells, "speedup over the best other", "simd, GFLOP/s", "share of peak")
	line(stdout, cells...)
	line(stdout, slices.Repeat([]string{"---"}, len(cells))...)
	versions := map[string]bool{"Go " + strings.TrimPrefix(runtime.Version(), "go"): true}
	for _, w := range o.models {
		all := make([][]way, len(o.contenders))
		for i, c := range o.contenders {
			all[i] = c.ways(w)
		}
		for round := range o.rounds {
			for i, ways := range all {
				if err := o.round(ctx, w, o.contenders[i], ways, round, versions, stderr); err != nil {
					return err
				}
			}
		}
		cells, best, ours := []string{w.title}, math.Inf(1), math.Inf(1)
		for i, ways := range all {
			ms, how := fastest(ways)
			if o.contenders[i].name == simd.Name {
				ours = ms
			} else {
				best = min(best, ms)
			}
			cells = append(cells, milliseconds(ms, how))
		}
		floor := w.products() / (peak * float64(runtime.NumCPU()) * 1e6)
		line(stdout, append(cells, finite("%.1f ×", best/ours), finite("%.0f", w.products()/(ours*1e6)),
			finite("%.0f %%", 100*floor/ours))...)
	}
	_, err := fmt.Fprintf(stdout, "\n%s.\n", strings.Join(slices.Sorted(maps.Keys(versions)), ", "))
	return err
}

// round times a round of the ways that are worth it. One that fails is reported, and given up.
func (o options) round(ctx context.Context, w workload, c contender, ways []way, round int, versions map[string]bool,
	stderr io.Writer) error {
	best, _ := fastest(ways)
	for i, way := range ways {
		if round > 0 && (len(way.times) == 0 || claim.Median(way.times) > hopeless*best) {
			continue
		}
		t, err := c.time(ctx, way, o.seconds)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			ways[i].times = nil
			fmt.Fprintf(stderr, "%s: %s, %s: %v\n", w.name, c.title, way.name, err)
			continue
		}
		ways[i].times = append(way.times, t.MS)
		if t.With != "" {
			versions[t.With] = true
		}
		fmt.Fprintf(stderr, "%s, round %d of %d: %s, %s: %.1f ms, the first %.0f\n", w.name, round+1, o.rounds, c.title,
			way.name, t.MS, t.First)
	}
	return nil
}

// finite writes a number that is one and was measured.
func finite(format string, x float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf(format, x)
}

// milliseconds writes a time to three digits.
func milliseconds(ms float64, how string) string {
	digits := 0
	if ms < 99.95 {
		digits = 1
	}
	return finite(fmt.Sprintf("%%.%df (%s)", digits, how), ms)
}

func line(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
