package claim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// A Choice is one thing that a paper leaves open, what we do, and why. It may depend on the choice which claims are
// reproduced: Readings are then the ways to fill it in for which there are experiments, and a Claim that names the
// choice in Open is judged for each.
type Choice struct {
	Open, Chosen, Why string
	Readings          []Reading
}

// A Reading is one way to fill in what a paper leaves open.
type Reading struct {
	Name string // for a reader, as words that follow a verdict: "at rate 1e-3"
	Is   string // what Evidence.Read returns: the part of names in records (of a figure, a panel, an arm, a result)
}

// Read returns under which reading of a choice the claim is being judged: its Is. The claim must name the choice.
func (e Evidence) Read(c Choice) string {
	for _, r := range e.readings {
		if r.of == c.Open {
			return r.Is
		}
	}
	panic(fmt.Sprintf("a rule reads the choice %q, which its claim does not declare in Open", c.Open))
}

// ReadingName returns the name of the reading of a choice under which the claim is being judged.
func (e Evidence) ReadingName(c Choice) string {
	for _, r := range e.readings {
		if r.of == c.Open {
			return r.Name
		}
	}
	return ""
}

// A chosen reading belongs to a choice.
type chosen struct {
	of string // what is open
	Reading
}

// combinations returns each combination of one reading of each choice.
func combinations(choices []Choice) [][]chosen {
	all := [][]chosen{nil}
	for _, c := range choices {
		var longer [][]chosen
		for _, before := range all {
			for _, r := range c.Readings {
				longer = append(longer, append(slices.Clone(before), chosen{c.Open, r}))
			}
		}
		all = longer
	}
	return all
}

// underEach judges a claim under each combination of readings of the choices that it names.
func (c Claim) underEach(e Evidence) Finding {
	if len(c.Open) == 0 {
		return c.underOne(e)
	}
	var each []combined
	for _, readings := range combinations(c.Open) {
		e.readings = readings
		each = append(each, combined{readings, c.underOne(e)})
	}
	return combine(each, e.word)
}

// word is an answer to one reading, or to another size than a claim names, for a text. Runs smaller than the paper's
// contradict nothing.
func (e Evidence) word(a Answer) string {
	if a == Contradicted && e.Scale != record.Paper && e.Scale != computation {
		return e.reverse
	}
	return a.String()
}

// A combined finding is that under one combination of readings.
type combined struct {
	readings []chosen
	Finding
}

// combine returns what can be said if nobody knows which reading is the paper's. A reading under which nothing is
// learned is not the paper's, unless that is so of all. A choice that makes no difference does not count. What is
// reproduced in all readings that were run is reproduced, and the finding says which were not; what all of these
// contradict is inconclusive, since another may be the paper's. Answers are written by word.
func combine(each []combined, word func(Answer) string) Finding {
	var found []string // each statement once
	for _, f := range each {
		for _, statement := range f.Found {
			if !slices.Contains(found, statement) {
				found = append(found, statement)
			}
		}
	}
	number, ran := numberOf(each, word), 0
	for _, f := range each {
		if f.Answer != NotRun {
			ran++
		}
	}
	each = withoutIdle(each)
	counted := slices.DeleteFunc(slices.Clone(each), func(f combined) bool { return f.unlearned })
	if len(counted) == 0 {
		f := Unlearned(found...)
		f.Number, f.ran = number, ran
		return f
	}
	f := counted[0].Finding
	f.Found, f.Number, f.ran = found, number, ran
	count := map[Answer]int{}
	for _, of := range counted {
		count[of.Answer]++
	}
	f.against = count[Contradicted] > 0
	switch n := len(counted); {
	case n == 1, count[Reproduced] == n, count[Contradicted] == n, count[NotRun] == n:
		return f
	case count[Reproduced]+count[NotRun] == n:
		f.Answer = Reproduced
		f.Why = grouped(counted, counted, func(f Finding) string {
			if f.Answer == NotRun {
				return f.Answer.String()
			}
			return ""
		}, saysUnder)
		return f
	case count[Reproduced] > 0:
		f.Answer, f.holds, f.of = Depends, count[Reproduced], n-count[NotRun]
	default:
		f.Answer = Inconclusive
	}
	slices.SortStableFunc(counted, func(a, b combined) int { return int(b.Answer) - int(a.Answer) })
	f.Why = grouped(counted, counted, func(f Finding) string {
		if f.Answer == NotRun {
			return word(NotRun)
		}
		return f.says(word)
	}, saysUnder)
	f.under = grouped(counted, counted, func(f Finding) string { return word(f.Answer) }, saysUnder)
	return f
}

// numberOf is the number of several findings. Where it is the same words with other figures, these are ranges. Where
// the answers differ, it is that of each answer.
func numberOf(each []combined, word func(Answer) string) string {
	var texts []string
	var answers []Answer
	for _, a := range append(slices.Clone(Answers), NotRun) {
		group := slices.DeleteFunc(slices.Clone(each), func(f combined) bool { return f.Answer != a || f.Number == "" })
		if len(group) == 0 {
			continue
		}
		text, ok := ranges(group)
		if !ok {
			text = grouped(group, each, func(f Finding) string { return f.Number }, numberUnder)
		}
		texts, answers = append(texts, text), append(answers, a)
	}
	if len(texts) > 1 {
		for i, a := range answers {
			texts[i] += " (" + word(a) + ")"
		}
	}
	return strings.Join(texts, "; ")
}

// ranges writes the numbers of findings as one: "chrono 10 to 15 %" of "chrono 10 %" and "chrono 15 %". It is false if
// they are not the same words.
func ranges(group []combined) (string, bool) {
	low := figure.FindAllString(group[0].Number, -1)
	high, words := slices.Clone(low), figure.Split(group[0].Number, -1)
	for _, f := range group[1:] {
		if !slices.Equal(figure.Split(f.Number, -1), words) {
			return "", false
		}
		for i, n := range figure.FindAllString(f.Number, -1) {
			if parse(n) < parse(low[i]) {
				low[i] = n
			}
			if parse(n) > parse(high[i]) {
				high[i] = n
			}
		}
	}
	text := words[0]
	for i, n := range low {
		if text += n; parse(high[i]) > parse(n) {
			text += " to " + high[i]
		}
		text += words[i+1]
	}
	return text, true
}

// figure is a numeral, with its sign.
var figure = regexp.MustCompile(`(\B-)?` + "(" + numeral.String() + ")")

func numberUnder(number, readings string) string {
	return strings.TrimPrefix(readings+": "+number, ": ")
}

func saysUnder(says, readings string) string {
	answer, why, because := strings.Cut(says, ": ")
	if because {
		why = " (" + why + ")"
	}
	return answer + " " + readings + why
}

// grouped writes what findings say, each once, and under which of all readings: "reproduced at rate 1e-3; contradicted
// at rate 4e-3". Nothing is written of findings that say nothing.
func grouped(each, all []combined, says func(Finding) string, under func(says, readings string) string) string {
	var order []string
	groups := map[string][]combined{}
	for _, f := range each {
		text := says(f.Finding)
		if text != "" && groups[text] == nil {
			order = append(order, text)
		}
		groups[text] = append(groups[text], f)
	}
	run := slices.DeleteFunc(slices.Clone(all), func(f combined) bool { return f.Answer == NotRun })
	for i, text := range order {
		names := together(groups[text], run) // a reading that was not run is named once
		if groups[text][0].Answer == NotRun || len(names) == 0 {
			names = together(groups[text], all)
		}
		var conditions []string
		or := " or "
		for _, readings := range names {
			conditions = append(conditions, nameOf(readings))
			if len(readings) > 1 {
				or = ", or "
			}
		}
		order[i] = under(text, strings.Join(conditions, or))
	}
	return strings.Join(order, "; ")
}

// together describes combinations of readings, of all that there are, by as few readings as possible: where they hold
// all readings of a choice, it is left out.
func together(group, all []combined) [][]chosen {
	var names [][]chosen
	left := slices.Clone(group)
	for len(left) > 0 {
		// the largest part of the group in which some choices are free, that begins with what is left
		best, covered := left[0].readings, []combined{left[0]}
		n := len(best)
		for free := range 1 << n {
			var name []chosen
			for k, r := range left[0].readings {
				if free>>k&1 == 0 {
					name = append(name, r)
				}
			}
			fits := func(f combined) bool {
				return !slices.ContainsFunc(name, func(r chosen) bool { return !slices.Contains(f.readings, r) })
			}
			outside := slices.ContainsFunc(all, func(f combined) bool {
				return fits(f) && !slices.ContainsFunc(group, func(g combined) bool {
					return slices.Equal(f.readings, g.readings)
				})
			})
			if !outside && len(name) < len(best) {
				best, covered = name, nil
				for _, f := range group {
					if fits(f) {
						covered = append(covered, f)
					}
				}
			}
		}
		if len(best) > 0 {
			names = append(names, best)
		}
		left = slices.DeleteFunc(left, func(f combined) bool {
			return slices.ContainsFunc(covered, func(c combined) bool { return slices.Equal(c.readings, f.readings) })
		})
	}
	return names
}

// withoutIdle leaves out each choice whose readings make no difference to what is said, and all but one of the
// findings that then are of the same combination.
func withoutIdle(each []combined) []combined {
	for k := len(each[0].readings) - 1; k >= 0; k-- {
		said := map[string]string{}
		differs := false
		var rest []combined
		for _, f := range each {
			f.readings = slices.Delete(slices.Clone(f.readings), k, k+1)
			name, says := nameOf(f.readings), fmt.Sprint(f.Answer, f.Why, f.unlearned)
			if before, ok := said[name]; !ok {
				said[name] = says
				rest = append(rest, f)
			} else if before != says {
				differs = true
			}
		}
		if !differs {
			each = rest
		}
	}
	return each
}

func nameOf(readings []chosen) string {
	var names []string
	for _, r := range readings {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}
