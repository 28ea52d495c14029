package kernel

import "time"

// PeakGFLOPS measures how many billion floating-point operations per second one core does at most at the level in use:
// independent fused multiply-adds on registers, counted as two operations each, for about the given time. It returns
// 0 at level Portable, which has no such instructions to count.
func PeakGFLOPS(duration time.Duration) float64 {
	if impl.peak == nil {
		return 0
	}
	const n = 10_000
	flops, best := 2*n*impl.peakFloats, 0.0
	for begin := time.Now(); time.Since(begin) < duration; {
		start := time.Now()
		impl.peak(n)
		best = max(best, float64(flops)/float64(time.Since(start).Nanoseconds()))
	}
	return best
}
