package claim

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Prose that states measured numbers, in the README or in a notebook, names the claims that they come from in a comment
// at the end of its paragraph:
//
//	In copying over 500 steps it gets to 10 to 17 % of that loss. <!-- from: warp/fig3.copy500.beats-standard -->
var (
	source    = regexp.MustCompile(`<!-- from: ([^>]*?) -->`)
	paragraph = regexp.MustCompile(`\n[ \t]*\n|\n[ \t]*[-*] `)
	quoted    = regexp.MustCompile("`[^`]*`|\\[[^]]*\\]\\([^)]*\\)|<!--.*?-->")
	numeral   = regexp.MustCompile(`\d+(,\d{3})+|\d+(\.\d+)?(e-?\d+)?`)
)

// Sourced tells whether a paragraph says where its numbers come from.
func Sourced(paragraph string) bool { return source.MatchString(paragraph) }

// Paragraphs returns those of a text in Markdown; each item of a list is one.
func Paragraphs(text string) []string { return paragraph.Split(text, -1) }

// CheckProse returns a line for each number of a text that none of the claims states which its paragraph names: neither
// the number itself nor one that is rounded to it. Paragraphs that name no claims are passed over, and so are links and
// code.
func CheckProse(text string, judgements []Judgement) []string {
	var wrong []string
	for _, p := range Paragraphs(text) {
		var stated []float64
		for _, from := range source.FindAllStringSubmatch(p, -1) {
			for _, id := range strings.Fields(from[1]) {
				i := slices.IndexFunc(judgements, func(j Judgement) bool { return j.ID == id })
				if i < 0 {
					wrong = append(wrong, fmt.Sprintf("no claim %s", id))
					continue
				}
				j := judgements[i]
				for _, s := range append([]string{j.Says, j.Criterion, j.Number}, j.Found...) {
					stated = append(stated, numbers(s)...)
				}
			}
		}
		if !Sourced(p) {
			continue
		}
		for _, written := range numeral.FindAllString(quoted.ReplaceAllString(p, ""), -1) {
			if !slices.ContainsFunc(stated, func(v float64) bool { return roundsTo(v, written) }) {
				wrong = append(wrong, fmt.Sprintf("no claim states the number %s of %q", written, excerpt(p)))
			}
		}
	}
	return wrong
}

func numbers(text string) []float64 {
	var all []float64
	for _, n := range numeral.FindAllString(text, -1) {
		all = append(all, parse(n))
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
	_, decimals, _ := strings.Cut(written, ".")
	if strings.Contains(written, "e") {
		return v == parse(written)
	}
	half := 0.5 * math.Pow(10, -float64(len(decimals)))
	return math.Abs(v-parse(written)) <= half*(1+1e-9)
}

func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}
