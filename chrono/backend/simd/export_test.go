package simd

import "github.com/warptime/warptime/chrono/backend/simd/internal/exec"

// HandOver makes threads share all work, however little it is.
func HandOver() { exec.ParallelWork = 0 }

// Tests check every stage of every graph.
func init() { checkStages = true }

// CheckStages says whether they do, and returns whether they did.
func CheckStages(check bool) (before bool) {
	before, checkStages = checkStages, check
	return before
}
