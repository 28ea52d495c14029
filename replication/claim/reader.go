package claim

// A Reader takes numbers from evidence. Where something is missing it gives nothing, and remembers what it missed
// first, so that a predicate need not look after it. Judging makes one.
type Reader struct {
	Evidence
	missing error
}

// Judging makes a claim's Judge of a predicate.
func Judging(predicate func(*Reader) Finding) func(Evidence) Finding {
	return func(e Evidence) Finding {
		r := &Reader{Evidence: e}
		f := predicate(r)
		if r.missing != nil {
			return Missing("%v", r.missing)
		}
		return f
	}
}

// Miss notes what is missing, if err says so.
func (r *Reader) Miss(err error) {
	if r.missing == nil {
		r.missing = err
	}
}

// Missed tells whether anything was missing yet.
func (r *Reader) Missed() bool { return r.missing != nil }

// Arm returns the trials of an arm of a panel.
func (r *Reader) Arm(paper, figure, panel, arm string) Trials {
	p, err := r.Panel(paper, figure, panel)
	if err == nil {
		var trials Trials
		if trials, err = p.Arm(arm); err == nil {
			return trials
		}
	}
	r.Miss(err)
	return nil
}

// Found is an answer, the numbers that it rests on, and the reason if it is inconclusive.
func Found(answer Answer, found, why string) Finding {
	if answer != Inconclusive {
		why = ""
	}
	return Finding{Answer: answer, Found: found, Why: why}
}
