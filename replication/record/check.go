package record

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// check returns an error unless the record has every point that its header asks for up to an update, in the order of
// their updates, and nothing after it; and, if it has ended, results for each trial.
func (r *Record) check(update int) error {
	stopped := map[int]int{} // update at which a trial diverged
	at := 0
	for _, d := range r.Diverged {
		if _, twice := stopped[d.Trial]; twice || d.Trial < 0 || d.Trial >= len(r.Trials) || len(d.Norms) != 2 ||
			d.Update < max(at, 1) {
			return fmt.Errorf("trial %d of %d diverged at update %d, after one at %d, with %d norms: want each once, "+
				"in order, with 2", d.Trial, len(r.Trials), d.Update, at, len(d.Norms))
		}
		at, stopped[d.Trial] = d.Update, d.Update
	}
	for _, s := range r.Resumed {
		if s.Commit == "" {
			return errNoCommit
		}
		at = max(at, s.Update)
	}
	last, before := map[string]int{}, 0
	for _, p := range r.Points {
		if due := r.due(p.Series, last[p.Series]); p.Update != due || due == 0 || p.Update < before {
			return fmt.Errorf("point of %q at update %d after one at update %d; the next is due at %d (0: never)",
				p.Series, p.Update, before, due)
		}
		if err := r.checkPoint(p, stopped); err != nil {
			return fmt.Errorf("point of %q at update %d: %w", p.Series, p.Update, err)
		}
		before, last[p.Series] = p.Update, p.Update
	}
	if at = max(at, before); at > update {
		return fmt.Errorf("has a line of update %d, after update %d", at, update)
	}
	for _, series := range append([]string{Train}, slices.Sorted(maps.Keys(r.Header.Series))...) {
		if due := r.due(series, last[series]); due > 0 && due <= update {
			return fmt.Errorf("lacks the point of %q at update %d", series, due)
		}
	}
	if r.End != nil {
		return r.checkEnd()
	}
	return nil
}

// due returns at which update a series has its first point after another; 0 if it has none.
func (r *Record) due(series string, after int) int {
	every := r.Header.Series[series]
	if series == Train {
		every = r.Window
	}
	left := r.Updates - after
	if every > 0 && every <= left {
		return after + every
	} else if series == Train && left > 0 {
		return r.Updates // the last window is a shorter one
	}
	return 0
}

// checkPoint refuses a point that is not of each trial, and a training curve that has numbers after its trial diverged,
// or lacks them before.
func (r *Record) checkPoint(p Point, stopped map[int]int) error {
	if len(p.Vectors) > 0 {
		if len(p.Values) > 0 || p.Series == Train {
			return errors.New("vectors in the training curve, or values beside them")
		}
		return checkVectors(p.Vectors, len(r.Trials))
	}
	if len(p.Values) != len(r.Trials) {
		return fmt.Errorf("%d values for %d trials", len(p.Values), len(r.Trials))
	}
	for trial, loss := range p.Values {
		since, diverged := stopped[trial]
		if diverged = diverged && since <= p.Update; p.Series == Train && diverged == Finite(loss) {
			return fmt.Errorf("trial %d has the loss %g, and diverged by then: %t", trial, loss, diverged)
		}
	}
	return nil
}

// checkEnd refuses final results that are not one for each trial, vectors whose lengths differ between trials, and a
// final loss other than the last point of the series Train.
func (r *Record) checkEnd() error {
	e, trials := r.End, len(r.Trials)
	if e.Updates != r.Updates || !Finite(e.Seconds) || e.Seconds < 0 {
		return fmt.Errorf("ended after %d updates in %g seconds, want %d updates", e.Updates, e.Seconds, r.Updates)
	}
	for name, values := range e.Final {
		if len(values) != trials {
			return fmt.Errorf("final %q has %d values for %d trials", name, len(values), trials)
		}
	}
	for name, vectors := range e.Vectors {
		if err := checkVectors(vectors, trials); err != nil {
			return fmt.Errorf("final %q has %w", name, err)
		}
	}
	curve := r.Series(Train)
	if loss, ok := e.Final[Loss]; ok && !slices.EqualFunc(loss, curve[len(curve)-1].Values, same) {
		return fmt.Errorf("final %q is not the last point of the series %q", Loss, Train)
	}
	return nil
}

// checkVectors refuses vectors that are not one for each trial, or whose lengths differ.
func checkVectors(vectors []Values, trials int) error {
	if len(vectors) != trials {
		return fmt.Errorf("%d vectors for %d trials", len(vectors), trials)
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return fmt.Errorf("vectors of %d and of %d numbers", len(vectors[0]), len(v))
		}
	}
	return nil
}
