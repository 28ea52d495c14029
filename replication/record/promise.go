package record

import (
	"fmt"
	"maps"
	"slices"
)

// A promise holds the points of a record against what its header promises, as they come. Writer and reader use the same
// one.
type promise struct {
	header Header
	update int            // of the last point
	last   map[string]int // update of each series' last point
}

func newPromise(h Header) *promise { return &promise{header: h, last: map[string]int{}} }

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
	case len(at.Values) != len(p.header.Trials):
		return fmt.Errorf("%d values for %d trials", len(at.Values), len(p.header.Trials))
	}
	p.update, p.last[at.Series] = at.Update, at.Update
	return nil
}

// kept returns an error unless there is every point up to an update, and none after it.
func (p *promise) kept(update int) error {
	if p.update > update {
		return fmt.Errorf("has a point at update %d, after update %d", p.update, update)
	}
	for _, series := range append([]string{Train}, slices.Sorted(maps.Keys(p.header.Series))...) {
		if due := p.next(series); due > 0 && due <= update {
			return fmt.Errorf("lacks the point of %q at update %d", series, due)
		}
	}
	return nil
}
