package simd

import "github.com/warptime/warptime/chrono/backend/simd/internal/exec"

// HandOver makes threads share all work, however little it is.
func HandOver() { exec.ParallelWork = 0 }
