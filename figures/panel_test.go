package figures

import (
	"slices"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// One panel never mixes scales, and one that has all arms goes before a larger one that has not.
func TestOneScale(t *testing.T) {
	declared := experiment.Panel{Name: "one", Sizes: map[record.Scale]experiment.Size{}}
	figure := Figure{Paper: "p", Name: "fig1", Panels: []experiment.Panel{declared}}
	var all []*record.Record // at scale paper
	for _, arm := range []string{"a", "b", "c", "d", "e"} {
		declared.Arms = append(declared.Arms, experiment.Arm{Name: arm, Label: arm})
		all = append(all, &record.Record{
			Header: record.Header{
				Paper: "p", Figure: "fig1", Panel: "one", Scale: record.Paper, Trials: []record.Trial{{Arm: arm}},
			},
			End: &record.End{},
		})
	}
	at := func(scale record.Scale, records ...*record.Record) []*record.Record {
		var changed []*record.Record
		for _, r := range records {
			c := *r
			c.Scale = scale
			changed = append(changed, &c)
		}
		return changed
	}
	for _, c := range []struct {
		records []*record.Record
		scale   record.Scale
		n       int
		missing int
	}{
		{slices.Concat(all, at("quick", all...)), "paper", 5, 0},
		{slices.Concat(all[:4], at("quick", all...)), "quick", 5, 0},
		{slices.Concat(all[:1], at("quick", all[:4]...)), "paper", 1, 4},
		{slices.Concat(at("reduced", all...), all[1:], at("quick", all...)), "reduced", 5, 0},
	} {
		p := figure.find(c.records, declared)
		for _, r := range p.Records {
			check.Equal(t, r.Scale, c.scale, "the scale of a record")
		}
		check.That(t, len(p.Records) == c.n && len(p.missing) == c.missing,
			"%d records, missing %q, want %d and %d", len(p.Records), p.missing, c.n, c.missing)
	}
	declared.Sizes = map[record.Scale]experiment.Size{record.Quick: {StandIn: true}}
	p := figure.find(slices.Concat(all[:1], at(record.Quick, all...)), declared)
	check.That(t, len(p.Records) == 1, "%d records, want the one whose data stand in for no others", len(p.Records))
	unfinished := *all[0]
	unfinished.End = nil
	p = figure.find([]*record.Record{&unfinished}, declared)
	check.That(t, len(p.Records) == 0 && len(p.missing) == 0,
		"of an unfinished record: %d, missing %q", len(p.Records), p.missing)
}

// Scale paper is named where it has another title, be that the panel's or its own.
func TestFullTitle(t *testing.T) {
	for _, c := range []struct{ paper, reduced, want string }{
		{"", "", "adding"}, {"", "small", "small (scale paper: adding)"},
		{"T = 200", "T = 200", "T = 200"}, {"T = 200", "T = 100", "T = 100 (scale paper: T = 200)"},
	} {
		p := Panel{
			Panel: experiment.Panel{Title: "adding", Sizes: map[record.Scale]experiment.Size{
				record.Paper: {Title: c.paper}, record.Reduced: {Title: c.reduced},
			}},
			Records: []*record.Record{{Header: record.Header{Scale: record.Reduced}}},
		}
		check.Equal(t, p.FullTitle(), c.want, "the title of %+v", c)
		check.Equal(t, p.remark(figureWidth) == "reduced", c.paper == c.reduced, "there is nothing to say of %+v", c)
	}
}
