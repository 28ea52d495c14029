package warp

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

const (
	characterTask = "Appendix A, Next character prediction on text8"
	wordTask      = "Appendix A, Next word prediction on Penn Treebank"
)

// text8Test are the bits per character that W gives for the test set of text8, and Cooijmans its footnote's for
// Cooijmans et al. Perplexity is that of the test set of the Penn Treebank: W prints 6.54, which is Zilly et al.'s 65.4
// misprinted.
var (
	text8Test = map[string]float64{chronoArm: 1.37, standardArm: 1.38}
	Cooijmans = 1.36

	Perplexity = 65.4
)

// What is enough is our choice: the paper says "uniformly", "by a small margin", "relatively small" and "similar".
const (
	learnedBits     = 3.0   // something is learned of text8 if a model needs fewer bits per character
	uniformShare    = 0.95  // of the points of a curve
	skippedShare    = 0.05  // of the points are left out
	smallMarginBits = 0.05  // bits per character
	leastMarginBits = 0.001 // bits per character; curves that are nearer to each other are alike
	leastBits       = 0.003 // two models are alike if they differ by less, and the paper's do by 0.01
	mostBits        = 0.03
	nearBits        = 0.02 // a result is the paper's if it is not further from it
	smallShare      = 0.03 // a difference is relatively small if it is at most this share
	farCharacters   = 32   // characters
	farShare        = 0.1  // short-term dependencies dominate if what is further back gives at most this share
	similarShare    = 0.02 // two perplexities are similar if they differ by at most this share
	nearPerplexity  = 1.5  // and a perplexity is the paper's if it is not further from it
	guessingShare   = 0.9  // something is learned of words if a perplexity is below this share of their number
)

// The paper's own numbers of runs.
const (
	text8Runs = 2
	ptbRuns   = 1
)

// Why a claim about text is inconclusive.
const (
	noRealText = "no real text at this scale"
	paperOnly  = "only a run of the paper's own size has the paper's values"
	diverged   = "a trial diverged"
	otherSigns = "the sign of the difference is not the same in every pair of trials"
)

func fig7Claims() []claim.Claim {
	text8 := func(name, says, criterion string, judge func(characterResults) (claim.Answer, string)) claim.Claim {
		return claim.Claim{
			ID: "warp/fig7.text8." + name, Where: characterTask, Says: says, Criterion: criterion,
			MinTrials: text8Runs, Judge: ofCharacters(judge),
		}
	}
	small := text8("small-difference", "On text8, the difference between the initializations is relatively small.",
		"the mean test results differ by at most 3 %", characterResults.small)
	behind := text8("behind-cooijmans", "On text8, both are slightly behind the 1.36 of Cooijmans et al.",
		"at scale paper: the test results of all trials are above 1.36 bits per character",
		characterResults.behindCooijmans)
	behind.Where = "Footnote 8"
	similarWords := claim.Claim{
		ID: "warp/fig7.ptb.similar", Where: wordTask, MinTrials: ptbRuns,
		Says: "On the Penn Treebank, chrono's test perplexity, 65.4 (printed as 6.54), is similar to Zilly et al.'s.",
		Criterion: "the mean test perplexities of chrono and standard, which is Zilly et al.'s network, differ by at " +
			"most 2 %; at scale paper, chrono's is within 1.5 of 65.4, too",
		Judge: ofWords(wordResults.similar),
	}
	slightGain := claim.Claim{
		ID: "a slight gain or none on the Penn Treebank", MinTrials: ptbRuns, Judge: ofWords(wordResults.slightGain),
	}
	return []claim.Claim{
		text8("uniformly-better", "On text8's validation set, chrono is uniformly better by a small margin.",
			"chrono's mean curve is below standard's at 95 % of the points or more, the first twentieth left out; in "+
				"every pair of trials chrono's mean is lower; and the means differ by less than 0.05 bits per "+
				"character",
			characterResults.uniformlyBetter),
		text8("test", "On text8's test set, chrono has 1.37 bits per character, and standard 1.38.",
			"chrono's mean is below standard's by 0.003 to 0.03 bits per character; at scale paper, both are within "+
				"0.02 of these values, too", characterResults.test),
		text8("every-run", "On text8's test set, the same slight difference is observed on two runs.",
			"in every pair of trials of one seed chrono's test result is below standard's by 0.003 bits per "+
				"character or more", characterResults.everyRun),
		behind,
		small,
		text8("short-term", "On text8, short-term dependencies dominate, presumably.",
			"of all bits that a model gains by knowing more than one character before, the characters more than 32 "+
				"back give at most a tenth, in every trial of both initializations", characterResults.shortTerm),
		similarWords,
		{
			ID: "warp/fig7.ptb.tmax-11", Where: wordTask, Computed: true,
			Says:      "On the Penn Treebank, Tmax = 11 gives an average bias close to 2.",
			Criterion: "the mean of log U(1, 11) is within 0.5 of 2",
			Judge: func(claim.Evidence) claim.Finding {
				mean := meanLogUniform(longestPTB)
				found := fmt.Sprintf("the mean of log U(1, %d) is %.3f", longestPTB, mean)
				return claim.Found(claim.AtMost(claim.Exactly(math.Abs(mean-2)), 0.5), "", found)
			},
		}, {
			ID: "warp/fig7.ptb.depth-divides", Where: "Footnote 9", Computed: true,
			Says: "In a recurrent highway network, time scales are divided by the depth.",
			Criterion: "with gates that stand still at σ(−b), for b from 0 to log 11, ten layers forget " +
				"to 1/e in a tenth of the steps of one (a test of package cell holds the network itself to it)",
			Judge: func(claim.Evidence) claim.Finding { return depthDivides(10) },
		}, {
			ID: "warp/fig7.with-fig6.real-outperforms-or-competes", Where: "Section 3, second paragraph",
			Says: "On real-world problems, chrono outperforms standard or competes with it.",
			Criterion: "in no panel of Figures 6 and 7 is every trial of standard visibly better than every trial of " +
				"chrono: in best validation accuracy by half a point, in bits per character by 0.003, in perplexity " +
				"by 2 %",
			MinTrials: ptbRuns, Judge: claim.Judging(competes),
		}, {
			ID: "warp/fig7.with-fig3-fig4.long-large-short-small", Where: "Introduction, contributions",
			Says: "Gains are substantial where dependencies are long, and slight or none where short ones dominate.",
			Criterion: "beats-standard in Figure 3 (copy), outperforms in Figure 4 and small-difference in Figure 7 " +
				"are all reproduced, and on the Penn Treebank chrono's mean test perplexity is at most 3 % below " +
				"standard's",
			MinTrials: ptbRuns,
			Judge: onRealText(claim.All(beatsStandard(Fig3.Panel("copy500")),
				beatsStandard(Fig3.Panel("copy2000")), outperforms(Fig4.Panel("adding200")),
				outperforms(Fig4.Panel("adding750")), small, slightGain)),
		},
	}
}

// onRealText leaves what is judged by other figures, too, inconclusive where the text is made up.
func onRealText(judge func(claim.Evidence) claim.Finding) func(claim.Evidence) claim.Finding {
	return func(e claim.Evidence) claim.Finding {
		f := judge(e)
		if f.Answer != claim.NotRun && madeUp(e.Scale) {
			f.Answer, f.Why = claim.Inconclusive, noRealText
		}
		return f
	}
}

// characterResults are what the panel of text8 shows, trial by trial of each arm; trials of one place in the lists have
// one seed.
type characterResults struct {
	chrono, standard characterModels
	scale            record.Scale
	about            string
}

type characterModels struct {
	curves  []claim.Curve // validation bits per character
	test    []float64     // bits per character
	context [][]float64   // of these, by how many characters are known before; see contexts
}

func ofCharacters(judge func(characterResults) (claim.Answer, string)) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding {
		c := charactersOf(r)
		if why := c.unfit(); why != "" {
			return claim.Found(claim.Inconclusive, why, c.String())
		}
		answer, why := judge(c)
		return claim.Found(answer, why, append([]string{c.String()}, c.more()...)...)
	})
}

func charactersOf(r claim.Reader) characterResults {
	models := func(arm string) characterModels {
		trials := r.Arm(Fig7.ID(), text8Panel.Name, arm)
		curves := r.Curves(trials.Curves(validBits))
		for i := range curves {
			curves[i] = curves[i].Losses()
		}
		return characterModels{curves, r.Values(trials.Losses(testBits)), r.Vectors(trials.Vectors(contextual))}
	}
	c := characterResults{models(chronoArm), models(standardArm), r.Scale, text8Panel.TitleAt(r.Scale)}
	if n, m := len(c.chrono.test), len(c.standard.test); n != m {
		r.Need(fmt.Errorf("%d trials of chrono and %d of standard on text8: want pairs", n, m))
	}
	return c
}

// unfit is why nothing can be said; "" if something can.
func (c characterResults) unfit() string {
	switch {
	case madeUp(c.scale):
		return noRealText
	case math.IsInf(c.tests().Max, 1):
		return diverged
	case c.tests().Min > learnedBits:
		return claim.NothingLearned
	}
	return ""
}

// madeUp tells whether the text is made up at a scale.
func madeUp(scale record.Scale) bool { return text8Panel.Sizes[scale].StandIn }

func (c characterResults) String() string {
	return fmt.Sprintf("%s: test bits per character, chrono %v, standard %v", c.about, thousandths(c.chrono.test),
		thousandths(c.standard.test))
}

func (c characterResults) tests() record.Spread {
	return record.SpreadOf(slices.Concat(c.chrono.test, c.standard.test))
}

// thousandths is a spread to a thousandth of a bit, for a text.
func thousandths(values []float64) record.Spread {
	var rounded []float64
	for _, v := range values {
		rounded = append(rounded, math.Round(1000*v)/1000)
	}
	return record.SpreadOf(rounded)
}

// more is what there is to say of the curves, and of what is far back.
func (c characterResults) more() []string {
	share, gap, _ := c.uniformity()
	return []string{
		fmt.Sprintf("validation: chrono is below standard at %.0f %% of the points, by %.4f bits on average", 100*share,
			gap),
		fmt.Sprintf("what is more than %d characters back gives %v %% of what context gives", farCharacters,
			claim.Percent(record.SpreadOf(c.farShares()))),
	}
}

// uniformity is at which share of the points chrono's mean curve is below standard's, by how much on average, and
// whether that is so in every pair of trials.
func (c characterResults) uniformity() (share, gap float64, pairs claim.Answer) {
	points := len(c.chrono.curves[0].Values)
	from := int(math.Ceil(skippedShare * float64(points)))
	var below, gaps []float64
	for i := from; i < points; i++ {
		difference := 0.
		for k := range c.chrono.curves {
			difference += c.standard.curves[k].Values[i] - c.chrono.curves[k].Values[i]
		}
		below = append(below, 0)
		if difference > 0 {
			below[len(below)-1] = 1
		}
	}
	for k := range c.chrono.curves {
		gaps = append(gaps, claim.Mean(c.standard.curves[k].Values[from:])-claim.Mean(c.chrono.curves[k].Values[from:]))
	}
	return claim.Mean(below), claim.Mean(gaps), atLeast(record.SpreadOf(gaps), 0, 0)
}

func (c characterResults) uniformlyBetter() (claim.Answer, string) {
	share, gap, pairs := c.uniformity()
	switch {
	case share >= uniformShare && pairs == claim.Reproduced && gap < smallMarginBits && gap >= leastMarginBits:
		return claim.Reproduced, ""
	case share <= 1-uniformShare && pairs == claim.Contradicted, share >= uniformShare && gap >= smallMarginBits:
		return claim.Contradicted, ""
	}
	return claim.Inconclusive, "neither is uniformly better"
}

// differences are by how much chrono's test result is below standard's, over the pairs.
func (c characterResults) differences() record.Spread {
	return difference(c.standard.test, c.chrono.test)
}

func (c characterResults) test() (claim.Answer, string) {
	differences := c.differences()
	switch {
	case !(differences.Mean >= leastBits):
		if differences.Max <= -leastBits {
			return claim.Contradicted, ""
		}
		return claim.Inconclusive, "no difference is visible"
	case differences.Mean > mostBits:
		return claim.Contradicted, ""
	case differences.Min < 0:
		return claim.Inconclusive, otherSigns
	case c.scale != record.Paper:
		return claim.Reproduced, ""
	}
	near := func(test []float64, arm string) claim.Answer {
		return claim.AtMost(claim.Exactly(math.Abs(claim.Mean(test)-text8Test[arm])), nearBits)
	}
	return claim.Every(near(c.chrono.test, chronoArm), near(c.standard.test, standardArm)), ""
}

func (c characterResults) everyRun() (claim.Answer, string) {
	return atLeast(c.differences(), leastBits, -leastBits), otherSigns
}

func (c characterResults) behindCooijmans() (claim.Answer, string) {
	if c.scale != record.Paper {
		return claim.Inconclusive, paperOnly
	}
	return atLeast(c.tests(), Cooijmans, Cooijmans), someTrials
}

func (c characterResults) small() (claim.Answer, string) {
	chrono, standard := claim.Mean(c.chrono.test), claim.Mean(c.standard.test)
	return claim.AtMost(claim.Exactly(math.Abs(chrono-standard)/standard), smallShare), ""
}

// farShares are, for each trial of both arms, the share of what context gives that comes from far back.
func (c characterResults) farShares() []float64 {
	var shares []float64
	far := slices.Index(contexts, farCharacters)
	for _, bits := range slices.Concat(c.chrono.context, c.standard.context) {
		least := bits[len(bits)-1]
		shares = append(shares, (bits[far-1]-least)/(bits[0]-least)) // from 16 to 31 characters known
	}
	return shares
}

func (c characterResults) shortTerm() (claim.Answer, string) {
	return claim.AtMost(record.SpreadOf(c.farShares()), farShare), someTrials
}

// wordResults are the test perplexities of the panel of the Penn Treebank: of each trial at the point of its lowest
// validation loss.
type wordResults struct {
	chrono, standard record.Spread
	scale            record.Scale
}

func ofWords(judge func(wordResults) (claim.Answer, string)) func(claim.Evidence) claim.Finding {
	return claim.Judging(func(r claim.Reader) claim.Finding {
		w := wordsOf(r)
		if why := w.unfit(); why != "" {
			return claim.Found(claim.Inconclusive, why, w.String())
		}
		answer, why := judge(w)
		return claim.Found(answer, why, w.String())
	})
}

func wordsOf(r claim.Reader) wordResults {
	perplexities := func(arm string) record.Spread {
		trials := r.Arm(Fig7.ID(), ptbPanel.Name, arm)
		valid, test := r.Curves(trials.Curves(validEntropy)), r.Curves(trials.Curves(testEntropy))
		var values []float64
		for i := range valid {
			losses := valid[i].Losses().Values
			best := slices.Index(losses, slices.Min(losses))
			values = append(values, math.Exp(test[i].Losses().Values[best]))
		}
		return record.SpreadOf(values)
	}
	return wordResults{perplexities(chronoArm), perplexities(standardArm), r.Scale}
}

// unfit is why nothing can be said; "" if something can. Something is learned if a model knows more than how many words
// there are.
func (w wordResults) unfit() string {
	switch {
	case madeUp(w.scale):
		return noRealText
	case math.IsInf(max(w.chrono.Max, w.standard.Max), 1):
		return diverged
	}
	number := ptbPanel.Sizes[w.scale].Declaration.(words).text.Alphabet()
	if min(w.chrono.Min, w.standard.Min) >= guessingShare*float64(number) {
		return claim.NothingLearned
	}
	return ""
}

func (w wordResults) String() string {
	return fmt.Sprintf("%s: test perplexity, chrono %v, standard %v", ptbPanel.TitleAt(w.scale), w.chrono, w.standard)
}

func (w wordResults) similar() (claim.Answer, string) {
	answer := claim.Reproduced
	if !(math.Abs(w.chrono.Mean/w.standard.Mean-1) <= similarShare) {
		answer = claim.Inconclusive
		if claim.Below(w.chrono, w.standard, 0) != claim.Inconclusive {
			answer = claim.Contradicted
		}
	}
	if w.scale == record.Paper {
		near := claim.AtMost(claim.Exactly(math.Abs(w.chrono.Mean-Perplexity)), nearPerplexity)
		answer = claim.Every(answer, near)
	}
	return answer, "the trials of both overlap"
}

func (w wordResults) slightGain() (claim.Answer, string) {
	return claim.AtMost(claim.Exactly(1-w.chrono.Mean/w.standard.Mean), smallShare), ""
}

// meanLogUniform is the mean of log U(1, n): (n·log n − n + 1)/(n − 1).
func meanLogUniform(n float64) float64 { return (n*math.Log(n) - n + 1) / (n - 1) }

// depthDivides lets gates stand still, layer after layer, and compares when 1/e of a state is left.
func depthDivides(depth int) claim.Finding {
	var ratios []float64
	for _, scale := range []float64{2, 3, 5, 8, longestPTB + 1} {
		keeps := 1 - 1/scale // 1 − σ(−b) for b = log(scale − 1)
		left := 1.           // of a state after one step of all layers
		for range depth {
			left *= keeps
		}
		ratios = append(ratios, math.Log(left)/math.Log(keeps)) // of the numbers of steps, whole or not
	}
	s, d := record.SpreadOf(ratios), float64(depth)
	return claim.Found(claim.AtMost(claim.Exactly(max(s.Max-d, d-s.Min)), 1e-9), "",
		fmt.Sprintf("one layer takes %v times as many steps as %d layers", s, depth))
}

// competes looks for a panel of real data in which standard is better than chrono.
func competes(r claim.Reader) claim.Finding {
	var found []string
	lost, unlearned := false, false
	for _, name := range []string{"mnist", "pmnist"} {
		a := accuraciesOf(r, Fig6.Panel(name))
		found = append(found, a.String())
		lost = lost || claim.Below(a.chrono, a.standard, clearShare) == claim.Reproduced
		unlearned = unlearned || max(a.chrono.Max, a.standard.Max) < recognizedShare
	}
	c, w := charactersOf(r), wordsOf(r)
	found = append(found, c.String(), w.String())
	chrono, standard := record.SpreadOf(c.chrono.test), record.SpreadOf(c.standard.test)
	lost = lost || claim.Below(standard, chrono, leastBits) == claim.Reproduced ||
		claim.Below(w.standard, w.chrono, similarShare*w.standard.Mean) == claim.Reproduced
	unfit := []string{c.unfit(), w.unfit()}
	switch {
	case madeUp(r.Scale):
		return claim.Found(claim.Inconclusive, "no real data at this scale", found...)
	case slices.Contains(unfit, diverged):
		return claim.Found(claim.Inconclusive, diverged, found...)
	case lost:
		return claim.Found(claim.Contradicted, "", found...)
	case unlearned || slices.Contains(unfit, claim.NothingLearned):
		return claim.Found(claim.Inconclusive, claim.NothingLearned, found...)
	}
	return claim.Found(claim.Reproduced, "", found...)
}
