package claim

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/warptime/warptime/internal/parts"
	"github.com/warptime/warptime/replication/record"
)

//go:embed page.md
var pageText string

// write is a part of page.md.
var write = Template(pageText)

// Template returns a function that writes a part of a page, which the page defines by its name.
func Template(text string) func(part string, data any) string {
	functions := template.FuncMap{"join": strings.Join, "number": record.Number}
	page := template.Must(template.New("").Funcs(functions).Parse(text))
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
	Claims         int
	Before         map[Answer]int // of those that the paper's size answers: by rules registered before the runs
	Known          int            // of these: except for some networks
}

// CountOf counts judgements, without checks of our own.
func CountOf(judgements []Judgement) Count {
	c := Count{Paper: map[Answer]int{}, Smaller: map[Answer]int{}, Before: map[Answer]int{}}
	for _, j := range judgements {
		if !j.Ours {
			c.Claims++
			c.Paper[j.Verdict.Answer]++
			c.Smaller[j.Smaller.Answer]++
			if j.Before && j.Verdict.Answer != NotRun {
				c.Before[j.Verdict.Answer]++
				c.Known += min(1, j.Known)
			}
		}
	}
	return c
}

// Answered is how many claims runs of the paper's size answer; Hold, Fail and Undecided are how many each way.
func (c Count) Answered() int  { return c.Claims - c.Paper[NotRun] }
func (c Count) Hold() int      { return c.Paper[Reproduced] }
func (c Count) Fail() int      { return c.Paper[NotReproduced] }
func (c Count) Undecided() int { return c.Paper[Undecided] }

// String is a sentence: "Of 75 claims, runs of the paper's size reproduce 20, do not reproduce 8 and leave 30
// undecided; 17 were not run at that size. By the same rules, smaller runs reproduce 12, …"
func (c Count) String() string {
	tally := func(runs string, of map[Answer]int, none string) string {
		return fmt.Sprintf("%s reproduce %d, do not reproduce %d and leave %d undecided; %d have %s.", runs,
			of[Reproduced], of[NotReproduced], of[Undecided], of[NotRun], none)
	}
	text := fmt.Sprintf("Of %d claims, ", c.Claims) + tally("runs of the paper's size", c.Paper, "no such run")
	if n := c.Answered(); n > 0 {
		before := c.Before[Reproduced] + c.Before[NotReproduced] + c.Before[Undecided]
		text += fmt.Sprintf(" %d of these %d rules were fixed before their runs (%d except for some networks); "+
			"by them, %d claims are reproduced, %d are not and %d are undecided.",
			before, n, c.Known, c.Before[Reproduced], c.Before[NotReproduced], c.Before[Undecided])
	}
	if c.Smaller[NotRun] < c.Claims {
		text += " By the same rules, " + tally("smaller runs", c.Smaller, "none")
	}
	return text
}

// Group are the judgements of one set. Its section of a page, in Markdown, has conditions, an entry for each claim, and
// one table of numbers.
type Group struct {
	Set
	Judgements []Judgement
	Section    string
}

// Groups are judgements by their sets, in order. What stands in one section's table is in no later one, nor are the
// numbers of an entry in a later entry.
func Groups(judgements []Judgement) (groups []Group) {
	for _, j := range judgements {
		if len(groups) == 0 || groups[len(groups)-1].ID != j.Set.ID {
			groups = append(groups, Group{Set: j.Set})
		}
		last := &groups[len(groups)-1]
		last.Judgements = append(last.Judgements, j)
	}
	var shown, listed []Quantity
	for i, g := range groups {
		groups[i].Section = g.section(&shown, &listed)
	}
	return groups
}

func (g Group) Count() Count { return CountOf(g.Judgements) }

// Paper is the first part of its identifier.
func (g Group) Paper() string { return path.Dir(g.ID) }

// Heading is what a page calls the set: "Figure 3 (warp/fig3): …".
func (g Group) Heading() string { return fmt.Sprintf("%s (`%s`)", g.Title, g.ID) }

// Joint tells whether runs of the paper's size answer several claims that describe the figure.
func (g Group) Joint() bool { return g.Figure && g.Count().Answered() > 1 }

// Holding names the other conditions under which all claims hold that runs of the paper's size answer.
func (g Group) Holding() (names []string) {
	for _, c := range g.others() {
		if !slices.ContainsFunc(g.Judgements, func(j Judgement) bool {
			return !j.Ours && j.Verdict.Answer != NotRun && j.Under(c) != Reproduced
		}) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Under is the answer under another condition: the verdict's, where the claim does not depend on it.
func (j Judgement) Under(c Condition) Answer {
	for _, r := range j.Rows {
		if r.Kind == OtherCondition && slices.Contains(r.Names, c.Name) {
			return r.Answer
		}
	}
	if c.changes(j.Rule) {
		return NotRun
	}
	return j.Decided().Answer
}

// entry is one claim in Markdown, in a paragraph. What stands above is not repeated.
type entry struct {
	Judgement
	Letter, Quote, Rule, Number, Needs string
}

func (g Group) section(shown, listed *[]Quantity) string {
	var entries []entry
	var rules, quotes, needs []string
	for i, j := range g.Judgements {
		number := sentence(j.Decided().number(j.words(), !j.Ours, *listed...))
		e := entry{j, letter(i), j.Quote, j.Rule.Text(j.words()), number, j.needs()}
		bare := j.Rule.Text(g.Words.withoutPanels())
		if k := slices.Index(rules, bare); k >= 0 {
			e.Rule = "as " + letter(k)
		}
		if k := slices.Index(needs, e.Needs); k >= 0 && e.Needs != "" {
			e.Needs = "as " + letter(k)
		}
		if slices.Contains(quotes, e.Quote) {
			e.Quote = ""
		}
		entries, rules, quotes = append(entries, e), append(rules, bare), append(quotes, j.Quote)
		needs = append(needs, j.needs())
		*listed = append(*listed, each(j.Decided().Numbers, func(n Number) Quantity { return n.Of })...)
	}
	return write("section", struct {
		Group
		Entries          []entry
		Changes, Numbers table
	}{g, entries, g.changes(), g.numbers(shown)})
}

// Verdicts are the answers at both sizes, and those of other ways to judge. Why smaller runs leave a claim
// undecided is of interest where there are no others.
func (j Judgement) Verdicts() string { return write("verdicts", j) }

// OtherWays are the answers of all trials in other ways to judge: "5+ 1−"; "" if there are none.
func (j Judgement) OtherWays() string {
	n := j.otherWays()
	var all []string
	for _, a := range Answers {
		if n[a] > 0 {
			all = append(all, fmt.Sprint(n[a])+marks[a])
		}
	}
	return strings.Join(all, " ")
}

// Fragile verdicts are those of fewer than half of these ways.
func (j Judgement) Fragile() bool {
	d := j.Decided()
	return 2*j.otherWays()[d.With] < len(j.Rows) && d.Answer != Undecided
}

func (j Judgement) otherWays() map[Answer]int {
	n := map[Answer]int{}
	for _, r := range j.Rows {
		n[r.With]++
	}
	return n
}

// Number is the one number that matters, in a few words: "updates to 10 %: standard / chrono 6.82 (medians)", "final
// loss: chrono 18.1, standard 100 %". Of a sweep, it is the largest mean over its x, or the least where that matters.
func (j Judgement) Number() string {
	v, w := j.Decided(), j.words()
	if len(v.Numbers) == 0 || v.Numbers[0].To == nil {
		return v.number(w, false)
	}
	ratio := v.Numbers[0]
	text := compared(ratio.Of, ratio.To, w, "/") + " " + ratio.bound(Plain)
	if ratio.Kind == RatioOfMid {
		text += " (medians)"
	}
	return text
}

// number is what a page says of all numbers, without quantities that are listed already for all arms. With trials,
// these stand in place of a mean, and of however many arms; they do so where a trial has diverged, too.
func (v Verdict) number(w Words, trials bool, listed ...Quantity) string {
	type mean struct {
		Number     // the largest of a quantity's, or the least
		at     int // how many x
	}
	const most = 3 // as many as a reader takes in; claims.json has all
	var means []mean
	var ratios []Number
	var text []string
	for _, n := range v.Numbers {
		i := slices.IndexFunc(means, func(m mean) bool { return equal(m.Of, n.Of) })
		switch {
		case n.To != nil:
			ratios = append(ratios, n)
		case n.Kind == MeanNumber && i < 0:
			means = append(means, mean{n, 1})
		case n.Kind == MeanNumber:
			if means[i].X != n.X {
				means[i].at++
			}
			if n.Value != means[i].Value && n.Least == (n.Value < means[i].Value) {
				means[i].Number = n
			}
		}
	}
	fresh := map[Named]bool{} // what is measured, where it is of an arm that is not listed
	for _, m := range means {
		if !slices.ContainsFunc(listed, func(q Quantity) bool { return equal(q, m.Of) }) {
			fresh[m.Of.Named(w)] = true
		}
	}
	means = slices.DeleteFunc(means, func(m mean) bool { return !fresh[m.Of.Named(w)] })
	switch n := len(ratios); {
	case n > most+1:
		ratios = slices.DeleteFunc(ratios, func(r Number) bool { return r.AtLeast && r.AtMost })
		slices.SortFunc(ratios, func(a, b Number) int { return cmp.Compare(a.Value, b.Value) })
		all := fmt.Sprintf("%d ratios", n)
		if len(ratios) > 0 {
			all += fmt.Sprintf(", %s to %s", ratios[0].bound(Plain), ratios[len(ratios)-1].bound(Plain))
		}
		if unknown := n - len(ratios); unknown > 0 {
			all += fmt.Sprintf(", %d unknown", unknown)
		}
		text = append(text, all)
	case n > 0:
		var written []string
		for _, r := range ratios {
			value := r.bound(Plain)
			if r.Kind == RatioOfAll {
				value += r.between(Plain)
			}
			written = append(written, value)
		}
		what := string(ratios[0].Kind)
		if !trials {
			what = ratios[0].Of.Named(w).Name + ": " + what
		}
		text = append(text, what+" "+strings.Join(written, ", "))
	}
	for i := 0; i < min(len(means), most); {
		m := means[i]
		what, unit := m.Of.Named(w).Name, m.In(w)
		if m.at > 1 {
			what = map[bool]string{false: "largest", true: "least"}[m.Least] + " mean " + what
		}
		var values []string
		for ; i < len(means) && means[i].Of.Named(w) == m.Of.Named(w); i++ {
			value, of := means[i].bound(unit), means[i].Of
			each := trials || math.IsInf(means[i].Value, 0)
			for _, s := range v.Shown {
				if each && equal(s.Quantity, of) && len(s.Sample.Xs()) == 1 {
					value = s.Sample.write(unit)
				}
			}
			if each && means[i].Confidence != 0 {
				value = means[i].bound(unit) + means[i].between(unit)
			}
			values = append(values, strings.TrimSpace(Whose(of, w)+" "+value))
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

// between is the interval, if its ends do not read alike.
func (n Number) between(unit Unit) string {
	low, high := unit.number(n.Low), unit.number(n.High)
	if low == high {
		return ""
	}
	return " (" + low + " to " + high + ")"
}

// In is what the number is in.
func (n Number) In(w Words) Unit {
	if n.To != nil {
		return Plain
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
	return write("needs", j.Needs)
}

// words name panels only where a rule has several.
func (j Judgement) words() Words {
	if len(distinct(each(parts.Of[Arm](j.Rule), func(a Arm) string { return a.Panel }))) < 2 {
		return j.Set.Words.withoutPanels()
	}
	return j.Set.Words
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
	var changes []string
	with := map[string][]string{} // the conditions, by what they change
	for _, c := range g.others() {
		ran, differ := false, []string{}
		for i, j := range g.Judgements {
			answer := j.Under(c)
			if ran = ran || c.changes(j.Rule) && answer != NotRun; answer != j.Decided().Answer {
				differ = append(differ, letter(i)+" "+marks[answer])
			}
		}
		if change := cmp.Or(strings.Join(differ, ", "), "nothing"); ran {
			changes, with[change] = append(changes, change), append(with[change], c.Name)
		}
	}
	return table{"with | changes", each(distinct(changes), func(change string) string {
		return strings.Join(with[change], "; ") + " | " + change
	})}
}

type table struct {
	Head string
	Rows []string
}

// numbers is a table of all quantities of the verdicts that are not seen yet: a row for what is measured, with single
// trials of each arm, or, of a sweep, a row for each arm.
func (g Group) numbers(seen *[]Quantity) table {
	type measured struct {
		what, between string
		arms          []string
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
			if of := parts.Of[Arm](q); len(of) > 0 && g.Words.panel(of[0]) != "" {
				what += " (" + g.Words.panel(of[0]) + ")"
			}
			at := slices.IndexFunc(all, func(m measured) bool { return m.what == what })
			if at < 0 {
				at, all = len(all), append(all, measured{what: what, between: "; "})
			}
			values := s.Sample.write(unit)
			if len(s.Sample.Xs()) > 1 {
				all[at].between = " |\n| | "
				values = s.Sample.sweep(unit, func(at Sample) int { return g.met(q, at) })
			}
			all[at].arms = append(all[at].arms, strings.TrimSpace(Whose(q, w)+" "+values))
		}
	}
	return table{"numbers |", each(all, func(m measured) string {
		return m.what + " | " + strings.Join(m.arms, m.between)
	})}
}

// listed tells whether the table has a quantity of a verdict. claims.json has those of sets of our own, and of a rule
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
	return !(j.Ours && g.Count().Claims == 0) && (ofRule <= most || i >= ofRule) &&
		!(inEntry && len(shown[i].Sample.Xs()) == 1)
}

// met is how many trials meet what a rule of the group asks of every trial.
func (g Group) met(q Quantity, s Sample) int {
	for _, j := range g.Judgements {
		for _, r := range parts.Of[AtMost](j.Rule) {
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
	if texts := s.texts(unit); len(texts) <= few {
		return strings.Join(texts, " ")
	}
	return s.summary(unit)
}

// sweep writes the mean at each x, or, where only some trials meet a rule, each; once for neighbours that read alike.
func (s Sample) sweep(unit Unit, met func(at Sample) int) string {
	xs := s.Xs()
	var means Sample
	var texts, all []string
	for _, x := range xs {
		at := s.At(x)
		mean := Value{V: at.Mean(), Censored: at.Censored()}
		text := mean.write(unit)
		if n := met(at); 0 < n && n < len(at) {
			text = strings.Join(at.texts(unit), " ")
		}
		means, texts = append(means, mean), append(texts, text)
	}
	for from, to := 0, 0; from < len(xs); from = to {
		at := record.Number(xs[from])
		for to = from + 1; to < len(xs) && texts[to] == texts[from]; to++ {
		}
		if to > from+1 {
			at += " to " + record.Number(xs[to-1])
		}
		all = append(all, at+": "+texts[from])
	}
	if len(all) > 2*few {
		return means.summary(unit)
	}
	return strings.Join(all, ", ")
}

// texts are all values, or one if they read alike.
func (s Sample) texts(unit Unit) (all []string) {
	all = each(s, func(v Value) string { return v.write(unit) })
	if alike := distinct(all); len(alike) == 1 {
		return alike
	}
	return all
}

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
	_, first := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:first]) + text[first:]
}
