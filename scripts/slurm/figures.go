package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// drawn reports whether the last job has drawn every run that was submitted and is complete: it writes the table of
// claims last, which is then no older than their records. So does the command that drawing returns.
func (d directory) drawn(all map[string]submitted) bool {
	var newest time.Time
	for run := range all {
		if info, err := os.Stat(d.record(run)); err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	claims, err := os.Stat(d.claims())
	return newest.IsZero() || err == nil && !claims.ModTime().Before(newest)
}

// drawing is the command that draws the figures without Slurm, in a checkout of this program.
func (d directory) drawing() string {
	return fmt.Sprintf("go run ./scripts/figures -records %s -out %[2]s -pages %[2]s", quote(d.records()), quote(d.out))
}

// figures are the lines of -status about the last job: its state, if it is in the queue; else, if the figures are not
// drawn, how it ended and what to do; none if they are.
func (d directory) figures(all map[string]submitted, queued []job) (lines []string) {
	for _, j := range queued {
		if j.run != "" {
			continue
		}
		state := fmt.Sprintf("%s (%s)", j.state, j.reason)
		if j.node != "" {
			state = j.state + " on " + j.node
		}
		lines = append(lines, fmt.Sprintf("  job %s draws them when all runs have ended: %s", j.id, state))
	}
	if lines != nil || d.drawn(all) {
		return lines
	}
	why := ""
	if last := lastLine(filepath.Join(d.home, strconv.Itoa(d.number()), "draw.log")); last != "" {
		why = " (the last job ended with: " + last + ")"
	}
	return []string{"  not drawn since the last run was completed" + why + "; submit again, or run: " + d.drawing()}
}
