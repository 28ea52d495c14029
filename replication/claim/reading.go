package claim

import (
	"fmt"
	"slices"
	"strings"
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
	Name string // for a reader: "rate 1e-3"
	Is   string // what Evidence.Read returns: the part of names in records (of a figure, a panel, an arm, a result)
}

// A ReadingFinding is what is found under one reading, or one combination of readings.
type ReadingFinding struct {
	Name string // "rate 1e-3, short tests"
	Finding
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

// underEach judges a claim under each combination of readings of the choices that it names and that are not yet made.
func (c Claim) underEach(e Evidence) Finding {
	open := slices.DeleteFunc(slices.Clone(c.Open), func(choice Choice) bool {
		return slices.ContainsFunc(e.readings, func(r chosen) bool { return r.of == choice.Open })
	})
	if len(open) == 0 {
		return c.Judge(e)
	}
	made := e.readings
	var each []combined
	for _, readings := range combinations(open) {
		e.readings = append(slices.Clone(made), readings...)
		each = append(each, combined{readings, c.Judge(e)})
	}
	return combine(each)
}

// A combined finding is that under one combination of readings.
type combined struct {
	readings []chosen
	Finding
}

// combine returns what can be said if nobody knows which reading is the paper's. A reading under which nothing is
// learned is not the paper's, unless that is so of all. A choice that makes no difference does not count.
func combine(each []combined) Finding {
	var found, numbers []string // each once
	for _, f := range each {
		for _, statement := range f.Found {
			if !slices.Contains(found, statement) {
				found = append(found, statement)
			}
		}
	}
	each = withoutIdle(each)
	var readings []ReadingFinding
	for _, f := range each {
		readings = append(readings, ReadingFinding{nameOf(f.readings), f.Finding})
		if f.Number != "" {
			numbers = append(numbers, strings.TrimPrefix(nameOf(f.readings)+": "+f.Number, ": "))
		}
	}
	counted := slices.DeleteFunc(slices.Clone(readings), func(r ReadingFinding) bool { return r.unlearned })
	if len(counted) == 0 {
		return Unlearned(found...)
	}
	f := counted[0].Finding
	f.Found, f.Number = found, strings.Join(numbers, "; ")
	if len(readings) > 1 {
		f.Readings = readings
	}
	var answers []Answer
	for _, r := range counted {
		answers = append(answers, r.Answer)
	}
	n := len(counted)
	reproduced, contradicted, notRun := count(answers, Reproduced), count(answers, Contradicted), count(answers, NotRun)
	switch {
	case reproduced == n, contradicted == n, notRun == n, n == 1:
		return f
	case reproduced > 0:
		f.Answer = Depends
		f.Why = fmt.Sprintf("reproduced in %d of %d readings: %s", reproduced, n, byAnswer(counted))
	default:
		f.Answer, f.Why = Inconclusive, byAnswer(counted)
	}
	return f
}

func count(answers []Answer, a Answer) int {
	n := 0
	for _, b := range answers {
		if a == b {
			n++
		}
	}
	return n
}

// byAnswer writes which readings have which answer, and why.
func byAnswer(readings []ReadingFinding) string {
	var answers []string
	names := map[string][]string{}
	for _, r := range readings {
		answer := strings.TrimSuffix(r.Answer.String()+", "+r.Why, ", ")
		if names[answer] == nil {
			answers = append(answers, answer)
		}
		names[answer] = append(names[answer], r.Name)
	}
	var parts []string
	for _, answer := range answers {
		parts = append(parts, fmt.Sprintf("%s: %s", strings.Join(names[answer], " / "), answer))
	}
	return strings.Join(parts, "; ")
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
	return strings.Join(names, ", ")
}
