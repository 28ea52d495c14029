package figures

import (
	"regexp"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// What a reader points at, and what stands in the CSV, are the numbers of the lines that are drawn, on axes of either
// kind; what the frame cuts off cannot be pointed at.
func TestPoints(t *testing.T) {
	lines := []Line{{Label: "a", X: []float64{1, 10, 100}, Trials: ranges(0.5, 0.05, 70)}}
	page := Page{Figure: Figure{Caption: "A caption.", Layout: Layout{Height: 150}}, width: figureWidth, rows: [][]tile{
		{{Chart: Chart{Title: "(a) lines", X: "updates", Y: "loss", Lines: lines, End: 100, High: 1}}},
		{{Chart: Chart{Title: "(b) times", X: "T", Y: "updates", Lines: lines, Points: true, Waited: 100}}},
		{{Chart: Chart{Title: "(c) not run", Drawing: notRun{}}}},
	}}
	points := check.Got(page.CSV())(t)
	rows := strings.Split(strings.TrimSpace(string(points)), "\n")
	check.That(t, len(rows) == 7 && strings.HasPrefix(rows[2], "(a) lines,a,updates,loss,10,0.05,"), "CSV:\n%s", points)
	svg := check.Got(page.Inline())(t)
	text := string(svg)
	check.That(t, !strings.Contains(text, "A caption") && strings.HasPrefix(text, "<svg"),
		"not a picture without its caption: %s", text[:200])
	check.Equal(t, strings.Count(text, "<circle"), 5, "points, 2 and 3")
	for says, n := range map[string]int{"; updates: 10<": 1, "; updates: 100<": 0, "; T: 100<": 1, ">a: 0.05": 2} {
		check.Equal(t, strings.Count(text, says), n, "how often %q is said", says)
	}
	plain := check.Got(page.SVG())(t)
	check.That(t, !strings.Contains(string(plain), "<circle"), "the committed SVG has points, too")
	narrow := check.Got(page.Narrow())(t)
	check.Equal(t, strings.Count(string(narrow), "<circle"), 5, "points of the charts below each other")
	check.Contains(t, text, "<title>a: 0.05 [0.04, 0.06]; updates: 10</title>")
}

// Where marks of several lines at one place stand side by side, so do the places that a reader points at.
func TestSpotsAreAtTheirMarks(t *testing.T) {
	c := Chart{Points: true}
	for i, label := range []string{"a", "b", "c"} {
		c.Lines = append(c.Lines, line(label, i, []float64{1, 2}, ranges(50, 60)))
	}
	page := Page{Figure: Figure{Layout: Layout{Height: 150}}, width: figureWidth, rows: [][]tile{{{Chart: c}}}}
	svg := check.Got(page.Inline())(t)
	places := map[string]bool{}
	for _, m := range regexp.MustCompile(`<circle cx="([^"]+)"`).FindAllStringSubmatch(string(svg), -1) {
		places[m[1]] = true
	}
	check.Equal(t, len(places), 6, "places of three lines at two x")
}

// Below each other, as on a phone, each chart has labels of its own.
func TestNarrow(t *testing.T) {
	one := Chart{X: "x", Y: "y", End: 1, High: 1}
	page := Page{Figure: Figure{Layout: Layout{Height: 150}}, rows: [][]tile{{{Chart: one}, {Chart: one}}}}
	check.Equal(t, strings.Count(string(check.Got(page.Narrow())(t)), ">x<"), 2, "labels")
}
