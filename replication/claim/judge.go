package claim

import (
	"slices"

	"github.com/warptime/warptime/internal/parts"
	"github.com/warptime/warptime/replication/record"
)

// A Judgement is what our records say of a claim.
type Judgement struct {
	Claim
	Set Set
	ID  string // "warp/fig3.copy500.beats-standard"

	// Verdict is that of runs of the paper's size under the main condition. Smaller is that of runs at scale reduced,
	// by the same rule; its answer is NotRun where there are none, or where they cannot answer.
	Verdict, Smaller Verdict

	Needs []Need // what would decide the claim where that verdict does not

	// Rows are how the verdict that there is (that of the paper's size, or else the smaller) comes out if it is judged
	// differently.
	Rows []Row

	Hash   string // of the rule under the main condition
	Before bool   // all runs that the verdict rests on were made to be judged by this rule
	Known  int    // how many of their networks had been trained before it was fixed, in other runs
}

// A Need is what would decide a claim: a run of the paper's size, or what only the authors know.
type Need struct {
	Figure, Panel string  // "warp/fig3", "copy2000"
	Hours         float64 // about how many core-hours the run takes; 0: not measured
	Else          string  // in place of a run: what is not known
}

// A Verdict is an answer at one scale.
type Verdict struct {
	Finding
	Shown   []Shown          // the quantities that the rule asked for, and those that the claim shows besides
	Records []*record.Record // that these are from

	// With is the answer with all trials. Without each of the networks in Without, alone or with those that it is
	// compared with in pairs, the answer is another one, and the verdict is Undecided.
	With    Answer
	Without []Network

	read []Trial
}

// A Row is one other way to judge a claim.
type Row struct {
	Kind   RowKind   `json:"kind"`
	Names  []string  `json:"conditions,omitempty"` // if several are one for the claim
	From   Threshold `json:"from,omitzero"`        // that was replaced
	To     Threshold `json:"to,omitzero"`
	Answer Answer    `json:"verdict"`
	With   Answer    `json:"with_all_trials"` // see Verdict
}

// A RowKind is what is done differently.
type RowKind string

const (
	OtherCondition RowKind = "condition"
	OtherThreshold RowKind = "threshold"
	OtherEnd       RowKind = "end"   // the last point of a curve stands for its end
	EarlierEnd     RowKind = "early" // training ends at 80 % of the updates
)

// Decided is the verdict that rows are compared with: that of the paper's size if there is one, else the smaller.
func (j Judgement) Decided() Verdict {
	if j.Verdict.Answer == NotRun && j.Smaller.Answer != NotRun {
		return j.Smaller
	}
	return j.Verdict
}

// Judge judges the claims of sets, in their order, by complete records; unfinished ones are passed over.
func Judge(sets []Set, records []*record.Record) []Judgement {
	of := map[record.Scale]Source{}
	curves := map[*record.Record][]record.Point{}
	for _, r := range records {
		if r.End != nil {
			of[r.Scale] = Source{Records: append(of[r.Scale].Records, r), curves: curves}
			curves[r] = r.Series(string(record.Train))
		}
	}
	var all []Judgement
	for _, s := range sets {
		for _, c := range s.Claims {
			all = append(all, s.judge(c, of[record.Paper], of[record.Reduced]))
		}
	}
	return all
}

func (s Set) judge(c Claim, paper, smaller Source) Judgement {
	j := Judgement{Claim: c, Set: s, ID: s.ClaimID(c), Hash: s.Hash(c)}
	paper.minTrials, smaller.minTrials = c.minTrials(), c.minTrials()
	j.Verdict = verdict(c.Rule, paper)
	for _, a := range parts.Of[Arm](c.Rule) {
		ran := slices.ContainsFunc(paper.Records, func(r *record.Record) bool { return a.isOf(r.Header) })
		need := Need{Figure: a.Figure, Panel: a.Panel, Hours: s.Hours[a.Figure+" "+a.Panel]}
		if !ran && !c.Ours && !slices.Contains(j.Needs, need) {
			j.Needs = append(j.Needs, need)
		}
	}
	if c.Needs != "" {
		j.Needs = append(j.Needs, Need{Else: c.Needs})
	}
	if !c.PaperOnly {
		j.Smaller = verdict(c.Rule, smaller)
	}
	at, decided := paper, &j.Verdict
	if j.Verdict.Answer == NotRun {
		at, decided = smaller, &j.Smaller
	}
	if decided.Answer == NotRun {
		return j
	}
	j.Rows = s.rows(c.Rule, at)
	j.Before = len(decided.Records) > 0
	for _, r := range decided.Records {
		j.Before = j.Before && r.Traceable() && r.Rules[j.ID] == j.Hash
	}
	for _, t := range decided.read {
		early := func(r *record.Record) bool { return r.Started < t.Record.Started && !s.registered(j, r) }
		if j.Before && slices.ContainsFunc(at.trained(t), early) {
			j.Known++
		}
	}
	for _, q := range c.Show {
		if s, err := Read(q, at); err == nil {
			decided.Shown = append(decided.Shown, Shown{q, s})
		} else if s, err := Read(q, smaller); err == nil {
			j.Smaller.Shown = append(j.Smaller.Shown, Shown{q, s})
		}
	}
	return j
}

// registered tells whether a claim's rule was fixed before a run: the run has its hash or, if it does not decide the
// claim, today's of another one of the set.
func (s Set) registered(j Judgement, r *record.Record) bool {
	hash, decides := r.Rules[j.ID]
	return hash == j.Hash || !decides && slices.ContainsFunc(s.Claims, func(c Claim) bool {
		return r.Rules[s.ClaimID(c)] == s.Hash(c)
	})
}

// verdict is the answer of a rule. What it says, or its opposite, must hold without any one of the networks, too.
func verdict(rule Rule, s Source) Verdict {
	v := once(rule, s)
	if v.Answer != Reproduced && v.Answer != NotReproduced {
		return v
	}
	networks := distinct(each(v.read, Trial.network))
	for _, n := range networks {
		alone := !slices.ContainsFunc(networks, func(o Network) bool {
			return o.Arm == n.Arm && o.X == n.X && o.Number != n.Number
		})
		s.leftOut = partners(rule, n)
		if !alone && once(rule, s).Answer != v.With {
			v.Answer, v.Without = Undecided, append(v.Without, n)
		}
	}
	return v
}

// A Pairing is a rule or quantity that may compare trials of its arms in pairs of one number.
type Pairing interface{ InPairs() bool }

// partners are a network and those that a rule compares it with in pairs, at its own x or at others.
func partners(rule Rule, n Network) []Network {
	all := []Network{n}
	for _, p := range parts.Of[Pairing](rule) {
		xs := append(each(parts.Of[At](p), func(q At) X { return q.X }), n.X)
		var paired []Network
		for _, a := range parts.Of[Arm](p) {
			a.Updates = 0
			for _, x := range xs {
				paired = append(paired, Network{a, x, n.Number})
			}
		}
		if p.InPairs() && slices.Contains(paired, n) {
			all = append(all, paired...)
		}
	}
	return all
}

// once is the answer of a rule, without more.
func once(rule Rule, s Source) Verdict {
	s.read = &[]Trial{}
	v := Try(rule, func(q Quantity) (Sample, error) { return Read(q, s) })
	v.With = v.Answer
	v.read = distinct(*s.read)
	v.Records = distinct(each(v.read, func(t Trial) *record.Record { return t.Record }))
	return v
}

// Try judges a rule by samples, wherever these come from.
func Try(rule Rule, read func(Quantity) (Sample, error)) Verdict {
	e := &Evidence{read: read, asked: &asked{}}
	v := Verdict{Finding: rule.Judge(e), Shown: e.seen}
	if e.missing {
		v.Finding = Finding{}
	}
	return v
}

// rows judge a rule in other ways.
func (s Set) rows(rule Rule, at Source) (rows []Row) {
	add := func(row Row, v Verdict) {
		if row.Answer, row.With = v.Answer, v.With; v.Answer != NotRun {
			rows = append(rows, row)
		}
	}
	var judged []Rule // one for each row so far
	for _, c := range s.others() {
		other := c.In(rule)
		i := slices.IndexFunc(judged, func(r Rule) bool { return equal(r, other) })
		switch {
		case equal(other, rule): // the claim does not depend on it
		case i >= 0:
			rows[i].Names = append(rows[i].Names, c.Name)
		default:
			add(Row{Kind: OtherCondition, Names: []string{c.Name}}, verdict(other, at))
			judged = append(judged, other)[:len(rows)]
		}
	}
	for _, t := range distinct(parts.Of[Threshold](rule)) {
		for _, to := range []Threshold{t.times(0.5), t.times(2)} {
			if to != t {
				add(Row{Kind: OtherThreshold, From: t, To: to}, once(swapped(rule, Swap{t, to}), at))
			}
		}
	}
	if other := swapped(rule, Swap{Final, Last}); !equal(other, rule) {
		add(Row{Kind: OtherEnd}, once(other, at))
	}
	if len(parts.Of[Series](rule))+len(parts.Of[Reaching](rule)) > 0 {
		early := at
		early.end = 80
		add(Row{Kind: EarlierEnd}, once(rule, early))
	}
	return rows
}
