package claim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// A Judgement is the verdict on a claim: the answer at the largest scale that has the records it takes.
type Judgement struct {
	Claim
	Finding              // its Answer is the verdict
	Scale   record.Scale // at which it was judged; "" if not run, computation if it is Computed

	Other string // the size that was run, where the claim names another one; else empty
	Luck  string // how often luck alone orders all trials as the rule wants them: "1 in 20"; "" if it does not ask

	records  []*record.Record // of all scales
	evidence Evidence         // that it was judged by
}

const (
	defaultTrials = 3

	// computation stands for the scale of a claim that needs no records.
	computation record.Scale = "computation"

	// onlyPaper is said of what contradicts a claim in a smaller run than the paper's, after Claim.Reverse.
	onlyPaper = " was found, but only a run of the paper's own size can contradict it"
)

// Judge gives a verdict on each claim, in their order, from complete records; unfinished ones are passed over. Records
// of different scales are never mixed. The largest at which the claim was run in some reading decides, unless a smaller
// one at which it was run in more readings says more: where the claim is inconclusive at the larger one and is not at
// the smaller, or depends on the reading there; but what contradicts it at the larger one is not passed over. Below
// scale paper no claim is contradicted, and none that names a size is answered: the finding is then inconclusive. It is
// inconclusive, too, in a reading in which the claim is contradicted, but not without one of the trials.
func Judge(claims []Claim, records []*record.Record) []Judgement {
	scales := evidence(records)
	judgements := make([]Judgement, len(claims))
	for i, c := range claims {
		judgements[i] = c.judge(scales)
		judgements[i].records = records
	}
	return judgements
}

// underOne judges a claim under one reading. It is inconclusive where the claim would be contradicted, but not without
// one of several trials: what contradicts a paper must not rest on one of them. Smaller runs contradict nothing.
func (c Claim) underOne(e Evidence) Finding {
	took := &notes{}
	outer := e.notes
	e.notes = took
	f := c.Judge(e)
	outer.add(took)
	if f.Answer != Contradicted || e.Scale != record.Paper || len(took.trials) < 2 {
		return f
	}
	r := Robustness{Tried: len(took.trials)}
	for _, number := range slices.Sorted(maps.Keys(took.trials)) {
		v := e.vary
		v.leftOut = append(slices.Clone(v.leftOut), number)
		if without := c.Judge(e.varied(v)); without.Answer != Contradicted && without.Answer != NotRun {
			r.Changes = append(r.Changes, Change{leavingOut + fmt.Sprint(number), without.Short()})
		}
	}
	if len(r.Changes) > 0 {
		f.Answer, f.Why = Inconclusive, e.word(Contradicted)+", but "+r.String()
	}
	return f
}

// evidence is what complete records there are of each scale, from the smallest on.
func evidence(records []*record.Record) []Evidence {
	var scales []Evidence
	for _, scale := range record.Scales {
		e := Evidence{Scale: scale}
		for _, r := range records {
			if r.Scale == scale && r.End != nil {
				e.Records = append(e.Records, r)
			}
		}
		if len(e.Records) > 0 {
			scales = append(scales, e)
		}
	}
	return scales
}

func (c Claim) judge(scales []Evidence) Judgement {
	if c.Computed {
		scales = []Evidence{{Scale: computation}}
	}
	best := Judgement{Claim: c, Finding: Missing("no records")}
	for _, e := range scales {
		e.MinTrials, e.notes = c.minTrials(), &notes{}
		switch f := c.verdict(e); {
		case f.ran < best.ran && !f.against && (f.Answer == Inconclusive && best.Answer != Inconclusive ||
			f.Answer != Depends && best.Answer == Depends):
		case f.Answer != NotRun:
			best = Judgement{
				Claim: c, Scale: e.Scale, Finding: f, Other: c.other(e.Scale), Luck: e.notes.luck(), evidence: e,
			}
		case best.Scale == "":
			best.Finding = f
		}
	}
	return best
}

// Left are the next of the runs of DecidedBy, at one scale, that have not been made. Made are those at smaller scales
// than that of the verdict, and those of which every arm has its trials, in as many records as at that scale.
func (j Judgement) Left() []Run {
	left := slices.DeleteFunc(slices.Clone(j.DecidedBy), func(r Run) bool {
		if r.Needs != "" {
			return false
		}
		smaller := slices.Index(record.Scales, r.Scale) < slices.Index(record.Scales, j.Scale)
		r.Trials = max(r.Trials, j.minTrials())
		return smaller || r.count(j.records, r.Scale) >= r.count(j.records, j.Scale) && r.ofAllArms(j.records)
	})
	for _, scale := range record.Scales {
		if slices.ContainsFunc(left, func(r Run) bool { return r.Scale == scale }) {
			return slices.DeleteFunc(left, func(r Run) bool { return r.Needs == "" && r.Scale != scale })
		}
	}
	return left
}

// ofAllArms tells whether there are enough trials at a run's scale of each arm of which there are some at any.
func (r Run) ofAllArms(records []*record.Record) bool {
	type arm struct{ panel, name string }
	numbers := map[arm]map[int]bool{}
	for _, of := range r.of(records) {
		for _, t := range of.Trials {
			key := arm{of.Panel, t.Arm}
			if numbers[key] == nil {
				numbers[key] = map[int]bool{}
			}
			if of.Scale == r.Scale {
				numbers[key][t.Number] = true
			}
		}
	}
	for _, made := range numbers {
		if len(made) < r.Trials {
			return false
		}
	}
	return len(numbers) > 0
}

// count is how many records there are of a run at a scale.
func (r Run) count(records []*record.Record, scale record.Scale) (n int) {
	for _, of := range r.of(records) {
		if of.Scale == scale {
			n++
		}
	}
	return n
}

// of are the complete records of a run's figure and panel, of all scales.
func (r Run) of(records []*record.Record) (all []*record.Record) {
	for _, of := range records {
		if of.End != nil && of.Paper+"/"+of.Figure == r.Figure && (r.Panel == "" || r.Panel == of.Panel) {
			all = append(all, of)
		}
	}
	return all
}

// verdict is what a claim is at one scale. It is inconclusive if the claim names a size, and another one was run.
func (c Claim) verdict(e Evidence) Finding {
	e.reverse = c.reverse()
	f, other := c.underEach(e), c.other(e.Scale)
	switch {
	case other != "" && f.Answer != NotRun:
		f.Why = fmt.Sprintf("only %s answers it; %s: %s", c.Size(record.Paper), other, f.says(e.word))
		f.Answer = Inconclusive
	case f.Answer == Contradicted && e.Scale != record.Paper && !c.Computed:
		f.Answer, f.Why = Inconclusive, c.reverse()+onlyPaper
	}
	return f
}

func (c Claim) reverse() string { return cmp.Or(c.Reverse, "the reverse") }

// other is the size that is trained at a scale, if the claim names another one.
func (c Claim) other(scale record.Scale) string {
	if c.Size == nil || c.Size(scale) == c.Size(record.Paper) {
		return ""
	}
	return c.Size(scale)
}

// says is the answer, and why it is Inconclusive.
func (f Finding) says(word func(Answer) string) string {
	return strings.TrimSuffix(word(f.Answer)+": "+f.Why, ": ")
}

// Short is the answer, and in how many of the readings that were run it is reproduced if it depends on them:
// "depends (1 of 2)".
func (f Finding) Short() string {
	if f.Answer != Depends || f.of == 0 {
		return f.Answer.String()
	}
	return fmt.Sprintf("%v (%d of %d)", f.Answer, f.holds, f.of)
}

// OneOf returns what can be said of a claim for which one of several findings is enough: that which reproduces it, else
// by the rule of Some.
func OneOf(findings ...Finding) Finding {
	var answers []Answer
	var found, whys []string
	for _, f := range findings {
		if f.Answer == Reproduced {
			return f
		}
		answers, found = append(answers, f.Answer), append(found, f.Found...)
		if f.Why != "" && !slices.Contains(whys, f.Why) {
			whys = append(whys, f.Why)
		}
	}
	return Finding{Answer: Some(answers...), Found: found, Why: strings.Join(whys, "; ")}
}

func (c Claim) minTrials() int {
	if c.MinTrials == 0 {
		return defaultTrials
	}
	return c.MinTrials
}
