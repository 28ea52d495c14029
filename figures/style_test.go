package figures

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// No arm has the style of the first two, which others are compared with; and arms at two scales differ while there are
// styles left.
func TestStylesAreApart(t *testing.T) {
	var places []int
	for n := range len(styles) + 7 {
		places = append(places, place(n))
	}
	check.Equal(t, places, []int{0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 2}, "places of styles")

	var p Panel
	of := func(arm string) *record.Record {
		x, memoryless, best := 1., 1., 0.
		return &record.Record{
			Header: record.Header{
				Scale:  record.Paper,
				Trials: []record.Trial{{Arm: arm, X: &x, Memoryless: &memoryless, Best: &best}},
			},
			End: &record.End{Final: map[string]record.Values{"loss": {0.5}}},
		}
	}
	for n := range styles {
		arm := fmt.Sprint(n)
		p.Arms, p.styles = append(p.Arms, experiment.Arm{Name: arm, Label: arm}), append(p.styles, arm)
	}
	for shown := range len(styles) + 1 { // arms of the smaller scale; the third is at the larger, too
		p.Records, p.larger = nil, []*record.Record{of("2")}
		for _, arm := range p.Arms[len(styles)-shown:] {
			p.Records = append(p.Records, of(arm.Name))
		}
		lines := Finals{Of: "loss"}.Chart("", p).(SweepChart).Lines
		larger := place(lines[shown].Style)
		same := slices.ContainsFunc(lines[:shown], func(l Line) bool { return place(l.Style) == larger })
		if same != (shown >= len(styles)-2) {
			t.Errorf("beside %d arms, one of a larger scale has the style of another: %v", shown, same)
		}
	}
}
