package papers_test

import (
	"math"
	"strings"
	"testing"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// reading is a record of a panel of Figure 6 as it might be: chrono learns a little faster, and ends a little higher.
func reading(panel string, scale record.Scale) *record.Record {
	r := &record.Record{Header: header("fig6", panel, scale, ""), End: &record.End{Updates: 6000}}
	for i := range 6 {
		r.Trials = append(r.Trials, record.Trial{Arm: []string{"standard", "chrono"}[i/3], Number: i % 3})
	}
	for update := 500; update <= r.Updates; update += 500 {
		p := record.Point{Update: update, Series: "valid_accuracy"}
		for i := range r.Trials {
			end, slow := 0.954, 1200.
			if i >= 3 {
				end, slow = 0.963, 800
			}
			p.Values = append(p.Values, end-0.8*math.Exp(-float64(update)/slow)-0.004*float64(i%3))
		}
		r.Points = append(r.Points, p)
	}
	return r
}

// fig6Records are of stand-ins in one panel, and of the paper's size in the other.
func fig6Records() []*record.Record {
	return []*record.Record{reading("mnist", "quick"), reading("pmnist", "paper")}
}

// pixelsRecords are of stand-ins, the last two arms as the first two.
func pixelsRecords() []*record.Record {
	r := reading("pmnist", "quick")
	r.Figure = warp.BeyondPixels.Name
	for i, t := range r.Trials {
		t.Arm = map[string]string{"standard": "forget-only", "chrono": "quarter"}[t.Arm]
		r.Trials = append(r.Trials, t)
		for j := range r.Points {
			r.Points[j].Values = append(r.Points[j].Values, 0.95*r.Points[j].Values[i])
		}
	}
	return []*record.Record{r}
}

// Whoever sees generated images cannot take them for MNIST, and the paper's values are beside what has the paper's size
// only.
func TestStandInsAreNamed(t *testing.T) {
	for _, c := range []struct {
		panel  string
		scale  record.Scale
		says   []string
		levels int
	}{
		{"mnist", "quick", []string{"(a) stand-ins, 8×8 (paper: MNIST, 28×28)", "no MNIST, but generated stand-ins"},
			0},
		{"pmnist", "quick", []string{"(b) permuted stand-ins, 8×8 (paper: MNIST, 28×28)",
			"no MNIST, but generated stand-ins"}, 0},
		{"mnist", "reduced", []string{"(a) MNIST, 14×14 (paper: 28×28)", "every 2×2 pixels averaged into one",
			"MNIST: 50,000 images for training"}, 0},
		{"pmnist", "reduced", []string{"(b) permuted MNIST, 14×14 (paper: 28×28)"}, 0},
		{"mnist", "paper", []string{"(a) MNIST, 28×28"}, 0},
		{"pmnist", "paper", []string{"(b) permuted MNIST, 28×28", "the paper's best, chrono"}, 2},
	} {
		records := []*record.Record{reading(c.panel, c.scale)}
		text := strings.ReplaceAll(textOf(t, svgOf(t, "warp/fig6", records)), nbsp, " ")
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s at scale %s does not say %q:\n%s", c.panel, c.scale, want, text)
			}
		}
		if c.scale == "quick" == !strings.Contains(text, "stand-in") {
			t.Errorf("%s at scale %s: stand-ins are named, or not, where they should not be:\n%s", c.panel, c.scale,
				text)
		}
		charts, err := papers.All.PanelCharts(records...)
		check(t, err)
		levels := charts[0].(figures.CurveChart).References
		if len(levels) != c.levels {
			t.Errorf("%s at scale %s has the levels %v, want %d", c.panel, c.scale, levels, c.levels)
		}
		for i, value := range []float64{95.4, 96.3}[:c.levels] {
			if math.Abs(levels[i].Y[0]-value) > 1e-9 {
				t.Errorf("level %d is %v, want %g", i, levels[i], value)
			}
		}
	}
}
