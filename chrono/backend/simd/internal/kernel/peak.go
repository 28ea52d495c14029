package kernel

import "time"

// PeakGFLOPS measures how many billion floating-point operations per second one core does at most at the level in use:
// independent fused multiply-adds on registers, counted as two operations each, for about the given time. It returns
// 0 at level Portable, which has no such instructions to count.
func PeakGFLOPS(duration time.Duration) float64 {
	const n = 10_000
	flops, best := 2*peak(n), 0.0
	if flops == 0 {
		return 0
	}
	for begin := time.Now(); time.Since(begin) < duration; {
		start := time.Now()
		peak(n)
		best = max(best, float64(flops)/float64(time.Since(start).Nanoseconds()))
	}
	return best
}
