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
		"for it; median of %d.\n\n", o.rounds)
	cells := []string{"training update"}
	for _, c := range o.contenders {
		cells = append(cells, c.title)
	}
	ours := slices.IndexFunc(o.contenders, func(c contender) bool { return c.name == "simd" })
	if ours >= 0 {
		cells = append(cells, "speedup over the best other", "simd, GFLOP/s", "share of peak")
	}
	line(stdout, cells...)
	line(stdout, slices.Repeat([]string{"---"}, len(cells))...)

	versions := map[string]bool{"Go " + strings.TrimPrefix(runtime.Version(), "go"): true}
	var notes []string
	for _, w := range o.models {
		results := make([]result, len(o.contenders))
		for i, c := range o.contenders {
			results[i] = result{contender: c, ways: c.ways(w)}
		}
		for round := range o.rounds {
			for i := range results {
				said, err := results[i].time(ctx, o.seconds, func(what string) {
					fmt.Fprintf(stderr, "%s, round %d of %d: %s\n", w.name, round+1, o.rounds, what)
				})
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil {
					notes = append(notes, fmt.Sprintf("%s, %s: %v.", w.name, o.contenders[i].name, err))
				}
				versions[said] = true
			}
		}
		cells, best := []string{w.title}, math.Inf(1)
		for i, r := range results {
			ms, how := r.fastest()
			if i != ours {
				best = min(best, ms)
			}
			cells = append(cells, milliseconds(ms, how))
		}
		if ours >= 0 {
			ms, _ := results[ours].fastest()
			floor := w.products() / (peak * float64(runtime.NumCPU()) * 1e6)
			ratio := "–"
			if !math.IsInf(best/ms, 0) && !math.IsNaN(best/ms) {
				ratio = fmt.Sprintf("%.1f ×", best/ms)
			}
			share := "–"
			if peak > 0 {
				share = fmt.Sprintf("%.0f %%", 100*floor/ms)
			}
			cells = append(cells, ratio, fmt.Sprintf("%.0f", w.products()/(ms*1e6)), share)
		}
		line(stdout, cells...)
	}
	delete(versions, "")
	fmt.Fprintf(stdout, "\n%s.\n", strings.Join(slices.Sorted(maps.Keys(versions)), ", "))
	if ours >= 0 {
		fmt.Fprintln(stdout, "The share of peak is that of the matrix products, at the measured peak of all cores.")
	}
	for _, note := range notes {
		fmt.Fprintln(stdout, note)
	}
	return nil
}

// A result is what a contender took for a model, each way in every round.
type result struct {
	contender contender
	ways      []way
	times     [][]float64 // [way][round]
}

// time times one round of the ways that are worth it, and returns the contender's version. A way that fails is given
// up.
func (r *result) time(ctx context.Context, seconds float64, say func(string)) (version string, err error) {
	if r.times == nil {
		r.times = make([][]float64, len(r.ways))
	} else {
		best, _ := r.fastest()
		for i := len(r.ways) - 1; i >= 0; i-- {
			if len(r.times[i]) == 0 || claim.Median(r.times[i]) > hopeless*best {
				r.ways, r.times = slices.Delete(r.ways, i, i+1), slices.Delete(r.times, i, i+1)
			}
		}
	}
	for i, way := range r.ways {
		t, failed := r.contender.time(ctx, way, seconds)
		if ctx.Err() != nil {
			return version, ctx.Err()
		}
		if failed != nil {
			err = fmt.Errorf("%s: %w", way.name, failed)
			say(fmt.Sprintf("%s, %s: %v", r.contender.title, way.name, failed))
			continue
		}
		r.times[i] = append(r.times[i], t.MS)
		version = t.With
		first := ""
		if t.First > 0 {
			first = fmt.Sprintf(", the first %.0f", t.First)
		}
		say(fmt.Sprintf("%s, %s: %.1f ms%s", r.contender.title, way.name, t.MS, first))
	}
	return version, err
}

// fastest is the median of the fastest way, and its name; infinite if there is none.
func (r *result) fastest() (ms float64, how string) {
	ms = math.Inf(1)
	for i, times := range r.times {
		if len(times) > 0 && claim.Median(times) < ms {
			ms, how = claim.Median(times), r.ways[i].name
		}
	}
	return ms, how
}

// milliseconds writes a time to three digits.
func milliseconds(ms float64, how string) string {
	switch {
	case math.IsInf(ms, 1):
		return "–"
	case ms < 99.95:
		return fmt.Sprintf("%.1f (%s)", ms, how)
	}
	return fmt.Sprintf("%.0f (%s)", ms, how)
}

func line(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
