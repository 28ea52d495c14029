package claim

import (
	"encoding/json"
	"math"

	"github.com/warptime/warptime/replication/record"
)

// JSON writes judgements for programs: everything that the page has, as numbers.
func JSON(judgements []Judgement) ([]byte, error) {
	type number struct {
		Kind     Kind     `json:"kind"`
		Of       string   `json:"of,omitempty"`
		To       string   `json:"to,omitempty"` // of a ratio
		Unit     string   `json:"unit,omitempty"`
		Value    *float64 `json:"value,omitempty"` // not finite: absent; a bound if at_least or at_most
		Low      *float64 `json:"low,omitempty"`
		High     *float64 `json:"high,omitempty"`
		AtLeast  bool     `json:"at_least,omitempty"`
		AtMost   bool     `json:"at_most,omitempty"`
		Met      *int     `json:"met,omitempty"`
		Trials   int      `json:"trials,omitempty"`
		X        X        `json:"x,omitzero"`
		Censored bool     `json:"censored,omitempty"`
		Trial    *int     `json:"trial,omitempty"`

		Confidence float64 `json:"confidence,omitempty"` // see Interval
	}
	type quantity struct {
		Name   string   `json:"name"`
		Unit   string   `json:"unit,omitempty"`
		Trials []number `json:"trials"`
	}
	type answer struct {
		Verdict Answer     `json:"verdict"`
		Why     string     `json:"why,omitempty"`
		With    Answer     `json:"with_all_trials"`
		Without []Network  `json:"not_without,omitempty"` // each alone, or with those of its number in pairs
		Numbers []number   `json:"numbers,omitempty"`
		Shown   []quantity `json:"quantities,omitempty"`
		Records []string   `json:"records,omitempty"` // SHA-256
	}
	type entry struct {
		ID         string `json:"id"`
		Says       string `json:"says"`
		Quote      string `json:"quote,omitempty"`
		Where      string `json:"where"`
		Rule       string `json:"rule"`
		Hash       string `json:"hash"`
		Registered string `json:"registered"`               // before or after the runs
		Known      int    `json:"trained_before,omitempty"` // networks, see Judgement
		Ours       bool   `json:"ours,omitempty"`
		Untrained  bool   `json:"not_trained_in_the_paper,omitempty"`
		Paper      answer `json:"paper_size"`
		Smaller    answer `json:"smaller"`
		Rows       []Row  `json:"rows,omitempty"`
		Needs      []Need `json:"needs,omitempty"`
	}
	finite := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	written := func(v Verdict, w Words) answer {
		a := answer{Verdict: v.Answer, Why: v.Why, With: v.With, Without: v.Without}
		for _, n := range v.Numbers {
			unit := n.In(w)
			of := number{Kind: n.Kind, Of: Text(n.Of, w), X: X(n.X)}
			if n.To != nil {
				of.To = Text(n.To, w)
			}
			if n.Kind == Counted {
				of.Met, of.Trials = &n.Met, n.Trials
			} else {
				of.Unit, of.Value = unit.Name, finite(unit.Times*n.Value)
				of.Low, of.High = finite(unit.Times*n.Low), finite(unit.Times*n.High)
				of.AtLeast, of.AtMost, of.Confidence = n.AtLeast, n.AtMost, n.Confidence
			}
			a.Numbers = append(a.Numbers, of)
		}
		for _, s := range v.Shown {
			unit := s.Quantity.Named(w).Unit
			trials := each(s.Sample, func(v Value) number {
				return number{Trial: &v.Trial, X: X(v.X), Value: finite(unit.Times * v.V), Censored: v.Censored}
			})
			a.Shown = append(a.Shown, quantity{Text(s.Quantity, w), unit.Name, trials})
		}
		a.Records = each(v.Records, func(r *record.Record) string { return r.End.SHA256 })
		return a
	}
	return json.MarshalIndent(each(judgements, func(j Judgement) entry {
		w := j.Set.Words
		rule := j.Rule.Text(w)
		w.ByID = true
		return entry{
			ID: j.ID, Says: j.Says, Quote: j.Quote, Where: j.Where, Rule: rule, Hash: j.Hash,
			Registered: map[bool]string{true: "before", false: "after"}[j.Before], Known: j.Known,
			Ours: j.Ours, Untrained: j.Untrained, Needs: j.Needs,
			Paper: written(j.Verdict, w), Smaller: written(j.Smaller, w), Rows: j.Rows,
		}
	}), "", " ")
}
