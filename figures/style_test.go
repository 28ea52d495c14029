package figures

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// No arm has the style of the first two, which others are compared with.
func TestStylesAreApart(t *testing.T) {
	var places []int
	for n := range len(styles) + 7 {
		places = append(places, place(n))
	}
	check.Equal(t, places, []int{0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 2}, "places of styles")
}

// What there is of an arm at a larger scale has the arm's style, and is told apart.
func TestALargerScaleHasTheStyleOfItsArm(t *testing.T) {
	of := func(arm string, scale record.Scale) *record.Record {
		x, memoryless, best := 1., 1., 0.
		return &record.Record{
			Header: record.Header{
				Scale:  scale,
				Trials: []record.Trial{{Arm: arm, X: &x, Memoryless: &memoryless, Best: &best}},
			},
			End: &record.End{Final: map[string]record.Values{"loss": {0.5}}},
		}
	}
	p := Panel{styles: []string{"first", "second", "third"}}
	for _, arm := range p.styles {
		p.Arms = append(p.Arms, experiment.Arm{Name: arm, Label: arm})
		p.Records = append(p.Records, of(arm, record.Reduced))
	}
	for scale, says := range map[record.Scale]string{
		record.Paper: "third, paper's size", record.Reduced: "third, scale reduced",
	} {
		p.larger = []*record.Record{of("third", scale)}
		lines := Finals{Of: "loss"}.Chart("", p).(SweepChart).Lines
		for i, l := range lines[:3] {
			check.Equal(t, []any{l.Label, l.Style, l.Larger}, []any{p.styles[i], i, false}, "the smaller scale")
		}
		larger := lines[3]
		check.Equal(t, []any{len(lines), larger.Label, larger.Style, larger.Larger}, []any{4, says, 2, true},
			"the line of the larger scale")
		if larger.stroke().Width >= lines[2].stroke().Width || larger.glyph().Shape == lines[2].glyph().Shape {
			t.Errorf("the line of the larger scale is not told apart: %v, %v", larger.stroke(), larger.glyph())
		}
	}
}
