package papers_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// copyOf is a record whose results and points can be changed.
func copyOf(r *record.Record) *record.Record {
	c, end := *r, *r.End
	end.Final, end.Vectors = maps.Clone(end.Final), map[string][]record.Values{}
	maps.Copy(end.Vectors, r.End.Vectors)
	c.Points, c.End = slices.Clone(c.Points), &end
	return &c
}

// Records whose results are not those that their experiments measure are rejected with one line, whoever has sealed
// them: a result that is missing or unknown, a list of another length, and a list in place of a number or the reverse.
func TestForgedResultsAreRejected(t *testing.T) {
	seen := map[string]bool{} // results of a figure
	for _, r := range all() {
		n := len(r.Trials)
		lists := func(length int) []record.Values {
			return slices.Repeat([]record.Values{make(record.Values, length)}, n)
		}
		rejected := func(what string, change func(*record.Record)) {
			t.Helper()
			key := r.Paper + "/" + r.Figure + " " + what
			if seen[key] {
				return
			}
			seen[key] = true
			c := copyOf(r)
			change(c)
			_, err := experiment.Declared(papers.All.Trained(), c)
			check.Rejected(t, key, err, r.Path)
		}
		rejected("one result more", func(c *record.Record) { c.End.Final["more"] = make(record.Values, n) })
		rejected("one list more", func(c *record.Record) { c.End.Vectors["more"] = lists(3) })
		for name := range r.End.Final {
			rejected(name+" by another name", func(c *record.Record) {
				c.End.Final["more"] = c.End.Final[name]
				delete(c.End.Final, name)
			})
			rejected(name+" as a list", func(c *record.Record) {
				delete(c.End.Final, name)
				c.End.Vectors[name] = lists(1)
			})
		}
		for name, of := range r.End.Vectors {
			rejected(name+" missing", func(c *record.Record) { delete(c.End.Vectors, name) })
			rejected(name+" as one number", func(c *record.Record) {
				delete(c.End.Vectors, name)
				c.End.Final[name] = make(record.Values, n)
			})
			for _, length := range []int{0, len(of[0]) - 1, len(of[0]) + 1} {
				rejected(fmt.Sprint(name, " of length ", length), func(c *record.Record) {
					c.End.Vectors[name] = lists(length)
				})
			}
		}
		for i, p := range r.Points {
			if p.Series == record.Train {
				continue
			}
			rejected(p.Series+" of another kind", func(c *record.Record) {
				if at := &c.Points[i]; p.Vectors == nil {
					at.Values, at.Vectors = nil, lists(2)
				} else {
					at.Values, at.Vectors = make(record.Values, n), nil
				}
			})
			if p.Vectors != nil {
				rejected(p.Series+" of another length", func(c *record.Record) {
					c.Points[i].Vectors = lists(len(p.Vectors[0]) + 1)
				})
			}
		}
	}
}

// Whatever numbers records have, in all trials or in one, figures are drawn from them, on axes that have ends, and
// claims are judged.
func TestAnyNumbersAreDrawnAndJudged(t *testing.T) {
	for x, onlyLast := range map[float64]bool{
		math.NaN(): true, math.Inf(1): false, -math.MaxFloat64: false, 5e-324: false,
	} {
		var forged []*record.Record
		for _, r := range all() {
			c := copyOf(r)
			values := func(v record.Values) record.Values {
				changed := slices.Clone(v)
				for i := range changed {
					if !onlyLast || i == len(changed)-1 {
						changed[i] = x
					}
				}
				return changed
			}
			lists := func(lists []record.Values) (changed []record.Values) {
				for _, v := range lists {
					changed = append(changed, values(v))
				}
				return changed
			}
			for name, v := range c.End.Final {
				c.End.Final[name] = values(v)
			}
			for name, v := range c.End.Vectors {
				c.End.Vectors[name] = lists(v)
			}
			for i, p := range c.Points {
				c.Points[i].Values, c.Points[i].Vectors = values(p.Values), lists(p.Vectors)
			}
			forged = append(forged, c)
			charts, err := papers.All.PanelCharts(c)
			check.OK(t, err)
			for _, chart := range charts {
				if y := chart.Plot().Y; !record.Finite(y.Min) || !record.Finite(y.Max) {
					t.Errorf("%s of %g: an axis from %g to %g", c.Name(), x, y.Min, y.Max)
				}
			}
		}
		for _, page := range papers.All.Draw(forged) {
			_, err := page.SVG()
			check.OK(t, err)
		}
		claim.Judge(papers.All.Sets(), forged)
	}
}
