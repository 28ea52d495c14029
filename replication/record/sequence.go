package record

import (
	"fmt"
	"maps"
	"slices"
)

// A sequence checks that the lines of a record are those that its header asks for, in their order. Writer and reader
// use the same one.
type sequence struct {
	header   Header
	update   int            // of the last line
	last     map[string]int // update of each series' last point
	diverged map[int]int    // update at which a trial diverged
}

func newSequence(h Header) *sequence {
	return &sequence{header: h, last: map[string]int{}, diverged: map[int]int{}}
}

// next returns at which update a series' next point is due, or 0 if it has had all of its points.
func (s *sequence) next(series string) int {
	every := s.header.Series[series]
	if series == Train {
		every = s.header.Window
	}
	last := s.last[series]
	if left := s.header.Updates - last; every <= left {
		return last + every
	} else if series == Train && left > 0 {
		return s.header.Updates // the last window is a shorter one
	}
	return 0
}

// point takes the record's next point. It must be the one that is due in its series, and not before another's.
func (s *sequence) point(at Point) error {
	_, known := s.header.Series[at.Series]
	switch due := s.next(at.Series); {
	case !known && at.Series != Train:
		return fmt.Errorf("point of %q, a series that the header does not have", at.Series)
	case due == 0:
		return fmt.Errorf("point of %q at update %d after the last that is due", at.Series, at.Update)
	case at.Update != due:
		return fmt.Errorf("point of %q at update %d, but the next is due at %d", at.Series, at.Update, due)
	case at.Update < s.update:
		return fmt.Errorf("point of %q at update %d after one at update %d", at.Series, at.Update, s.update)
	case len(at.Vectors) > 0 && (len(at.Values) > 0 || at.Series == Train):
		return fmt.Errorf("vectors in the series %q, or values beside them", at.Series)
	case len(at.Vectors) > 0:
		if err := checkVectors(at.Vectors, len(s.header.Trials)); err != nil {
			return err
		}
	case len(at.Values) != len(s.header.Trials):
		return fmt.Errorf("%d values for %d trials", len(at.Values), len(s.header.Trials))
	}
	for trial, loss := range at.Values {
		since, stopped := s.diverged[trial]
		switch {
		case at.Series != Train:
		case stopped && Finite(loss):
			return fmt.Errorf("a loss of trial %d at update %d, but its curve stops at update %d", trial,
				at.Update, since)
		case !stopped && !Finite(loss):
			return fmt.Errorf("loss %g of trial %d at update %d, but no line says that it diverged", loss, trial,
				at.Update)
		}
	}
	s.update, s.last[at.Series] = at.Update, at.Update
	return nil
}

// diverge takes what the record says next of a trial that diverged. It must come before the point of its update.
func (s *sequence) diverge(d Diverged) error {
	if d.Trial < 0 || d.Trial >= len(s.header.Trials) {
		return fmt.Errorf("trial %d of %d diverged", d.Trial, len(s.header.Trials))
	}
	if since, twice := s.diverged[d.Trial]; twice {
		return fmt.Errorf("trial %d diverged at update %d and at update %d", d.Trial, since, d.Update)
	}
	if d.Update <= s.last[Train] || d.Update < s.update || d.Update > s.header.Updates {
		return fmt.Errorf("trial %d diverged at update %d of %d, after what is said of update %d",
			d.Trial, d.Update, s.header.Updates, s.update)
	}
	if len(d.Norms) != 2 {
		return fmt.Errorf("trial %d diverged with %d norms, want 2", d.Trial, len(d.Norms))
	}
	s.update, s.diverged[d.Trial] = d.Update, d.Update
	return nil
}

// complete returns an error unless there is every point up to an update, and nothing after it.
func (s *sequence) complete(update int) error {
	if s.update > update {
		return fmt.Errorf("has a line of update %d, after update %d", s.update, update)
	}
	for _, series := range append([]string{Train}, slices.Sorted(maps.Keys(s.header.Series))...) {
		if due := s.next(series); due > 0 && due <= update {
			return fmt.Errorf("lacks the point of %q at update %d", series, due)
		}
	}
	return nil
}
