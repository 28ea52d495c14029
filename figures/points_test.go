package figures

import (
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// What a reader points at, and what stands in the CSV, are the numbers of the lines that are drawn, on axes of either
// kind; what the frame cuts off cannot be pointed at.
func TestPoints(t *testing.T) {
	lines := []Line{{Label: "a", X: []float64{1, 10, 100}, Y: ranges(0.5, 0.05, 70)}}
	page := Page{width: figureWidth, height: 150, Caption: "A caption.", rows: [][]tile{
		{{title: "(a) lines", chart: CurveChart{X: "updates", Y: "loss", Lines: lines, End: 100, High: 1}}},
		{{title: "(b) times", chart: TimesChart{X: "T", Y: "updates", Lines: lines, End: 100}}},
		{{title: "(c) not run"}},
		{{title: "(d) series", chart: TrajectoryChart{X: "t", Y: "x", Truth: []float64{1, 2, 1}, High: 4,
			Samples: [][]float64{{1, 1, 1}, {1, 3, 1}}}}},
	}}
	points, err := page.CSV()
	check.OK(t, err)
	rows := strings.Split(strings.TrimSpace(string(points)), "\n")
	if len(rows) != 13 || !strings.HasPrefix(rows[2], "(a) lines,a,updates,loss,10,0.05,") {
		t.Errorf("CSV:\n%s", points)
	}
	svg, err := page.Inline()
	check.OK(t, err)
	text := string(svg)
	if strings.Contains(text, "A caption") || !strings.HasPrefix(text, "<svg") {
		t.Errorf("not a picture without its caption: %s", text[:200])
	}
	check.Equal(t, strings.Count(text, "<circle"), 11, "points, 2, 3 and 6")
	for says, n := range map[string]int{"; updates: 10<": 1, "; updates: 100<": 0, "; T: 100<": 1, ">a: 0.05": 2,
		">mean of the generated series: 2 [1, 3]; t: 1<": 1} {
		check.Equal(t, strings.Count(text, says), n, "how often %q is said", says)
	}
	plain, err := page.SVG()
	check.OK(t, err)
	if strings.Contains(string(plain), "<circle") {
		t.Error("the committed SVG has points, too")
	}
	narrow, err := page.Narrow()
	check.OK(t, err)
	check.Equal(t, strings.Count(string(narrow), "<circle"), 11, "points of the charts below each other")
	hover, err := page.Hover()
	check.OK(t, err)
	check.Contains(t, string(hover), "<?xml", "A caption", "<title>a: 0.05 [0.04, 0.06]; updates: 10</title>")
}
