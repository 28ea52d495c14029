package claim

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/warptime/warptime/replication/record"
)

//go:embed page.md
var pageText string

// write is a part of page.md.
var write = Template(pageText)

// Template returns a function that writes a part of a page, which the page defines by its name.
func Template(text string) func(part string, data any) string {
	page := template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join}).Parse(text))
	return func(part string, data any) string {
		var b strings.Builder
		if err := page.ExecuteTemplate(&b, part, data); err != nil {
			panic(err) // whatever the claims are, it is a mistake in the page
		}
		return b.String()
	}
}

// A Count is how many claims got each answer, at the paper's size and in smaller runs.
type Count struct {
	Paper, Smaller map[Answer]int
	Interim        map[Answer]int // of Paper, those that are not of the main condition: see Judgement.Meanwhile
	Claims         int
}

// CountOf counts judgements, without checks of our own.
func CountOf(judgements []Judgement) Count {
	c := Count{map[Answer]int{}, map[Answer]int{}, map[Answer]int{}, 0}
	for _, j := range judgements {
		if !j.Ours {
			c.Claims++
			c.Paper[j.Verdict.Answer]++
			if j.Meanwhile != "" {
				c.Interim[j.Verdict.Answer]++
			}
			c.Smaller[j.Smaller.Answer]++
		}
	}
	return c
}

// String is a sentence: "Of 75 claims, runs of the paper's size reproduce 20, do not reproduce 8 and leave 30
// undecided; 17 were not run at that size. By the same rules, smaller runs reproduce 12, …"
func (c Count) String() string {
	text := fmt.Sprintf("Of %d claims, runs of the paper's size reproduce %d, do not reproduce %d and leave %d "+
		"undecided; %d have no such run.", c.Claims, c.Paper[Reproduced], c.Paper[NotReproduced], c.Paper[Undecided],
		c.Paper[NotRun])
	if n := c.Interim[Reproduced] + c.Interim[NotReproduced] + c.Interim[Undecided]; n > 0 {
		text += fmt.Sprintf(" %d, %d and %d of these are under another condition, until the main one has run.",
			c.Interim[Reproduced], c.Interim[NotReproduced], c.Interim[Undecided])
	}
	if n := c.Smaller[Reproduced] + c.Smaller[NotReproduced] + c.Smaller[Undecided]; n > 0 {
		text += fmt.Sprintf(" By the same rules, smaller runs reproduce %d, do not reproduce %d and leave %d "+
			"undecided; %d have none.", c.Smaller[Reproduced], c.Smaller[NotReproduced], c.Smaller[Undecided],
			c.Smaller[NotRun])
	}
	return text
}

// Group are the judgements of one set.
type Group struct {
	Set
	Judgements []Judgement
}

// Groups are judgements by their sets, in order.
func Groups(judgements []Judgement) (groups []Group) {
	for _, j := range judgements {
		if len(groups) == 0 || groups[len(groups)-1].ID != j.Set.ID {
			groups = append(groups, Group{Set: j.Set})
		}
		last := &groups[len(groups)-1]
		last.Judgements = append(last.Judgements, j)
	}
	return groups
}

// AllOurs tells whether no claim is the paper's.
func (g Group) AllOurs() bool {
	return !slices.ContainsFunc(g.Judgements, func(j Judgement) bool { return !j.Ours })
}

// Heading is what a page calls the set: "Figure 3 (warp/fig3): …".
func (g Group) Heading() string { return fmt.Sprintf("%s (`%s`)", g.Title, g.ID) }

// A Joint is how many of a figure's claims hold, and how many do not, of those with runs of the paper's size.
type Joint struct {
	Under          string // which condition
	Hold, Fail, Of int
	All            []string // the other conditions under which all of them hold
	Tried          bool     // there are others
}

// Undecided is how many neither hold nor do not.
func (j Joint) Undecided() int { return j.Of - j.Hold - j.Fail }

// Together counts the claims that describe a figure.
func (g Group) Together() Joint {
	joint := g.joint(func(j Judgement) Answer { return j.Verdict.Answer })
	joint.Under, joint.Tried = "Under the main condition", len(g.Conditions) > 1
	if m := g.Meanwhile(); m != nil {
		joint.Under = "With " + m.Under
		if m.Mixed() {
			joint.Under += " or the main condition"
		}
	}
	for _, c := range g.others() {
		if under := g.joint(func(j Judgement) Answer { return j.Under(c) }); under.Hold == joint.Of {
			joint.All = append(joint.All, c.Name)
		}
	}
	return joint
}

// Alone counts them under the condition alone that stands for the main one in some, where it does not in all.
func (g Group) Alone() *Joint {
	m := g.Meanwhile()
	if m == nil || !m.Mixed() || !g.Figure {
		return nil
	}
	c := g.Conditions[slices.IndexFunc(g.Conditions, func(c Condition) bool { return c.Name == m.Under })]
	joint := g.joint(func(j Judgement) Answer { return j.Under(c) })
	joint.Under = "With " + m.Under + " alone"
	return &joint
}

// joint counts those claims that have an answer at the paper's size by another answer.
func (g Group) joint(answer func(Judgement) Answer) (joint Joint) {
	for _, j := range g.Judgements {
		if !g.Figure || j.Ours || j.Verdict.Answer == NotRun {
			continue
		}
		joint.Of++
		switch answer(j) {
		case Reproduced:
			joint.Hold++
		case NotReproduced:
			joint.Fail++
		}
	}
	return joint
}

// Interim is under which condition claims are judged until the main one has run: those claims, or all but those.
type Interim struct {
	Under   string
	Of, But []string // letters; both are empty if it is all claims
	Lacking []string // the panels that have not run under the main condition
}

// Mixed tells whether other claims are judged under the main condition.
func (m Interim) Mixed() bool { return len(m.Of)+len(m.But) > 0 }

// Meanwhile returns it, or nil if all claims are judged under the main condition.
func (g Group) Meanwhile() *Interim {
	var m Interim
	for i, j := range g.Judgements {
		if j.Meanwhile != "" {
			m.Under, m.Of = j.Meanwhile, append(m.Of, letter(i))
			m.Lacking = distinct(append(m.Lacking, j.Lacking...))
		} else {
			m.But = append(m.But, letter(i))
		}
	}
	switch {
	case m.Of == nil:
		return nil
	case len(m.Of) > len(m.But): // or there are no others
		m.Of = nil
	default:
		m.But = nil
	}
	return &m
}

// Under is the answer under another condition: the verdict's, where the claim does not depend on it.
func (j Judgement) Under(c Condition) Answer {
	for _, r := range j.Rows {
		if r.Kind == OtherCondition && slices.Contains(r.Names, c.Name) {
			return r.Answer
		}
	}
	if r, _ := c.In(j.Rule); !equal(r, j.Rule) {
		return NotRun
	}
	return j.Decided().Answer
}

// Sections writes groups one after another in Markdown: conditions, an entry for each claim, and one table of numbers.
// What stands in one table is in no later one, nor are the numbers of an entry in a later entry.
func Sections(groups []Group, write func(g Group, section string)) {
	var shown, listed []Quantity
	for _, g := range groups {
		write(g, g.section(&shown, &listed))
	}
}

// entry is one claim in Markdown, in a paragraph. What stands above is not repeated.
type entry struct {
	Judgement
	Letter, Quote, Where, Rule, Number, Needs string
}

func (g Group) section(shown, listed *[]Quantity) string {
	var entries []entry
	var rules, quotes []string
	where, needs := "", ""
	for i, j := range g.Judgements {
		number := sentence(j.Decided().number(j.words(), !j.Ours, *listed...))
		e := entry{j, letter(i), j.Quote, j.Where, j.Rule.Text(j.words()), number, j.needs()}
		bare := j.Rule.Text(g.Words.withoutPanels())
		if k := slices.Index(rules, bare); k >= 0 {
			e.Rule = "as " + letter(k)
		}
		if slices.Contains(quotes, e.Quote) {
			e.Quote = ""
		}
		if e.Where == where || e.Ours { // claims.json has it, as it has the rule
			e.Where = ""
		}
		if e.Needs == needs {
			e.Needs = ""
		}
		entries, rules, quotes = append(entries, e), append(rules, bare), append(quotes, j.Quote)
		where, needs = j.Where, j.needs()
		for _, n := range j.Decided().Numbers {
			*listed = append(*listed, n.Of)
		}
	}
	return write("section", struct {
		Group
		Entries          []entry
		Changes, Numbers table
	}{g, entries, g.changes(), g.numbers(shown)})
}

// Verdicts are the answers at both sizes, and how many other ways to judge agree. Why smaller runs leave a claim
// undecided is of interest where there are no others.
func (j Judgement) Verdicts() string {
	agree := j.Agreement()
	if same, of := j.agreeing(); 2*same < of && j.Decided().Answer != Undecided {
		agree = "fragile: " + agree
	}
	if agree != "" {
		agree = " (" + agree + ")"
	}
	text := "**" + j.Verdict.say() + "**" + agree
	switch {
	case j.Verdict.Answer == NotRun && j.Untrained:
		text = "not trained in the paper"
	case j.Verdict.Answer == NotRun:
		text = "not run"
	}
	if j.Computed {
		text += " by computation"
	}
	switch {
	case j.Smaller.Answer == NotRun:
	case j.Verdict.Answer == NotRun && j.Ours: // and has no size but ours
		text = "smaller *" + j.Smaller.say() + "*" + agree
	case j.Verdict.Answer == NotRun:
		text += "; smaller *" + j.Smaller.say() + "*" + agree
	case j.Smaller.Answer == j.Verdict.Answer:
		text += "; smaller too"
	default:
		text += "; smaller *" + j.Smaller.Answer.String() + "*"
	}
	if j.Before {
		text += "; *before*"
	}
	return text
}

// Agreement is in how many of how many other ways to judge the answer of all trials is the same: "5/6"; "" if there are
// none.
func (j Judgement) Agreement() string {
	same, of := j.agreeing()
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", same, of)
}

func (j Judgement) agreeing() (same, of int) {
	for _, r := range j.Rows {
		if r.With == j.Decided().With {
			same++
		}
	}
	return same, len(j.Rows)
}

// say is the answer and why it is undecided.
func (v Verdict) say() string {
	switch {
	case len(v.Without) == 1:
		return fmt.Sprintf("undecided: %v, unless one network is left out", v.With)
	case len(v.Without) > 1:
		return fmt.Sprintf("undecided: %v, unless one of %d networks is left out", v.With, len(v.Without))
	case v.Answer == Undecided:
		return "undecided: " + v.Why
	}
	return v.Answer.String()
}

// Number is the one number that matters, in a few words: "updates to 10 %: standard / chrono 6.82 (medians)", "final
// loss: chrono 18.1, standard 100 %". Of a sweep, it is the largest mean over its x.
func (j Judgement) Number() string {
	v, w := j.Decided(), j.words()
	if len(v.Numbers) == 0 || v.Numbers[0].To == nil {
		return v.number(w, false)
	}
	ratio := v.Numbers[0]
	text := compared(ratio.Of, ratio.To, w, "/") + " " + ratio.bound(Times)
	if ratio.Kind == RatioOfMid {
		text += " (medians)"
	}
	return text
}

// number is what a page says of all numbers, without quantities that are listed already. With trials, these stand in
// place of a mean, and of however many arms; they do so where a trial has diverged, too.
func (v Verdict) number(w Words, trials bool, listed ...Quantity) string {
	type mean struct {
		q     Quantity
		value Number
		at    int
	}
	const most = 3 // as many as a reader takes in; claims.json has all
	var means []mean
	var ratios []Number
	var text []string
	for _, n := range v.Numbers {
		switch n.Kind {
		case RatioOfAll, RatioOfMid:
			ratios = append(ratios, n)
		case MeanNumber:
			if slices.ContainsFunc(listed, func(q Quantity) bool { return equal(q, n.Of) }) {
				continue
			}
			i := slices.IndexFunc(means, func(m mean) bool { return equal(m.q, n.Of) })
			if i < 0 {
				means = append(means, mean{n.Of, n, 1})
				continue
			}
			if means[i].value.X != n.X {
				means[i].at++
			}
			if n.Value > means[i].value.Value {
				means[i].value = n
			}
		}
	}
	switch n := len(ratios); {
	case n > most+1:
		slices.SortFunc(ratios, func(a, b Number) int { return cmp.Compare(a.Value, b.Value) })
		text = append(text, fmt.Sprintf("%d ratios, %s to %s", n, ratios[0].bound(Times), ratios[n-1].bound(Times)))
	case n > 0:
		var written []string
		for _, r := range ratios {
			written = append(written, r.Write(w))
		}
		what := string(ratios[0].Kind)
		if !trials {
			what = ratios[0].Of.Named(w).Name + ": " + what
		}
		text = append(text, what+" "+strings.Join(written, ", "))
	}
	for i := 0; i < min(len(means), most); {
		m := means[i]
		what, unit := m.q.Named(w).Name, m.value.In(w)
		if m.at > 1 {
			what = "largest " + what
		}
		var values []string
		for ; i < len(means) && means[i].q.Named(w) == m.q.Named(w); i++ {
			value := means[i].value.bound(unit)
			diverged := math.IsInf(means[i].value.Value, 0)
			if s := v.sample(means[i].q); (trials || diverged) && len(s.Xs()) == 1 {
				value = s.write(unit)
			}
			values = append(values, strings.TrimSpace(Whose(means[i].q, w)+" "+value))
		}
		if trials || len(values) <= most {
			text = append(text, strings.TrimSpace(what+": "+strings.Join(values, ", ")+" "+unit.Name))
		}
	}
	met, of := 0, 0
	for _, n := range v.Numbers {
		met, of = met+n.Met, of+n.Trials
	}
	if len(text) == 0 && of > 0 {
		return fmt.Sprintf("met in %d of %d", met, of)
	}
	return strings.Join(text, "; ")
}

func (v Verdict) sample(q Quantity) Sample {
	for _, s := range v.Shown {
		if equal(s.Quantity, q) {
			return s.Sample
		}
	}
	return nil
}

// Write writes a number with its unit, and its interval if it is a ratio of means.
func (n Number) Write(w Words) string {
	unit := n.In(w)
	text := strings.TrimSpace(n.bound(unit) + " " + unit.Name)
	if n.Kind == RatioOfAll {
		text += fmt.Sprintf(" (%s to %s)", record.Number(n.Low), record.Number(n.High))
	}
	return text
}

// In is what the number is in.
func (n Number) In(w Words) Unit {
	if n.Unit != nil {
		return *n.Unit
	}
	return n.Of.Named(w).Unit
}

// bound is the number, as a bound if something had not happened.
func (n Number) bound(unit Unit) string {
	switch text := unit.number(n.Value); {
	case n.AtLeast && n.AtMost:
		return "unknown"
	case n.AtLeast:
		return "≥ " + text
	case n.AtMost:
		return "≤ " + text
	default:
		return text
	}
}

// needs is what would decide an undecided claim.
func (j Judgement) needs() string {
	if a := j.Verdict.Answer; a != Undecided && a != NotRun {
		return ""
	}
	var all []string
	for i, n := range j.Needs {
		text := n.Else
		if text == "" {
			text = "`" + n.Figure + " " + n.Panel + "`"
			if i > 0 && n.Figure == j.Needs[i-1].Figure {
				text = "`" + n.Panel + "`"
			}
			if n.Hours > 0 {
				text += fmt.Sprintf(" (%s h)", record.Number(n.Hours))
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// words name panels only where a rule has several.
func (j Judgement) words() Words {
	w := j.Set.Words
	var panels []string
	for _, a := range parts[Arm](j.Rule) {
		if !slices.Contains(panels, a.Panel) {
			panels = append(panels, a.Panel)
		}
	}
	if len(panels) < 2 {
		return w.withoutPanels()
	}
	return w
}

func (w Words) withoutPanels() Words {
	w.Panels = nil
	return w
}

// letter is the name of a claim within its set.
func letter(i int) string { return string(rune('a' + i)) }

var marks = map[Answer]string{Reproduced: "+", NotReproduced: "−", Undecided: "?", NotRun: "0"}

// changes is a table of what other conditions change: the claims, and what they are there.
func (g Group) changes() table {
	t := table{Head: "with | changes"}
	var changes []string
	with := map[string][]string{} // the conditions, by what they change
	for _, c := range g.others() {
		ran, differ := false, []string{}
		for i, j := range g.Judgements {
			answer := j.Under(c)
			_, changed := c.In(j.Rule)
			if ran = ran || changed && answer != NotRun; answer != j.Decided().Answer {
				differ = append(differ, letter(i)+" "+marks[answer])
			}
		}
		if change := cmp.Or(strings.Join(differ, ", "), "nothing"); ran {
			changes, with[change] = append(changes, change), append(with[change], c.Name)
		}
	}
	for _, change := range distinct(changes) {
		t.Rows = append(t.Rows, strings.Join(with[change], "; ")+" | "+change)
	}
	return t
}

type table struct {
	Head string
	Rows []string
}

// numbers is a table of all quantities of the verdicts that are not seen yet: a row for what is measured, with single
// trials of each arm, or, of a sweep, a row for each arm.
func (g Group) numbers(seen *[]Quantity) table {
	type measured struct {
		what   string
		sweeps bool
		arms   []string
	}
	var all []measured
	for _, j := range g.Judgements {
		for i, s := range j.Decided().Shown {
			q := s.Quantity
			_, guard := q.(Falling)
			if guard || len(s.Sample) == 0 || !g.listed(j, i) ||
				slices.ContainsFunc(*seen, func(o Quantity) bool { return equal(o, q) }) {
				continue
			}
			*seen = append(*seen, q)
			w := g.Words.withoutPanels()
			named := q.Named(w)
			what, unit := named.Name, named.Unit
			if unit.Name != "" {
				what = strings.TrimSuffix(what, ",") + ", " + unit.Name
			}
			if of := parts[Arm](q); len(of) > 0 && g.Words.panel(of[0]) != "" {
				what += " (" + g.Words.panel(of[0]) + ")"
			}
			at := slices.IndexFunc(all, func(m measured) bool { return m.what == what })
			if at < 0 {
				at, all = len(all), append(all, measured{what: what})
			}
			values := s.Sample.write(unit)
			if len(s.Sample.Xs()) > 1 {
				all[at].sweeps = true
				values = s.Sample.sweep(unit, func(at Sample) int { return g.met(q, at) })
			}
			all[at].arms = append(all[at].arms, strings.TrimSpace(Whose(q, w)+" "+values))
		}
	}
	t := table{Head: "numbers |"}
	for _, m := range all {
		if !m.sweeps {
			t.Rows = append(t.Rows, m.what+" | "+strings.Join(m.arms, "; "))
			continue
		}
		for _, arm := range m.arms {
			t.Rows = append(t.Rows, strings.TrimSpace(m.what+" | "+arm))
			m.what = ""
		}
	}
	return t
}

// listed tells whether the table has a quantity of a verdict. claims.json has those of our own checks, and of a rule
// that has many.
func (g Group) listed(j Judgement, i int) bool {
	const most = 11
	shown := j.Decided().Shown
	inEntry := slices.ContainsFunc(g.Judgements, func(j Judgement) bool {
		return slices.ContainsFunc(j.Decided().Numbers, func(n Number) bool {
			return n.Kind == MeanNumber && equal(n.Of, shown[i].Quantity)
		})
	})
	ofRule := len(shown) - len(j.Show)
	return !j.Ours && (ofRule <= most || i >= ofRule) && !(inEntry && len(shown[i].Sample.Xs()) == 1)
}

// met is how many trials meet what a rule of the group asks of every trial.
func (g Group) met(q Quantity, s Sample) int {
	for _, j := range g.Judgements {
		for _, r := range parts[AtMost](j.Rule) {
			if n := met(s, r.Limit, false); r.Over == EveryTrial && equal(r.Q, q) && n < len(s) {
				return n
			}
		}
	}
	return len(s)
}

// few values are listed one by one on a page.
const few = 5

// write lists the values of a sample. Where there are many, it writes their mean and range; claims.json has them.
func (s Sample) write(unit Unit) string {
	if len(s) > few && len(distinct(s.texts(unit))) > 1 {
		return s.summary(unit)
	}
	return s.list(unit)
}

// sweep writes the mean at each x, or, where only some trials meet a rule, each; once for neighbours that read alike.
func (s Sample) sweep(unit Unit, met func(at Sample) int) string {
	type span struct {
		from, to float64
		text     string
	}
	var means Sample
	var spans []span
	for _, x := range s.Xs() {
		at := s.At(x)
		mean := Value{V: at.Mean(), Censored: at.Censored()}
		means = append(means, mean)
		text := mean.write(unit)
		if n := met(at); 0 < n && n < len(at) {
			text = at.list(unit)
		}
		if last := len(spans) - 1; last >= 0 && spans[last].text == text {
			spans[last].to = x
		} else {
			spans = append(spans, span{x, x, text})
		}
	}
	if len(spans) > 2*few {
		return means.summary(unit)
	}
	var all []string
	for _, span := range spans {
		at := record.Number(span.from)
		if span.to != span.from {
			at += " to " + record.Number(span.to)
		}
		all = append(all, at+": "+span.text)
	}
	return strings.Join(all, ", ")
}

// list is all values, or one if they read alike.
func (s Sample) list(unit Unit) string {
	all := s.texts(unit)
	if len(distinct(all)) == 1 {
		return all[0]
	}
	return strings.Join(all, " ")
}

func (s Sample) texts(unit Unit) []string {
	var all []string
	for _, v := range s {
		all = append(all, v.write(unit))
	}
	return all
}

// summary is the mean and the range.
func (s Sample) summary(unit Unit) string {
	mean := Value{V: s.Mean(), Censored: s.Censored()}
	return fmt.Sprintf("%s [%s, %s]", mean.write(unit), unit.number(s.Min()), unit.number(s.Max()))
}

func (v Value) write(unit Unit) string {
	if v.Censored {
		return "> " + unit.number(v.V)
	}
	return unit.number(v.V)
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	r := []rune(text)
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}
