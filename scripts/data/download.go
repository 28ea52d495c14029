package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/replication/filesystem"
	"github.com/warptime/warptime/scripts/internal/command"
)

// Limits for each mirror: how often it is asked for what is missing, and the bytes it must send in every interval.
const (
	attempts  = 5
	leastRate = 64 << 10
)

// interval is replaced in tests.
var interval = 30 * time.Second

// get downloads a file, unless it is in one of the directories and right.
func get(ctx context.Context, f dataset.File, dirs []string, out *command.Output) error {
	if len(f.Mirrors) == 0 {
		return nil // another file of the set makes it unnecessary
	}
	path, err := f.FindIn(dirs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		path = f.In(dirs[0])
	case err != nil:
		return err
	default:
		wrong := f.Check(path)
		if wrong == nil {
			fmt.Fprintf(out, "%s is there: %s\n", f.Name, path)
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return wrong // nothing that a rename would replace
		}
		fmt.Fprintf(out, "%v; it will be replaced\n", wrong)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	partial := path + ".partial"
	lock := partial + ".lock"
	held, err := filesystem.Lock(lock)
	if errors.Is(err, filesystem.ErrLocked) {
		return fmt.Errorf("another process is downloading %s", path)
	}
	if err != nil {
		return err
	}
	defer func() {
		os.Remove(lock)
		held.Unlock()
	}()
	host, err := download(ctx, f, partial, out)
	if err != nil {
		return err
	}
	if err := os.Rename(partial, path); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s came from %s and has the right SHA-256: %s\n", f.Name, host, path)
	return nil
}

// download completes the partial file from one mirror after the other, and returns the one it came from.
func download(ctx context.Context, f dataset.File, partial string, out *command.Output) (host string, err error) {
	var failed []string
	for _, mirror := range f.Mirrors {
		host = mirror
		if u, err := url.Parse(mirror); err == nil {
			host = u.Host
		}
		for range attempts {
			before := size(partial)
			if err = from(ctx, f, mirror, partial, out); err == nil || ctx.Err() != nil {
				return host, err
			}
			if size(partial) == before { // it sends nothing, or another file, or all of it anew
				break
			}
		}
		failed = append(failed, host+": "+err.Error())
	}
	kept := ""
	if n := size(partial); n > 0 {
		kept = fmt.Sprintf(" (%d of %d bytes are kept, to resume from)", n, f.Bytes)
	}
	return "", fmt.Errorf("cannot download %s%s: %s", f.Name, kept, strings.Join(failed, "; "))
}

// size is how much of a file is there.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// from asks a mirror once for what the partial file lacks, and checks the whole. A partial file that is wrong is
// removed.
func from(ctx context.Context, f dataset.File, mirror, partial string, out *command.Output) error {
	if size(partial) < f.Bytes {
		if err := fetch(ctx, f, mirror, partial, out); err != nil {
			return err
		}
	}
	wrong := f.Check(partial)
	if wrong == nil {
		return nil
	}
	if err := os.Remove(partial); err != nil {
		return err
	}
	return fmt.Errorf("another file: %w", wrong)
}

// fetch appends what a mirror sends. One that cannot send a part sends the whole, which then replaces the partial file.
// That stays as it is if the mirror reports at once that it has no file, or none of the right size.
func fetch(ctx context.Context, f dataset.File, mirror, partial string, out *command.Output) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slow := fmt.Errorf("it sent less than %d bytes in %v", leastRate, interval)
	timer := time.AfterFunc(interval, func() { cancel(slow) })
	defer timer.Stop()

	start := size(partial)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, mirror, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept-Encoding", "identity") // the files are packed, and are to stay so
	if start > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", start))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return cause(ctx, err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		start = 0
	case http.StatusPartialContent:
		if r := response.Header.Get("Content-Range"); !strings.HasPrefix(r, fmt.Sprintf("bytes %d-", start)) {
			return fmt.Errorf("it sent the part %q, want that from byte %d", r, start)
		}
	default:
		return fmt.Errorf("it answers %q", response.Status)
	}
	if n := response.ContentLength; n >= 0 && start+n != f.Bytes {
		return fmt.Errorf("its file has %d bytes, want %d", start+n, f.Bytes)
	}
	file, err := os.OpenFile(partial, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	if err = file.Truncate(start); err == nil {
		_, err = file.Seek(start, io.SeekStart)
	}
	if err != nil {
		return err
	}
	if out.Width != nil {
		defer fmt.Fprint(out, command.ClearLine)
	}
	got, counted := start, start
	var drawn time.Time
	buffer := make([]byte, 64<<10)
	for {
		n, readError := response.Body.Read(buffer)
		if got += int64(n); got > f.Bytes {
			return fmt.Errorf("its file has more than %d bytes", f.Bytes)
		}
		if _, err := file.Write(buffer[:n]); err != nil {
			return err
		}
		if got-counted >= leastRate {
			counted = got
			timer.Reset(interval)
		}
		if out.Width != nil && time.Since(drawn) > 100*time.Millisecond {
			drawn = time.Now()
			bar := command.Bar(float64(got)/float64(f.Bytes), 12)
			out.Draw(fmt.Sprintf("%s %s of %.1f MB", f.Name, bar, float64(f.Bytes)/1e6))
		}
		switch {
		case readError == io.EOF && got == f.Bytes:
			return file.Sync()
		case readError == io.EOF || errors.Is(readError, io.ErrUnexpectedEOF):
			return fmt.Errorf("it broke off after %d of %d bytes", got, f.Bytes)
		case readError != nil:
			return cause(ctx, readError)
		}
	}
}

// cause is why a request failed, without the address.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
