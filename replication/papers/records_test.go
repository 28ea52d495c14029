package papers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// Made-up records, of the declared panels and arms.

func header(figure, panel string, scale record.Scale, part string) record.Header {
	return record.Header{
		Paper: warp.Paper.Name, Figure: figure, Panel: panel, Scale: scale, Part: part,
		Updates: 6000, Window: 60, Batch: 32, Units: 64, Steps: 500, Backend: "go",
	}
}

// training is a record of a panel of Figure 3 or 4 as it might be: standard leaves the plateau after slow updates,
// chrono after fast ones, and the last trial of standard has a spike.
func training(figure, panel string, scale record.Scale, memoryless, fast, slow float64) *record.Record {
	rng := rand.New(rand.NewPCG(1, uint64(fast)))
	r := &record.Record{Header: header(figure, panel, scale, ""), End: &record.End{Updates: 6000}}
	for i := range 6 {
		r.Trials = append(r.Trials, record.Trial{
			Arm: []string{"standard", "chrono"}[i/3], Number: i % 3, Memoryless: &memoryless,
		})
	}
	for update := r.Window; update <= r.Updates; update += r.Window {
		p := record.Point{Update: update, Series: record.Train}
		for i := range r.Trials {
			leaves := slow
			if i >= 3 {
				leaves = fast
			}
			leaves *= 1 + 0.15*float64(i%3)
			u := float64(update)
			loss := memoryless * (1/(1+math.Exp((u-leaves)/(0.15*leaves))) + 20*math.Exp(-u/60))
			loss *= 1 + 0.02*rng.NormFloat64()
			if i == 2 && update == 4200 {
				loss = 40 * memoryless
			}
			p.Values = append(p.Values, loss)
		}
		r.Points = append(r.Points, p)
	}
	return r
}

func fig3Records() []*record.Record {
	return []*record.Record{
		training("fig3", "copy500", "quick", 0.297, 100, 100), // the larger scale is drawn
		training("fig3", "copy500", "paper", 0.0400, 1500, 7000),
		training("fig3", "varcopy500", "paper", 0.0400, 800, 1100),
		training("fig3", "varcopy1000", "quick", 0.0495, 1500, 1e5),
	}
}

func fig4Records() []*record.Record {
	return []*record.Record{
		training("fig4", "adding200", "paper", 1./6, 700, 2500),
		training("fig4", "adding750", "paper", 1./6, 900, 1e6),
	}
}

// parts returns an empty record for each arm of a panel, with five trials at each x.
func parts(figure figures.Figure, panel experiment.Panel, xs []*float64, memoryless func(x float64) float64,
) []*record.Record {
	var records []*record.Record
	for _, arm := range panel.Arms {
		r := &record.Record{Header: header(figure.Name, panel.Name, "paper", arm.Name)}
		r.End = &record.End{Updates: r.Updates, Final: map[string]record.Values{}}
		for _, x := range xs {
			for k := range 5 {
				t := record.Trial{Arm: arm.Name, X: x, Number: k}
				if x != nil {
					level := memoryless(*x)
					t.Memoryless = &level
				}
				r.Trials = append(r.Trials, t)
			}
		}
		records = append(records, r)
	}
	return records
}

func fig1Records() []*record.Record {
	var records []*record.Record
	rng := rand.New(rand.NewPCG(1, 1))
	xs := []*float64{}
	for _, x := range []float64{1, 10, 25, 40, 55, 70, 85, 100} {
		xs = append(xs, &x)
	}
	for _, panel := range warp.Fig1.Panels {
		memoryless := func(x float64) float64 {
			if strings.Contains(panel.Name, "pad") {
				return math.Log(8) / x
			}
			return math.Log(8)
		}
		for i, r := range parts(warp.Fig1, panel, xs, memoryless) {
			for _, t := range r.Trials {
				loss := 1e-9 // as where a model has learned everything
				switch {
				case i == 0:
					loss = *t.Memoryless * 0.9 / (1 + math.Exp((30-*t.X)/4))
				case i == 1 && strings.HasPrefix(panel.Name, "var"):
					loss = 0.4 * *t.Memoryless * (1 - 1/math.Sqrt(*t.X))
				case i == 2:
					loss = 3e-5 * *t.X
				}
				loss *= 1 + 0.2*rng.NormFloat64()
				r.End.Final["test_loss"] = append(r.End.Final["test_loss"], loss)
			}
			records = append(records, r)
		}
	}
	return records
}

func fig5Records() []*record.Record {
	var records []*record.Record
	rng := rand.New(rand.NewPCG(1, 5))
	for _, panel := range warp.Fig5.Panels {
		for i, r := range parts(warp.Fig5, panel, []*float64{nil}, nil) {
			set := func(name string, share, noise float64) {
				for range r.Trials {
					r.End.Final[name] = append(r.End.Final[name], min(1, share*(1+noise*rng.NormFloat64())))
				}
			}
			start, falls := []float64{0.75, 0.95, 1, 1, 1}[i], []float64{0.05, 0.1, 0.3, 0.2, 0.4}[i]
			set("accuracy", start, 0.01)
			set("dummy", 0.05, 0)
			for longest := 100.; longest <= 500; longest += 50 {
				at := fmt.Sprintf("@%g", longest)
				set("accuracy"+at, start-falls*longest/500, 0.01)
				set("dummy"+at, 0.1+longest/1000, 0)
				set("long_accuracy"+at, start-1.5*falls*longest/500, 0.02)
				set("long_dummy"+at, 0.06, 0)
			}
			records = append(records, r)
		}
	}
	return records
}

// gatesRecords are of gates computed by larger and larger networks, and of one gate for all units.
func gatesRecords() []*record.Record {
	rng := rand.New(rand.NewPCG(1, 6))
	xs := []*float64{}
	for _, x := range []float64{10, 55, 100} {
		xs = append(xs, &x)
	}
	records := parts(warp.BeyondGates, warp.BeyondGates.Panels[0], xs, func(float64) float64 { return math.Log(8) })
	for i, r := range records {
		share := []float64{0.3, 0.05, 0.1, 0.08, 0.05, 0.03}[i]
		for _, t := range r.Trials {
			loss := share * *t.Memoryless * *t.X / 100 * (1 + 0.2*rng.NormFloat64())
			r.End.Final["test_loss"] = append(r.End.Final["test_loss"], loss)
		}
	}
	return records
}

// plainRecords are of plain networks that fail from some warping on, later the further down its panel an arm is.
func plainRecords() []*record.Record {
	rng := rand.New(rand.NewPCG(1, 7))
	xs := []*float64{}
	for _, x := range []float64{5, 10, 25, 50, 100} {
		xs = append(xs, &x)
	}
	var records []*record.Record
	for _, panel := range warp.BeyondPlain.Panels {
		for i, r := range parts(warp.BeyondPlain, panel, xs, func(float64) float64 { return math.Log(8) }) {
			for _, t := range r.Trials {
				loss := *t.Memoryless / (1 + math.Exp(8*float64(i+1)-*t.X)) * (1 + 0.1*rng.NormFloat64())
				r.End.Final["test_loss"] = append(r.End.Final["test_loss"], loss)
			}
			records = append(records, r)
		}
	}
	return records
}

func allRecords() []*record.Record {
	return slices.Concat(fig1Records(), fig3Records(), fig4Records(), fig5Records(), fig6Records(), fig7Records(),
		safeRecords(), gatesRecords(), plainRecords(), pixelsRecords(), contextRecords())
}
