package record

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Where a run is trained again on another engine, its numbers are rounded in another way, and training can amplify the
// differences until nothing but a rough size is the same. How fast it does depends on the run. So the run is also
// trained with every weight moved by its last bit after every update. As long as that changes nothing, the record must
// agree.
const (
	// A number may differ by floor of its size, and by amplified times what moved runs have differed by until then, in
	// any trial of its arm. Of 126 runs of scale quick, computed again on other engines, none took a fifth of it.
	floor     = 1e-3
	amplified = 100

	// If that is a tenth or more, the number is compared by its size alone: within a factor of what the runs have
	// anywhere for its arm. Losses have spikes of a factor of 30, at any time.
	tenth  = 0.1
	factor = 100
)

// CompareRounded compares a record with the same run that was trained again, and with others of it in which every
// weight was moved by its last bit after every update. All are of one experiment, with its results, and equally long.
//
// It returns a line for each series or result with numbers that rounding does not explain, and one for each with
// numbers that could be compared by their size alone. Those that differ by no more than floor are compared closely,
// whatever rounding could have done to them.
func CompareRounded(r, again *Record, moved ...*Record) (unexplained, unchecked []string) {
	lists, as := r.places(), again.lists()
	all, ms := as, make([][]list, len(moved))
	for m := range moved {
		ms[m] = moved[m].lists()
		all = slices.Concat(all, ms[m])
	}
	sizes, steps := sizes(r.Trials, all), steps(all)
	spreads := map[arm]float64{} // until now
	wrong, loose := tally{}, tally{}
	for i, a := range as {
		l, slack := lists[a.place], 2*steps[a.name]
		for t, trial := range r.Trials {
			of := arm{a.name, trial.Arm}
			spreads[of] = max(spreads[of], spreads[arm{Train, trial.Arm}])
			for m := range ms {
				spreads[of] = max(spreads[of], distance(a.of[t], ms[m][i].of[t], slack))
			}
		}
		for t, trial := range r.Trials {
			of := arm{a.name, trial.Arm}
			bound := floor + amplified*spreads[of]
			far := distance(l.of[t], a.of[t], slack)
			isLoose := bound >= tenth && far > floor
			isWrong := bound < tenth && far > bound || isLoose && !near(size(l.of[t]), sizes[of])
			loose.add(a, trial, far, isLoose)
			wrong.add(a, trial, far, isWrong)
		}
	}
	return wrong.lines("rounding does not explain %d of %d, by up to %s of their size"),
		loose.lines("%d of %d are compared by their size alone, from which they are up to %s away")
}

// A tally counts lists of numbers by their names.
type tally map[string]*count

// A count is how many lists there are, and how many that are not as they should be: how far these are off at most, as a
// share of their size, and which is the first.
type count struct {
	all, n int
	far    float64
	first  string
}

func (t tally) add(l list, trial Trial, far float64, counts bool) {
	c := t[l.name]
	if c == nil {
		c = &count{}
		t[l.name] = c
	}
	c.all++
	if !counts {
		return
	}
	if c.n++; c.n == 1 {
		c.first = fmt.Sprintf("at update %d, trial %d of %s", l.update, trial.Number, trial.Arm)
	}
	c.far = max(c.far, far)
}

func (t tally) lines(format string) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if c := t[name]; c.n > 0 {
			says := fmt.Sprintf(format, c.n, c.all, Number(c.far))
			lines = append(lines, fmt.Sprintf("%s: %s; the first %s", name, says, c.first))
		}
	}
	return lines
}

// distance is how far two lists of numbers are apart, beyond a slack, as a share of their largest number. NaN is equal
// to NaN, and infinitely far from a number.
func distance(x, y Values, slack float64) float64 {
	if len(x) != len(y) {
		return math.Inf(1)
	}
	far := 0.
	for i := range x {
		switch d := math.Abs(x[i] - y[i]); {
		case same(x[i], y[i]) || d <= slack:
		case !Finite(d):
			return math.Inf(1)
		default:
			far = max(far, d-slack)
		}
	}
	if far == 0 {
		return 0
	}
	return far / max(size(x), size(y))
}

// size is the largest of those numbers that are finite, without their signs; NaN if none is.
func size(values Values) float64 {
	largest := math.NaN()
	for _, x := range values {
		if x = math.Abs(x); Finite(x) && !(x < largest) {
			largest = x
		}
	}
	return largest
}

// An arm is what the numbers of one name are of.
type arm struct{ name, arm string }

// near reports whether a size is within factor of others, or NaN: rounding decides whether a run diverges.
func near(size float64, others []float64) bool {
	return math.IsNaN(size) || len(others) > 0 &&
		slices.Min(others)/factor <= size && size <= slices.Max(others)*factor
}

// sizes are the finite ones of all names and arms.
func sizes(trials []Trial, lists []list) map[arm][]float64 {
	all := map[arm][]float64{}
	for _, l := range lists {
		for t, of := range l.of {
			if key, s := (arm{l.name, trials[t].Arm}), size(of); Finite(s) {
				all[key] = append(all[key], s)
			}
		}
	}
	return all
}

// steps are the least changes of numbers that are shares of n, such as accuracies: 1/n, by their names. Rounding can
// turn an answer over, and changes them by a step. A few round numbers may be shares of a small n by chance.
func steps(lists []list) map[string]float64 {
	const least, most = 100, 2000 // finer steps are less than floor
	const float32s = 0x1p-22      // how far their mean may be off, as a part of its size
	shares := map[string][]float64{}
	for _, l := range lists {
		for _, x := range slices.Concat(l.of...) {
			if x != 0 && x != 1 && !math.IsNaN(x) {
				shares[l.name] = append(shares[l.name], x)
			}
		}
	}
	all := map[string]float64{}
	for name, numbers := range shares {
		for n := least; n <= most && all[name] == 0; n++ {
			if !slices.ContainsFunc(numbers, func(x float64) bool {
				whole := math.Round(x * float64(n))
				return !(0 < x && x < 1) || math.Abs(x*float64(n)-whole) > float32s*whole
			}) {
				all[name] = 1 / float64(n)
			}
		}
	}
	return all
}
