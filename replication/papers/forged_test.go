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
	end.Final, end.Vectors = maps.Clone(end.Final), maps.Clone(end.Vectors)
	c.Points, c.End = slices.Clone(c.Points), &end
	return &c
}

// resized are lists of other lengths.
func resized(lists []record.Values, n int) []record.Values {
	var all []record.Values
	for _, list := range lists {
		all = append(all, slices.Repeat(append(slices.Clone(list), 1), n)[:n])
	}
	return all
}

// Records whose results are not those that their experiments measure are rejected with one line, whoever has sealed
// them: every result missing or there twice, every list of another length, or in place of a number.
func TestForgedResultsAreRejected(t *testing.T) {
	records, err := record.ReadAll("../records")
	check.OK(t, err)
	forgeries := 0
	seen := map[string]bool{} // results of a figure
	for _, r := range records {
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
			forgeries++
		}
		rejected("one result more", func(c *record.Record) { c.End.Final["more"] = c.End.Final[record.Loss] })
		rejected("one list more", func(c *record.Record) {
			c.End.Vectors = map[string][]record.Values{"more": resized(make([]record.Values, len(r.Trials)), 3)}
			maps.Copy(c.End.Vectors, r.End.Vectors)
		})
		for name, values := range r.End.Final {
			rejected(name+" missing", func(c *record.Record) { delete(c.End.Final, name) })
			for n := range 4 {
				rejected(fmt.Sprintf("%s with %d numbers", name, n), func(c *record.Record) {
					delete(c.End.Final, name)
					c.End.Vectors = map[string][]record.Values{name: resized(make([]record.Values, len(values)), n)}
					maps.Copy(c.End.Vectors, r.End.Vectors)
				})
			}
		}
		for name, lists := range r.End.Vectors {
			rejected(name+" missing", func(c *record.Record) { delete(c.End.Vectors, name) })
			rejected(name+" as one number", func(c *record.Record) {
				delete(c.End.Vectors, name)
				c.End.Final[name] = c.End.Final[record.Loss]
			})
			for _, n := range []int{0, 1, len(lists[0]) - 1, len(lists[0]) + 1, 2 * len(lists[0])} {
				rejected(fmt.Sprintf("%s with %d numbers", name, n), func(c *record.Record) {
					c.End.Vectors[name] = resized(lists, n)
				})
			}
		}
		for i, p := range r.Points {
			if p.Series == record.Train || i != len(r.Points)-1 && i > 20 { // one of each series is enough
				continue
			}
			if p.Vectors == nil {
				rejected(p.Series+" as lists", func(c *record.Record) {
					c.Points[i].Values, c.Points[i].Vectors = nil, resized(make([]record.Values, len(r.Trials)), 2)
				})
				continue
			}
			rejected(p.Series+" as one number", func(c *record.Record) {
				c.Points[i].Vectors, c.Points[i].Values = nil, c.End.Final[record.Loss]
			})
			for _, n := range []int{0, 1, len(p.Vectors[0]) - 1, len(p.Vectors[0]) + 1} {
				rejected(fmt.Sprintf("%s with %d numbers", p.Series, n), func(c *record.Record) {
					c.Points[i].Vectors = resized(p.Vectors, n)
				})
			}
		}
	}
	if forgeries < 500 {
		t.Errorf("%d forgeries, want every result of every figure", forgeries)
	}
}

// Whatever numbers records have, figures are drawn and claims judged from them without a panic.
func TestAnyNumbersAreDrawnAndJudged(t *testing.T) {
	records, err := record.ReadAll("../records")
	check.OK(t, err)
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 0, 5e-324} {
		values := func(v record.Values) record.Values {
			if v == nil {
				return nil
			}
			return slices.Repeat(record.Values{x}, len(v))
		}
		lists := func(lists []record.Values) (all []record.Values) {
			for _, v := range lists {
				all = append(all, values(v))
			}
			return all
		}
		var forged []*record.Record
		for _, r := range records {
			c := copyOf(r)
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
		}
		for _, page := range papers.All.Draw(forged) {
			_, err := page.SVG()
			check.OK(t, err)
		}
		claim.Judge(papers.All.Sets(), forged)
	}
}
