package replication

import "fmt"

// ConvergedShare is how much of the memoryless error is left when a trial of Figure 4 counts as converged: a tenth.
const ConvergedShare = 0.1

const (
	// "significantly speeds up": at least twice as fast on average, and no standard trial as fast as chrono's slowest. Where
	// standard has not converged when the run ends, its number of steps is only known to be larger; it is then significant
	// if no standard trial has even come to this share of the memoryless error when the last chrono trial converges.
	speedUp   = 2
	halfShare = 0.5

	// "7 times faster" is read off two curves. Five times is still about seven; more than seven says the same and more.
	sevenTimes = 5
)

func fig4Claims() []Claim {
	return []Claim{
		fasterClaim("adding200", "left"),
		outperformsClaim("adding200", "left"),
		fasterClaim("adding750", "right"),
		outperformsClaim("adding750", "right"),
		{
			ID:        "fig4.adding750.7x",
			Where:     "Section 3, Adding task; Figure 4, right",
			Says:      "With T = 750, chrono converges 7 times faster.",
			Criterion: "every chrono trial gets to a tenth of the memoryless error, in at most a fifth of the steps that standard takes, on average",
			judge: func(e evidence) (bool, string, error) {
				c, err := convergenceOf(e, "adding750")
				if err == nil && c.allOfChrono && !c.allOfStandard && c.ratio() < sevenTimes {
					err = missing("the run ends before standard converges: %s", c)
				}
				return c.allOfChrono && c.ratio() >= sevenTimes, c.String(), err
			},
		},
		{
			ID:        "fig4.with-fig3.all-synthetic",
			Where:     "Section 3, second paragraph; Figures 3 and 4",
			Says:      "Chrono does far better than standard on all synthetic tasks.",
			Criterion: "the claims beats-standard of Figure 3 (which except variable copy with T = 500, as the paper does) and outperforms of Figure 4 all hold at one scale",
			judge:     judgeSynthetic,
		},
	}
}

func judgeSynthetic(e evidence) (bool, string, error) {
	all, found := true, ""
	for _, c := range []Claim{
		beatsClaim("copy500", ""), beatsClaim("copy2000", ""), beatsClaim("varcopy1000", ""),
		outperformsClaim("adding200", ""), outperformsClaim("adding750", ""),
	} {
		holds, _, err := c.judge(e)
		if err != nil {
			return false, "", err
		}
		if found != "" {
			found += ", "
		}
		found += c.ID + map[bool]string{true: " holds", false: " does not hold"}[holds]
		all = all && holds
	}
	return all, found, nil
}

func fasterClaim(panel, place string) Claim {
	return Claim{
		ID:        "fig4." + panel + ".faster",
		Where:     "Section 3, Adding task; Figure 4, " + place,
		Says:      fmt.Sprintf("On %s, chrono speeds up learning significantly.", panelNames[panel]),
		Criterion: "every chrono trial gets to a tenth of the memoryless error, before any standard trial, in at most half of the steps on average or before any standard trial gets to half of that error",
		judge: func(e evidence) (bool, string, error) {
			c, err := convergenceOf(e, panel)
			return c.allOfChrono && c.chrono.Max < c.standard.Min && (c.ratio() >= speedUp || c.chrono.Max < c.standardHalf.Min), c.String(), err
		},
	}
}

func outperformsClaim(panel, place string) Claim {
	return Claim{
		ID:        "fig4." + panel + ".outperforms",
		Where:     "Caption of Figure 4, " + place,
		Says:      fmt.Sprintf("On %s, chrono does far better than standard.", panelNames[panel]),
		Criterion: "averaged over all of training, chrono's error is at most half of standard's, and its worst trial's is below standard's best",
		judge: func(e evidence) (bool, string, error) {
			r, err := e.record("fig4", panel, "")
			if err != nil {
				return false, "", err
			}
			chrono, err := r.meanError("chrono")
			if err != nil {
				return false, "", err
			}
			standard, err := r.meanError("standard")
			return beats(chrono, standard), fmt.Sprintf("mean error chrono %v, standard %v (%s%d trials, %d steps)", chrono, standard, lengthOf(r), chrono.N, r.End.Steps), err
		},
	}
}

// meanError returns each trial's training error, averaged over all steps.
func (r *Record) meanError(arm string) (Spread, error) {
	models, err := r.trials(arm, nil)
	if err != nil {
		return Spread{}, err
	}
	var means []float64
	for _, m := range models {
		steps, losses := r.curve(m)
		mean, before := 0.0, 0
		for i, step := range steps { // a point is the mean over the steps since the last one
			mean += losses[i] * float64(step-before) / float64(steps[len(steps)-1])
			before = step
		}
		means = append(means, mean)
	}
	return SpreadOf(means), nil
}

// convergence is how many steps the trials of a panel of Figure 4 took until they had converged.
type convergence struct {
	chrono, standard Spread // a trial that did not converge counts with all the steps it had
	allOfChrono      bool   // converged
	allOfStandard    bool
	standardHalf     Spread // steps of standard to half of the memoryless error
	length           string
}

// ratio returns how many times faster chrono was; a lower bound if standard has not converged.
func (c convergence) ratio() float64 { return c.standard.Mean / c.chrono.Mean }

func (c convergence) String() string {
	atLeast := map[bool]string{false: "≥ "}
	return fmt.Sprintf("steps to a tenth of the memoryless error: chrono %s%v, standard %s%v, ratio %s%.2g (%s%d trials)",
		atLeast[c.allOfChrono], c.chrono, atLeast[c.allOfStandard], c.standard, atLeast[c.allOfStandard], c.ratio(), c.length, c.chrono.N)
}

func convergenceOf(e evidence, panel string) (convergence, error) {
	c := convergence{}
	r, err := e.record("fig4", panel, "")
	if err != nil {
		return c, err
	}
	memoryless, err := r.memoryless()
	if err != nil {
		return c, err
	}
	c.length = lengthOf(r)
	if c.chrono, c.allOfChrono, err = r.stepsTo(ConvergedShare*memoryless, "chrono"); err != nil {
		return c, err
	}
	if c.standardHalf, _, err = r.stepsTo(halfShare*memoryless, "standard"); err != nil {
		return c, err
	}
	c.standard, c.allOfStandard, err = r.stepsTo(ConvergedShare*memoryless, "standard")
	return c, err
}

// stepsTo returns after how many steps the training loss of an arm's trials first was at most loss, and whether that of all was at all.
func (r *Record) stepsTo(loss float64, arm string) (steps Spread, all bool, err error) {
	models, err := r.trials(arm, nil)
	if err != nil {
		return Spread{}, false, err
	}
	all = true
	var first []float64
	for _, m := range models {
		at := -1
		steps, losses := r.curve(m)
		for i, l := range losses {
			if l <= loss {
				at = steps[i]
				break
			}
		}
		if at < 0 {
			at, all = r.End.Steps, false
		}
		first = append(first, float64(at))
	}
	return SpreadOf(first), all, nil
}
