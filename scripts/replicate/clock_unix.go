//go:build unix

package main

import (
	"syscall"
	"time"
)

// coreTime is how long this process has computed, on all cores together: other programs do not count.
func coreTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it has no other than wrong arguments
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
