package claim

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/golden"
	"github.com/warptime/warptime/replication/record"
)

// testJudgements have every verdict, at every scale where there can be one, and numbers that several claims share.
func testJudgements() []Judgement {
	j := func(id, where, says, criterion string, verdict Answer, scale record.Scale, found, why string,
		by ...Run) Judgement {
		claim := Claim{ID: id, Where: where, Says: says, Criterion: criterion, DecidedBy: by}
		return Judgement{Claim: claim, Scale: scale, Finding: Finding{Answer: verdict, Why: why,
			Found: strings.FieldsFunc(found, func(r rune) bool { return r == ';' })}}
	}
	const (
		gated = "excess loss of gated 0.1 % [0, 0.2] at 10, 0.5 % [0.3, 0.7] at 50, 1 % [0.8, 1.2] at 100"
		rnn   = "excess loss of rnn 1 % [0.9, 1.1] at 10, 50 % [49, 51] at 50, 99 % [98, 100] at 100"
	)
	depends := j("warp/fig3.varcopy.same", "Footnote 6", "A model need not be trained anew.", "few", Depends, "reduced",
		"loss 0.1", "reproduced at rate 1e-3; contradicted at rate 4e-3")
	depends.holds, depends.of, depends.Number = 1, 2, "0.1 (reproduced); 0.9 (contradicted)"
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
		depends,
		j("warp/fig3.copy2000.plateau", "Figure 3", "On the copy task with T = 2000, standard stays on a plateau.",
			"near it", Inconclusive, "quick", "standard 0.2", onlyPaper,
			Run{Figure: "warp/fig3", Panel: "copy2000", Scale: record.Paper}),
		j("warp/fig3.spikes", "Figure 3", "Spikes are harmless.", "few", Inconclusive, "reduced", "0 spikes",
			"there is no spike"),
		j("context/fig2.faster", "Section 2.2", "A learned initial state converges faster.", "sooner", NotRun, "", "",
			"no record of context/fig2 retrieval"),
		j("context/fig2.better", "Section 2.2", "A learned initial state is better.", "lower", NotRun, "", "",
			"no record of context/fig2 retrieval"),
		j("context/eq4.sigma", "Equation 4", "The uncertainty is learned.", "moved", NotRun, "", "",
			"trials of learned in context/fig5 decay: 1, wants 3",
			Run{Figure: "context/fig5", Panel: "decay", Scale: record.Paper, Trials: 10},
			Run{Needs: "a | larger network"}),
	}
}

func testPage() Page {
	return Page{
		Judgements: testJudgements(),
		Titles:     map[string]string{"warp": "Can recurrent neural networks warp time?", "context/eq4": "Equation 4"},
		Hours: func(r Run) (float64, bool) {
			return 28.125, r.Panel == "copy2000"
		},
		Links: map[string]string{"warp/fig3": "[Picture](fig3.png)"},
	}
}

func TestMarkdown(t *testing.T) {
	md := testPage().Markdown()
	golden.Check(t, "testdata/claims.md", []byte(md))
	columns := 0
	for _, line := range strings.Split(md, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		if bars := strings.Count(line, "|") - strings.Count(line, `\|`); columns == 0 {
			columns = bars
		} else if bars != columns {
			t.Errorf("a row with other cells than the first: %s", line)
		}
	}
}

// writeText writes what WriteText does, and WriteCounts below it.
func writeText(t *testing.T, width int, colours bool) string {
	t.Helper()
	var b strings.Builder
	check.OK(t, testPage().WriteText(&b, width, colours))
	b.WriteString("\n")
	check.OK(t, testPage().WriteCounts(&b, width, colours))
	return b.String()
}

func TestWriteText(t *testing.T) {
	golden.Check(t, "testdata/claims-60.txt", []byte(writeText(t, 60, false)))
	golden.Check(t, "testdata/claims.txt", []byte(writeText(t, 0, false)))
	plain := strings.Join(strings.Fields(writeText(t, 0, false)), " ")
	for width := 60; width <= 100; width++ {
		text := writeText(t, width, false)
		for _, line := range strings.Split(text, "\n") {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("%d columns: %q", width, line)
			}
		}
		if strings.Join(strings.Fields(text), " ") != plain {
			t.Errorf("%d columns: other words", width)
		}
	}
	for _, write := range []func(io.Writer, int, bool) error{testPage().WriteText, testPage().WriteCounts} {
		if err := write(failing{}, 80, false); !errors.Is(err, errWriting) {
			t.Errorf("error %v", err)
		}
	}
}

// Only the answers have colours, each its own, and without them the text is the same.
func TestWriteTextInColours(t *testing.T) {
	plain, coloured := writeText(t, 80, false), writeText(t, 80, true)
	escape := regexp.MustCompile("(\x1b\\[[0-9;]*m)([A-Z][a-z ]+)\x1b\\[0m")
	if strings.Contains(plain, "\x1b") || escape.ReplaceAllString(coloured, "$2") != plain {
		t.Errorf("in colours:\n%q", coloured)
	}
	colours := map[string]string{}
	for _, m := range escape.FindAllStringSubmatch(coloured, -1) {
		colours[m[2]] = m[1]
	}
	used := map[string]bool{}
	for _, c := range colours {
		used[c] = true
	}
	if len(colours) != 5 || len(used) != 5 {
		t.Errorf("answers have the colours %q", colours)
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
		check.Equal(t, strings.Join(words(text), "|"), want, "where %q can be broken", text)
	}
}

func TestCount(t *testing.T) {
	want := "Of 11 claims, 3 are reproduced (2 of them by runs of the paper's own size), 1 depends on a choice that " +
		"the paper leaves open, 1 is contradicted, 3 are inconclusive and 3 are not run."
	check.Equal(t, Count(testJudgements()), want, "count")
	check.Equal(t, Count(nil), "There are no claims.", "count of none")
}

func TestFigure(t *testing.T) {
	for id, want := range map[string]string{"warp/fig3.copy500.beats": "warp/fig3",
		"context/eq4.sigma": "context/eq4"} {
		check.Equal(t, (Claim{ID: id}).Figure(), want, "what %s is about", id)
	}
}

func TestSummaryInADocument(t *testing.T) {
	summary := Count(testJudgements())
	readme := fmt.Appendf(nil, "# Title\n\n%s\nyesterday\n%s\n\nmore\n", TableBegin, TableEnd)
	current, err := ReplaceSummary(readme, summary)
	check.OK(t, err)
	want := fmt.Sprintf("# Title\n\n%s\n\n%s\n\n%s\n\nmore\n", TableBegin, summary, TableEnd)
	if string(current) != want {
		t.Errorf("document:\n%s\nwant\n%s", current, want)
	}
	for _, bad := range []string{
		"no markers", TableBegin + "\n" + string(readme), string(readme) + TableEnd + "\n",
		TableEnd + "\n" + TableBegin + "\n", string(readme) + string(readme),
	} {
		_, err := ReplaceSummary([]byte(bad), summary)
		check.Rejected(t, bad, err, "")
	}
}
