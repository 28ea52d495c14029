package claim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Reading is one way to fill in what the paper leaves open, and what is found that way.
type Reading struct {
	Name    string
	Learned bool // whether any network learns anything; if none does, the reading is not the paper's
	Finding
}

// NothingLearned is the reason of a claim about networks of which none has learned its task.
const NothingLearned = "nothing was learned"

// UnderEvery returns what can be said if nobody knows which reading is the paper's: what is said under each that can
// be.
func UnderEvery(readings ...Reading) Finding {
	var found, answers []string    // each once
	names := map[string][]string{} // of the readings, by what is said under them
	var last Reading               // of those that can be the paper's
	for _, r := range readings {
		for _, statement := range r.Found {
			if !slices.Contains(found, statement) {
				found = append(found, statement)
			}
		}
		if !r.Learned {
			continue
		}
		answer := r.says()
		if names[answer] == nil {
			answers = append(answers, answer)
		}
		names[answer] = append(names[answer], r.Name)
		last = r
	}
	switch len(answers) {
	case 0:
		return Found(Inconclusive, NothingLearned, found...)
	case 1:
		return Found(last.Answer, last.Why, found...)
	}
	for i, answer := range answers {
		answers[i] = fmt.Sprintf("%s (%s)", answer, strings.Join(names[answer], " / "))
	}
	return Found(Inconclusive, strings.Join(answers, ", "), found...)
}

// UnderSome returns what can be said if a claim is about one reading at least.
func UnderSome(readings ...Reading) Finding {
	for _, answer := range []Answer{Reproduced, NotRun} {
		for _, r := range readings {
			if r.Answer == answer {
				return r.Finding
			}
		}
	}
	return UnderEvery(readings...)
}

// Merged returns one reading of that name in place of several under which the same is found.
func Merged(name string, readings ...Reading) []Reading {
	for _, r := range readings {
		if r.Learned != readings[0].Learned || !reflect.DeepEqual(r.Finding, readings[0].Finding) {
			return readings
		}
	}
	return []Reading{{name, readings[0].Learned, readings[0].Finding}}
}

// says is the answer, and why it is Inconclusive.
func (f Finding) says() string { return strings.TrimSuffix(f.Answer.String()+": "+f.Why, ": ") }
