package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/scripts/internal/command"
)

// status prints how far the runs are that were submitted, and the last job.
func (d directory) status(ctx context.Context, out *command.Output) error {
	all, err := d.submitted()
	if err != nil {
		return err
	}
	queued, err := d.queue(ctx) // before looking for records: a run that ends meanwhile is in one of the two
	if err != nil {
		return err
	}
	inQueue := map[string]job{}
	for _, j := range queued {
		inQueue[j.run] = j
	}
	done, waiting, stopped := 0, 0, 0
	lastCancelled := d.cancelled()
	var running, failed []string
	for _, run := range slices.Sorted(maps.Keys(all)) {
		j, there := inQueue[run]
		_, complaints := d.errors(run)
		switch _, err := record.Read(d.record(run)); {
		case err == nil:
			done++
		case !errors.Is(err, fs.ErrNotExist):
			failed = append(failed, fmt.Sprintf("  %s: %v", run, err))
		case there && j.node != "":
			running = append(running, fmt.Sprintf("  %s on %s, %s until its limit: %s",
				run, j.node, j.left, progress(all[run])))
		case there:
			waiting++
		case all[run].submission <= lastCancelled && len(complaints) == 0:
			stopped++
		default:
			failed = append(failed, fmt.Sprintf("  %s: %s", run, d.why(run, all[run])))
		}
	}
	fmt.Fprintf(out, "Of %d runs, %d done, %d running, %d waiting, %d failed",
		len(all), done, len(running), waiting, len(failed))
	if stopped > 0 {
		fmt.Fprintf(out, ", %d cancelled", stopped)
	}
	fmt.Fprintln(out)
	for _, list := range []struct {
		title string
		lines []string
	}{{"Running:", running}, {"Failed:", failed}, {"Figures:", d.figures(all, queued)}} {
		if len(list.lines) > 0 {
			fmt.Fprintf(out, "%s\n%s\n", list.title, strings.Join(list.lines, "\n"))
		}
	}
	return nil
}

// progress is what a task has last printed of its run, without the run's name: "update 300/600, loss 1.7, 12s left".
func progress(s submitted) string {
	_, last, begun := strings.Cut(lastLine(s.log()), ": ")
	if !begun {
		return "starting"
	}
	if cut := strings.LastIndex(last, ", "); cut > 0 && strings.HasSuffix(last, " left in all") {
		last = last[:cut] // a task has one run
	}
	return last
}

// why says why a run has failed.
func (d directory) why(run string, s submitted) string {
	file, errors := d.errors(run)
	switch {
	case givenUp(errors) != "":
		return fmt.Sprintf("%s (%s: it is not submitted again until you delete %s)",
			errors[len(errors)-1], givenUp(errors), file)
	case len(errors) > 0:
		return errors[len(errors)-1]
	}
	if last := lastLine(s.log()); last != "" {
		return last
	}
	return "no output in " + s.log()
}

// lastLine is the last line of a file that is not empty. It reads only the end of the file.
func lastLine(name string) string {
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	const end = 64 << 10
	if size, err := file.Seek(0, io.SeekEnd); err == nil {
		file.Seek(max(0, size-end), io.SeekStart)
	}
	text, _ := io.ReadAll(io.LimitReader(file, end))
	return command.LastLine(string(text))
}

// cancel takes everything out of the queue.
func (d directory) cancel(ctx context.Context, out *command.Output) error {
	queued, err := d.queue(ctx)
	if err != nil {
		return err
	}
	if len(queued) == 0 {
		fmt.Fprintln(out, "Nothing of", d.out, "is in the queue")
		return nil
	}
	if err := record.WriteFile(filepath.Join(d.home, cancelled), []byte(strconv.Itoa(d.number())+"\n")); err != nil {
		return err
	}
	if _, err := slurm(ctx, "scancel", ids(queued)...); err != nil {
		return err
	}
	fmt.Fprintf(out, "Cancelled %d tasks; the same command as before resumes them\n", len(queued))
	return nil
}
