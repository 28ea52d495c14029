package record

import (
	"fmt"
	"maps"
	"slices"
)

// A promise holds the lines of a record against what its header promises, as they come. Writer and reader use the same
// one.
type promise struct {
	header   Header
	update   int            // of the last line
	last     map[string]int // update of each series' last point
	diverged map[int]int    // update at which a trial diverged
}

func newPromise(h Header) *promise {
	return &promise{header: h, last: map[string]int{}, diverged: map[int]int{}}
}

// next returns at which update a series' next point is due, or 0 if it has had all of its points.
func (p *promise) next(series string) int {
	every := p.header.Series[series]
	if series == Train {
		every = p.header.Window
	}
	last := p.last[series]
	if left := p.header.Updates - last; every <= left {
		return last + every
	} else if series == Train && left > 0 {
		return p.header.Updates // the last window is a shorter one
	}
	return 0
}

// point takes the record's next point. It must be the one that is due in its series, and not before another's.
func (p *promise) point(at Point) error {
	_, known := p.header.Series[at.Series]
	switch due := p.next(at.Series); {
	case !known && at.Series != Train:
		return fmt.Errorf("point of %q, a series that the header does not have", at.Series)
	case due == 0:
		return fmt.Errorf("point of %q at update %d after the last that is due", at.Series, at.Update)
	case at.Update != due:
		return fmt.Errorf("point of %q at update %d, but the next is due at %d", at.Series, at.Update, due)
	case at.Update < p.update:
		return fmt.Errorf("point of %q at update %d after one at update %d", at.Series, at.Update, p.update)
	case len(at.Vectors) > 0 && (len(at.Values) > 0 || at.Series == Train):
		return fmt.Errorf("vectors in the series %q, or values beside them", at.Series)
	case len(at.Vectors) > 0:
		if err := checkVectors(at.Vectors, len(p.header.Trials)); err != nil {
			return err
		}
	case len(at.Values) != len(p.header.Trials):
		return fmt.Errorf("%d values for %d trials", len(at.Values), len(p.header.Trials))
	}
	for trial, loss := range at.Values {
		if since, stopped := p.diverged[trial]; stopped && at.Series == Train && finite(loss) {
			return fmt.Errorf("a loss of trial %d at update %d, but its curve stops at update %d", trial,
				at.Update, since)
		}
	}
	p.update, p.last[at.Series] = at.Update, at.Update
	return nil
}

// diverge takes what the record says next of a trial that diverged. It must come before the point of its update.
func (p *promise) diverge(d Diverged) error {
	if d.Trial < 0 || d.Trial >= len(p.header.Trials) {
		return fmt.Errorf("trial %d of %d diverged", d.Trial, len(p.header.Trials))
	}
	if since, twice := p.diverged[d.Trial]; twice {
		return fmt.Errorf("trial %d diverged at update %d and at update %d", d.Trial, since, d.Update)
	}
	if d.Update <= p.last[Train] || d.Update < p.update || d.Update > p.header.Updates {
		return fmt.Errorf("trial %d diverged at update %d of %d, after what is said of update %d",
			d.Trial, d.Update, p.header.Updates, p.update)
	}
	if len(d.Norms) != 2 {
		return fmt.Errorf("trial %d diverged with %d norms, want 2", d.Trial, len(d.Norms))
	}
	p.update, p.diverged[d.Trial] = d.Update, d.Update
	return nil
}

// kept returns an error unless there is every point up to an update, and nothing after it.
func (p *promise) kept(update int) error {
	if p.update > update {
		return fmt.Errorf("has a line of update %d, after update %d", p.update, update)
	}
	for _, series := range append([]string{Train}, slices.Sorted(maps.Keys(p.header.Series))...) {
		if due := p.next(series); due > 0 && due <= update {
			return fmt.Errorf("lacks the point of %q at update %d", series, due)
		}
	}
	return nil
}
