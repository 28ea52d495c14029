package exec

import "time"

// A pace decides whether workers help with the next run of a program. Where other programs compute, too, the caller can
// be faster alone: it then waits for no worker that the operating system does not run, and shares its processor with
// none. So some runs are timed alone, few while those with help are faster, and most otherwise.
type pace struct {
	alone  time.Duration // that the last run alone took
	helped int           // runs with help
	slower int           // how many runs were made alone after the last one with help, since that was slower
	left   int           // of them
}

const (
	firstAlone = 8   // runs before the first alone, after those that find memory cold
	rarely     = 256 // runs before the next
	most       = 31  // runs alone before one with help is tried again
)

// help reports whether workers should help with the next run.
func (p *pace) help() bool { return p.left == 0 }

// took notes how long a run took, with help or without.
func (p *pace) took(helped bool, d time.Duration) {
	if !helped {
		p.alone = d
		p.left--
		return
	}
	p.helped++
	switch {
	case p.alone > 0 && d > p.alone:
		p.slower = min(2*p.slower+1, most)
		p.left = p.slower
	case p.helped%rarely == firstAlone:
		p.left = 1
		fallthrough
	default:
		p.slower = 0
	}
}
