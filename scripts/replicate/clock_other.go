//go:build !unix

package main

import "time"

var start = time.Now()

// coreTime is how long this process has run: an upper bound, where the system does not tell how long it has computed.
func coreTime() time.Duration { return time.Since(start) }
