package papers_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// A record whose results are not those that its experiment measures is rejected with one line, whoever has sealed it: a
// result that is missing or unknown, a list of another length, and a list in place of a number or the reverse.
func TestForgedResultsAreRejected(t *testing.T) {
	const trials, numbers = 3, 25 // of each list truth@…; samples@… have ten times as many
	lists := func(n int) []record.Values {
		return slices.Repeat([]record.Values{make(record.Values, n)}, trials)
	}
	truth := func(n int) func(*record.Record) {
		return func(r *record.Record) { r.End.Vectors["truth@2"] = lists(n) }
	}
	point := func(series string, change func(*record.Point)) func(*record.Record) {
		return func(r *record.Record) {
			i := slices.IndexFunc(r.Points, func(p record.Point) bool { return p.Series == series })
			change(&r.Points[i])
		}
	}
	for what, change := range map[string]func(*record.Record){
		"a result more": func(r *record.Record) { r.End.Final["more"] = make(record.Values, trials) },
		"a list more":   func(r *record.Record) { r.End.Vectors["more"] = lists(numbers) },
		"a result by another name": func(r *record.Record) {
			r.End.Final["more"] = r.End.Final["fresh_error"]
			delete(r.End.Final, "fresh_error")
		},
		"a result as a list": func(r *record.Record) {
			delete(r.End.Final, "fresh_error")
			r.End.Vectors["fresh_error"] = lists(1)
		},
		"a list less": func(r *record.Record) { delete(r.End.Vectors, "truth@2") },
		"a list as a result": func(r *record.Record) {
			delete(r.End.Vectors, "truth@2")
			r.End.Final["truth@2"] = make(record.Values, trials)
		},
		"empty lists": truth(0), "shorter lists": truth(numbers - 1), "longer lists": truth(numbers + 1),
		"a point of lists": point("deviation", func(p *record.Point) { p.Values, p.Vectors = nil, lists(2) }),
		"a point of numbers": point("samples@1", func(p *record.Point) {
			p.Values, p.Vectors = make(record.Values, trials), nil
		}),
		"a point of longer lists": point("samples@1", func(p *record.Point) { p.Vectors = lists(10*numbers + 1) }),
	} {
		r := made("context/fig6", record.Quick)[0] // which has results and series of numbers and of lists
		change(r)
		_, err := experiment.Declared(papers.All.Trained(), r)
		check.Rejected(t, what, err, r.Path)
	}
}

// Runs of one panel are of one seed: trials of one number are compared in pairs.
func TestSeedsOfOnePanel(t *testing.T) {
	records := made("warp/fig4", record.Paper, "adding750")
	check.OK(t, experiment.CheckDeclared(papers.All.Trained(), records))
	tasks := check.Got(warp.Fig4.Tasks(experiment.Options{Scale: record.Paper, Panel: "adding750", Seed: 2}))(t)
	for _, task := range tasks {
		if task.Part == records[1].Part {
			records[1].Header = task.Header("go")
		}
	}
	check.OK(t, experiment.CheckDeclared(papers.All.Trained(), records[1:2]))
	check.Rejected(t, "runs of two seeds", experiment.CheckDeclared(papers.All.Trained(), records), records[1].Path)
}

// A sweep of which a value is missing decides nothing, and neither do some of a panel's trials.
func TestWholeSweeps(t *testing.T) {
	records := made("warp/beyond-safe", record.Reduced, "lstm-adding", "lstm-copy")
	for missing, notRun := range map[string]bool{"": false, "t100": true, "t200": true, "t200-2": true} {
		there := slices.DeleteFunc(slices.Clone(records), func(r *record.Record) bool {
			return r.Panel == "lstm-adding" && (r.Part == missing || strings.TrimSuffix(r.Part, "-2") == missing)
		})
		for _, j := range check.Got(papers.Judge("records", there))(t) {
			if j.ID == "warp/text.forget-bias-1-2" {
				answer := j.Decided().Answer
				check.Equal(t, answer == claim.NotRun, notRun, "without %q: %v", missing, answer)
			}
		}
	}
}

// A record whose place others have taken counts beside them, for a condition that asks for it, however the directory is
// named; in their place it decides nothing.
func TestSuperseded(t *testing.T) {
	records := made("warp/fig6", record.Reduced, "mnist")
	link := filepath.Join(t.TempDir(), "link")
	check.OK(t, os.Symlink(check.Got(filepath.Abs("../records"))(t), link))
	t.Chdir("../records")
	for _, dir := range []string{"../records", ".", link} {
		for _, missing := range []string{"", "chrono"} {
			there := slices.DeleteFunc(slices.Clone(records), func(r *record.Record) bool { return r.Part == missing })
			for _, j := range check.Got(papers.Judge(dir, there))(t) {
				asked := slices.ContainsFunc(j.Rows, func(r claim.Row) bool {
					return slices.Contains(r.Names, "rate 1e-3, five epochs")
				})
				if j.ID == "warp/fig6.mnist.best-is-chrono" {
					judged := j.Smaller.Answer != claim.NotRun && asked
					check.Equal(t, judged, missing == "", "%s without %q", dir, missing)
				}
			}
		}
	}
}

// Longer runs of a panel count, and are drawn, once all of them are there.
func TestTogether(t *testing.T) {
	shorter := slices.DeleteFunc(made("warp/fig3", record.Paper, "copy500-normal"), func(r *record.Record) bool {
		return r.Part != "" // a longer run
	})
	records := shorter
	for k, trial := range shorter[0].Trials {
		for _, together := range [][]*record.Record{
			experiment.Together(papers.All.Trained(), records), warp.Fig3.Shown(records, "copy500-normal"),
		} {
			check.Equal(t, len(together), 1, "with %d of %d longer runs", k, len(shorter[0].Trials))
		}
		longer := copyOf(shorter[0])
		longer.Updates, longer.Trials = 90_000, []record.Trial{trial}
		records = append(records, longer)
	}
	check.Equal(t, len(experiment.Together(papers.All.Trained(), records)), 7, "with all longer runs")
	adding := made("warp/fig4", record.Paper, "adding750") // one network is declared to train for longer
	check.Equal(t, len(experiment.Together(papers.All.Trained(), adding)), len(adding), "adding")
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
			for _, chart := range check.Got(papers.All.PanelCharts(c))(t) {
				if y := chart.Plot().Y; !record.Finite(y.Min) || !record.Finite(y.Max) {
					t.Errorf("%s of %g: an axis from %g to %g", c.Name(), x, y.Min, y.Max)
				}
			}
		}
		for _, page := range papers.All.Draw(forged, false) {
			check.Got(page.SVG())(t)
		}
		claim.Judge(papers.All.Sets(), forged)
	}
}
