package claim

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

// testJudgements have every verdict, at every scale where there can be one, and numbers that several claims share.
func testJudgements() []Judgement {
	j := func(id, where, says, criterion string, verdict Answer, scale record.Scale, found, why string) Judgement {
		claim := Claim{ID: id, Where: where, Says: says, Criterion: criterion}
		return Judgement{Claim: claim, Scale: scale, Finding: Finding{Answer: verdict, Why: why,
			Found: strings.FieldsFunc(found, func(r rune) bool { return r == ';' })}}
	}
	const (
		gated = "excess loss of gated 0.1 % [0, 0.2] at 10, 0.5 % [0.3, 0.7] at 50, 1 % [0.8, 1.2] at 100"
		rnn   = "excess loss of rnn 1 % [0.9, 1.1] at 10, 50 % [49, 51] at 50, 99 % [98, 100] at 100"
	)
	return []Judgement{
		j("warp/fig1.warp.gated-perfect", "Section 3; Figure 1", "Gated RNNs solve uniform warping perfectly.",
			"at most 5 %", Reproduced, "paper", gated, ""),
		j("warp/fig1.warp.gated-beats-rnn", "Section 3",
			"In uniform warping, gated RNNs are significantly better than plain ones as soon as "+
				"the warping is moderate.", "each gated trial is better", Reproduced, "paper", gated+";"+rnn, ""),
		j("warp/fig1.warp.rnn-fails", "Section 1", "Moderate warping is impossible for a plain RNN.", "at least 5 %",
			Contradicted, "paper", rnn, ""),
		j("warp/fig3.copy500.beats", "Figure 3", "On the copy task with T = 500, chrono is far better.", "half of |it|",
			Reproduced, "quick", "chrono 0.01, standard 0.9 [0.8, 1]", ""),
		j("warp/fig3.copy500.plateau", "Figure 3", "On the copy task with T = 500, standard stays on a plateau.",
			"near it", Inconclusive, "quick", "chrono 0.01, standard 0.9 [0.8, 1]", onlyPaper),
		j("warp/fig3.copy2000.plateau", "Figure 3", "On the copy task with T = 2000, standard stays on a plateau.",
			"near it", Inconclusive, "quick", "standard 0.2", onlyPaper),
		j("warp/fig3.spikes", "Figure 3", "Spikes are harmless.", "few", Inconclusive, "reduced", "0 spikes",
			"there is no spike"),
		j("context/fig2.faster", "Section 2.2", "A learned first state converges faster.", "sooner", NotRun, "", "",
			"no record of context/fig2 retrieval"),
		j("context/fig2.better", "Section 2.2", "A learned first state is better.", "lower", NotRun, "", "",
			"no record of context/fig2 retrieval"),
		j("context/eq4.sigma", "Equation 4", "The uncertainty is learned.", "moved", NotRun, "", "",
			"trials of learned in context/fig5 decay: 1, wants 3"),
	}
}

func TestMarkdown(t *testing.T) {
	titles := map[string]string{"warp": "Can recurrent neural networks warp time?", "context/eq4": "Equation 4"}
	md := Markdown(testJudgements(), titles)
	golden.Check(t, "testdata/claims.md", []byte(md))
	for _, line := range strings.Split(md, "\n") {
		if bars := strings.Count(line, "|") - strings.Count(line, `\|`); strings.HasPrefix(line, "|") && bars != 5 {
			t.Errorf("a row without 4 cells: %s", line)
		}
	}
}

func TestWriteText(t *testing.T) {
	write := func(width int) string {
		var b strings.Builder
		if err := WriteText(&b, testJudgements(), width, false); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	golden.Check(t, "testdata/claims-60.txt", []byte(write(60)))
	golden.Check(t, "testdata/claims.txt", []byte(write(0)))

	split := regexp.MustCompile(`^ *[\[%=]`)
	brokenRange := regexp.MustCompile(`\[[^\]]*$|=$`)
	plain := strings.Join(strings.Fields(write(0)), " ")
	for width := 40; width <= 100; width++ {
		text := write(width)
		for _, line := range strings.Split(text, "\n") {
			if utf8.RuneCountInString(line) > width || brokenRange.MatchString(line) || split.MatchString(line) {
				t.Errorf("%d columns: %q", width, line)
			}
		}
		if strings.Join(strings.Fields(text), " ") != plain {
			t.Errorf("%d columns: other words", width)
		}
		for number, times := range map[string]int{"49, 51": 2, "0.8, 1.2": 1} { // reproduced and contradicted
			if n := strings.Count(text, number); n != times {
				t.Errorf("%d columns: %d times %s", width, n, number)
			}
		}
	}
	if err := WriteText(failing{}, testJudgements(), 80, false); !errors.Is(err, errWriting) {
		t.Errorf("error %v", err)
	}
}

// Only the verdicts have colours, each its own, and without them the text is the same.
func TestWriteTextInColours(t *testing.T) {
	var plain, coloured strings.Builder
	for b, colours := range map[*strings.Builder]bool{&plain: false, &coloured: true} {
		if err := WriteText(b, testJudgements(), 80, colours); err != nil {
			t.Fatal(err)
		}
	}
	escape := regexp.MustCompile("(\x1b\\[[0-9;]*m)([A-Z][a-z ]+)\x1b\\[0m")
	if strings.Contains(plain.String(), "\x1b") || escape.ReplaceAllString(coloured.String(), "$2") != plain.String() {
		t.Errorf("in colours:\n%q", coloured.String())
	}
	colours := map[string]string{}
	for _, m := range escape.FindAllStringSubmatch(coloured.String(), -1) {
		colours[m[2]] = m[1]
	}
	used := map[string]bool{}
	for _, c := range colours {
		used[c] = true
	}
	if len(colours) != 4 || len(used) != 4 {
		t.Errorf("verdicts have the colours %q", colours)
	}
}

type failing struct{}

var errWriting = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errWriting }

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"standard 0.9 % [0.8, 1] at  10":   "standard|0.9 % [0.8, 1]|at|10",
		"with T = 500, at 10 × (59 to 60)": "with|T = 500,|at|10 ×|(59|to|60)",
		"":                                 "",
		"[1, 2":                            "[1, 2",
	} {
		if got := strings.Join(words(text), "|"); got != want {
			t.Errorf("%q can be broken at %q, want %q", text, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	want := "Of 10 claims: 2 reproduced at the paper's scale, 1 reproduced at quick scale, " +
		"1 contradicted at the paper's scale, 1 inconclusive at reduced scale, " +
		"2 inconclusive at quick scale (2 of them found the reverse), 3 not run."
	if got := Count(testJudgements()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := Count(nil); got != "There are no claims." {
		t.Error(got)
	}
}

func TestFigure(t *testing.T) {
	for id, want := range map[string]string{"warp/fig3.copy500.beats": "warp/fig3",
		"context/eq4.sigma": "context/eq4"} {
		if got := (Claim{ID: id}).Figure(); got != want {
			t.Errorf("%s is about %s", id, got)
		}
	}
}

func TestSummaryInADocument(t *testing.T) {
	summary := Count(testJudgements())
	readme := fmt.Appendf(nil, "# Title\n\n%s\nyesterday\n%s\n\nmore\n", TableBegin, TableEnd)
	if err := CheckSummary(readme, summary); err == nil || !strings.Contains(err.Error(), "-readme") {
		t.Errorf("an outdated summary passed: %v", err)
	}
	current, err := ReplaceSummary(readme, summary)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("# Title\n\n%s\n\n%s\n\n%s\n\nmore\n", TableBegin, summary, TableEnd)
	if string(current) != want {
		t.Errorf("document:\n%s\nwant\n%s", current, want)
	}
	if err := CheckSummary(current, summary); err != nil {
		t.Error(err)
	}
	if err := CheckSummary(current, Count(testJudgements()[1:])); err == nil {
		t.Error("the summary of other judgements passed")
	}
	for _, bad := range []string{
		"no markers", TableBegin + "\n" + string(readme), string(readme) + TableEnd + "\n",
		TableEnd + "\n" + TableBegin + "\n", string(readme) + string(readme),
	} {
		if _, err := ReplaceSummary([]byte(bad), summary); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v", bad, err)
		}
		if err := CheckSummary([]byte(bad), summary); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}
