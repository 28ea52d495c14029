// Package prose holds pages that people write to the claims that their numbers come from. A page names these in a
// comment of Markdown: <!-- from: warp/fig4.adding750.7x -->.
package prose

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/warptime/warptime/replication/claim"
)

var (
	source  = regexp.MustCompile(`<!-- from: ([^>]*?)\s*-->`)
	skipped = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|<!--[^>]*-->|_[0-9]")
	numeral = regexp.MustCompile(`\d[\d,]*(\.\d+)?(e-?\d+)?`)
)

// Check returns what is wrong with paragraphs that name claims: a claim that there is not, or a number that none
// of those named has, to the digits given. Links, code and subscripts are passed over.
func Check(text string, judgements []claim.Judgement) (wrong []string) {
	for _, paragraph := range strings.Split(text, "\n\n") {
		var all []float64
		sources := source.FindAllStringSubmatch(paragraph, -1)
		for _, from := range sources {
			for _, id := range strings.Fields(from[1]) {
				i := slices.IndexFunc(judgements, func(j claim.Judgement) bool { return j.ID == id })
				if i < 0 {
					wrong = append(wrong, "no claim "+id)
					continue
				}
				all = append(all, stated(judgements[i])...)
			}
		}
		if len(sources) == 0 {
			continue
		}
		for _, written := range numeral.FindAllString(skipped.ReplaceAllString(paragraph, ""), -1) {
			if !slices.ContainsFunc(all, func(v float64) bool { return roundsTo(v, written) }) {
				wrong = append(wrong, fmt.Sprintf("no claim has the number %s of %q", written, paragraph))
			}
		}
	}
	return wrong
}

// stated are the numbers of a judgement, as they are written: means and bounds of what the rule asked for, single
// trials, and the numbers of the rule and of the claim's sentence.
func stated(j claim.Judgement) []float64 {
	w := j.Set.Words
	var all []float64
	for _, v := range []claim.Verdict{j.Verdict, j.Smaller} {
		for _, n := range v.Numbers {
			if n.Kind == claim.Counted {
				all = append(all, float64(n.Met), float64(n.Trials))
				continue
			}
			times := n.In(w).Times
			all = append(all, times*n.Value, times*n.Low, times*n.High)
		}
		for _, s := range v.Shown {
			times := s.Quantity.Named(w).Unit.Times
			for _, x := range s.Sample.Xs() {
				at := s.Sample.At(x)
				all = append(all, x, times*at.Mean(), float64(len(at)))
				for _, value := range at {
					all = append(all, times*value.V)
				}
			}
		}
	}
	for _, text := range []string{j.Says, j.Quote, j.Rule.Text(w)} { // written for readers, and quoted by them
		for _, n := range numeral.FindAllString(text, -1) {
			all = append(all, parse(n))
		}
	}
	return all
}

func parse(written string) float64 {
	v, err := strconv.ParseFloat(strings.ReplaceAll(written, ",", ""), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// roundsTo tells whether a number is written like this with as many decimals.
func roundsTo(v float64, written string) bool {
	if strings.Contains(written, "e") {
		return v == parse(written)
	}
	_, decimals, _ := strings.Cut(written, ".")
	half := 0.5 * math.Pow(10, -float64(len(decimals)))
	return math.Abs(v-parse(written)) <= half*(1+1e-9)
}
