package warp

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/record"
)

// Text are sentences of W about several figures, or about what no figure shows. Those that only sum up what each
// figure's claims say (chrono outperforms standard on all synthetic tasks; it gains much where dependencies are long,
// and little where they are short) are no claims of their own, so that nothing is counted twice: the claims name them
// in Where.
var Text = claim.Set{
	ID: "warp/text", Title: "Claims of the text",
	Conditions: []claim.Condition{
		{
			Name: "as declared",
			Why: "the paper's words, or the figures'; but older weights: Glorot's in copy (a-e, h), U(±1/√H) in f " +
				"and g",
		},
		{Name: "Glorot's weights", Swaps: fromGlorot},
		{Name: "Tmax wrong by a factor of 3", Swaps: withinThree()},
	},
	Claims: slices.Concat(safeClaims, gatesClaims, tiedClaims, []claim.Claim{
		{
			Name: "spikes-harmless", Where: "Section 3; Figures 3 and 4",
			Says:  "Without gradient clipping there are a few short-lived spikes, without effect on final performance.",
			Quote: "a few short-lived spikes",
			Rule: Harmless{
				Of: slices.Concat(
					bothOf("warp/fig3", "copy500"+normal, "copy2000"+normal, "varcopy500"+normal, "varcopy1000"+normal),
					bothOf("warp/fig4", "adding200", "adding750"),
				),
				Spike: spike, Few: fewSpikes, Harm: visible,
			},
			Needs: "how many spikes the paper means by a few",
		}, {
			Name: "real-outperforms-or-competes", Where: section3, MinTrials: ptbRuns,
			Says:  "On real-world problems, chrono outperforms standard or competes with it.",
			Quote: "and outperforms or competes with it on real world problems",
			Rule: claim.All{
				onImages("mnist", claim.Any{noClearDifference("mnist"), chronoIsBetter("mnist", clearly, "")}),
				onImages(permuted, claim.Any{noClearDifference(permuted), chronoIsBetter(permuted, clearly, "")}),
				onText8(claim.Any{
					claim.Equivalent{A: text8Bits(chronoArm), B: text8Bits(standardArm), Within: leastBits},
					claim.Below{A: text8Bits(chronoArm), B: text8Bits(standardArm), By: leastBits},
				}),
				onPTB(claim.Any{
					ptbSimilar,
					claim.Below{A: ptbPerplexity(chronoArm), B: ptbPerplexity(standardArm), Share: similarTo},
				}),
			},
		},
	}),
}

// What spikes are, and how many are a few. The paper gives no numbers.
var (
	spike     = claim.Threshold{Value: 3, From: 1} // times the median of the points around
	fewSpikes = claim.Threshold{Value: 0.05}       // of a curve
)

// spikeAround is how many points on each side are around one. Near the start it is as many as there are before it, on
// both sides, so that the steep fall there is no spike.
const spikeAround = 10

// Harmless holds if some curves have spikes, these are few in every curve, and each curve ends where it would without
// them: not above its lowest fifth, nor above the memoryless loss, which a network has that learns nothing. Its
// opposite holds if in all trials of an arm spikes are many, or the end is higher.
type Harmless struct {
	Of               []claim.Arm
	Spike, Few, Harm claim.Threshold
}

func (r Harmless) Judge(e *claim.Evidence) claim.Finding {
	var all claim.All
	some := false
	for _, arm := range r.Of {
		spikes, above := Spikes{Of: arm, Factor: r.Spike, By: r.Harm}, EndsAbove{Of: arm}
		some = some || e.Of(spikes).Max() > 0
		all = append(all, claim.AtMost{Q: spikes, Limit: r.Few}, claim.AtMost{Q: above, Limit: r.Harm})
	}
	f := all.Judge(e)
	f.Numbers = slices.Concat(largestMean(f.Numbers, EndsAbove{}), largestMean(f.Numbers, Spikes{}))
	if !some {
		f.Answer, f.Why = claim.Undecided, "there are no spikes"
	}
	return f
}

// largestMean is the largest of the means that are of quantities of one type; of equal ones, that with the widest
// interval.
func largestMean(numbers []claim.Number, like claim.Quantity) (largest []claim.Number) {
	for _, n := range numbers {
		if n.Kind != claim.MeanNumber || reflect.TypeOf(n.Of) != reflect.TypeOf(like) {
			continue
		}
		if largest == nil || cmp.Or(cmp.Compare(n.Value, largest[0].Value), cmp.Compare(n.High, largest[0].High)) > 0 {
			largest = []claim.Number{n}
		}
	}
	return largest
}

func (r Harmless) Text(w claim.Words) string {
	return fmt.Sprintf("in every trial of %d arms at most %s of the points of the training curve are spikes (%g times "+
		"the median of the %d points on each side), and the final loss is at most %s above the lowest fifth of the "+
		"curve and the memoryless loss", len(r.Of), claim.Percent.Write(r.Few.Value), r.Spike.Value, spikeAround,
		claim.Percent.Write(r.Harm.Value))
}

// Spikes is at which share of its points a training curve is above so many times the median of the points around, and
// above it by some share of the memoryless loss. Where most of the points around are spikes, too, it sees none.
type Spikes struct {
	Of         claim.Arm
	Factor, By claim.Threshold
}

func (q Spikes) Read(s claim.Source) claim.Sample {
	return ofLosses(s, q.Of, func(c claim.Curve) float64 {
		n := 0
		for i, loss := range c.Values {
			side := min(spikeAround, i)
			median := claim.Median(c.Values[i-side : min(len(c.Values), i+side+1)])
			if loss > q.Factor.Value*median && loss > median+q.By.Value {
				n++
			}
		}
		return float64(n) / float64(len(c.Values))
	})
}

func (Spikes) Named(claim.Words) claim.Named { return claim.Named{Name: "spikes", Unit: claim.Percent} }

// EndsAbove is how far the final loss is above the lowest that the median of a fifth of the curve ever is, or above the
// memoryless loss if that is lower.
type EndsAbove struct{ Of claim.Arm }

func (q EndsAbove) Read(s claim.Source) claim.Sample {
	return ofLosses(s, q.Of, func(c claim.Curve) float64 {
		points, lowest := c.FinalPoints(), 1.
		for i := 0; i+points <= len(c.Values); i++ {
			lowest = min(lowest, claim.Median(c.Values[i:i+points]))
		}
		return c.Final() - lowest
	})
}

func (EndsAbove) Named(claim.Words) claim.Named {
	return claim.Named{Name: "final loss above the lowest", Unit: claim.Percent}
}

// ofLosses is a number of each trial's training curve, in shares of the memoryless loss.
func ofLosses(s claim.Source, of claim.Arm, number func(claim.Curve) float64) claim.Sample {
	return s.Trials(of).Each(func(t claim.Trial) float64 {
		return number(t.Curve(record.Train, claim.OfMemoryless, false))
	})
}
