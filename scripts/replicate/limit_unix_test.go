//go:build unix

package main

import (
	"os/signal"
	"strconv"
	"syscall"
)

// limitFileSize lets no file of this process grow beyond so many bytes.
func limitFileSize(bytes string) {
	if bytes == "" {
		return
	}
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil {
		panic(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // so that the write fails instead
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		panic(err)
	}
}
