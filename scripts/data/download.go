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

	"github.com/schollz/progressbar/v3"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/replication/filesystem"
)

// patience is how long a mirror may send nothing. It is replaced in tests.
var patience = 30 * time.Second

// A downloader tells on out what it does, with a bar if there are columns.
type downloader struct {
	out     io.Writer
	columns func() int
}

// A localError is not a mirror's fault, so that no other mirror is tried.
type localError struct{ error }

func (l localError) Unwrap() error { return l.error }

// get downloads a file, unless it is in one of the directories and right.
func (d *downloader) get(ctx context.Context, f dataset.File, dirs []string) error {
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
			fmt.Fprintf(d.out, "%s is there: %s\n", f.Name, path)
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return wrong // nothing that a rename would replace
		}
		fmt.Fprintf(d.out, "%v; it will be replaced\n", wrong)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	lock := path + ".partial.lock"
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
	if f.Check(path) == nil { // another process has completed it since we looked
		fmt.Fprintf(d.out, "%s is there: %s\n", f.Name, path)
		return nil
	}
	return d.download(ctx, f, path)
}

// download tries the mirrors one after the other, each for as long as it sends anything, and moves the file to its path
// once it is complete and right.
func (d *downloader) download(ctx context.Context, f dataset.File, path string) error {
	partial := path + ".partial"
	var failed []string
	for _, mirror := range f.Mirrors {
		host := mirror
		if u, err := url.Parse(mirror); err == nil {
			host = u.Host
		}
		err := d.from(ctx, f, mirror, partial)
		if err == nil {
			if err := os.Rename(partial, path); err != nil {
				return err
			}
			fmt.Fprintf(d.out, "%s came from %s and has the right SHA-256: %s\n", f.Name, host, path)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.As(err, new(localError)) {
			return err
		}
		failed = append(failed, host+": "+err.Error())
	}
	kept := ""
	if info, err := os.Stat(partial); err == nil && info.Size() > 0 {
		kept = fmt.Sprintf(" (%d of %d bytes are kept, to go on from)", info.Size(), f.Bytes)
	}
	return fmt.Errorf("%s cannot be had%s: %s", f.Name, kept, strings.Join(failed, "; "))
}

// from completes the partial file from one mirror, and checks it. It begins anew if what was there already was wrong.
func (d *downloader) from(ctx context.Context, f dataset.File, mirror, partial string) error {
	for {
		before := size(partial)
		if before > f.Bytes {
			before = 0
			if err := os.Remove(partial); err != nil {
				return localError{err}
			}
		}
		if before < f.Bytes {
			if err := d.fetch(ctx, f, mirror, partial); err != nil {
				if size(partial) > before && ctx.Err() == nil && !errors.As(err, new(localError)) {
					continue
				}
				return err
			}
		}
		err := f.Check(partial)
		if err == nil {
			return nil
		}
		if e := os.Remove(partial); e != nil {
			return localError{e}
		}
		if before == 0 { // all of it is this mirror's
			return fmt.Errorf("another file: %w", err)
		}
	}
}

// size is how much of a file is there.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// fetch asks a mirror for what the partial file lacks, and appends what comes. A mirror that cannot send a part sends
// the whole, which then replaces it. The partial file stays as it is if the mirror says at once that it has no file, or
// none of the right size.
func (d *downloader) fetch(ctx context.Context, f dataset.File, mirror, partial string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(patience, func() { cancel(fmt.Errorf("it sent nothing for %v", patience)) })
	defer silent.Stop()

	start := size(partial)
	response, err := ask(ctx, mirror, start)
	if err != nil {
		return err
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
		return fmt.Errorf("it says %q", response.Status)
	}
	if n := response.ContentLength; n >= 0 && start+n != f.Bytes {
		return fmt.Errorf("its file has %d bytes, want %d", start+n, f.Bytes)
	}
	file, err := os.OpenFile(partial, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return localError{err}
	}
	defer file.Close()
	if err := file.Truncate(start); err != nil {
		return localError{err}
	}
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		return localError{err}
	}
	bar := d.newBar(f)
	defer bar.clear()
	got := start
	buffer := make([]byte, 64<<10)
	for {
		n, readError := response.Body.Read(buffer)
		if n > 0 {
			silent.Reset(patience)
			if got += int64(n); got > f.Bytes {
				return fmt.Errorf("its file has more than %d bytes", f.Bytes)
			}
			if _, err := file.Write(buffer[:n]); err != nil {
				return localError{err}
			}
			bar.draw(got)
		}
		switch {
		case readError == io.EOF && got == f.Bytes:
			if err := file.Sync(); err != nil {
				return localError{err}
			}
			return nil
		case readError == io.EOF || errors.Is(readError, io.ErrUnexpectedEOF):
			return fmt.Errorf("it broke off after %d of %d bytes", got, f.Bytes)
		case readError != nil:
			return cause(ctx, readError)
		}
	}
}

// ask asks for a file, from that byte on.
func ask(ctx context.Context, mirror string, start int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, mirror, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity") // the files are packed, and are to stay so
	if start > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", start))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, cause(ctx, err)
	}
	return response, nil
}

// cause is why a request failed, without the address.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// A bar shows how much of a file has come, on the last line of a terminal.
type bar struct {
	d     *downloader
	bar   *progressbar.ProgressBar
	drawn time.Time
}

func (d *downloader) newBar(f dataset.File) *bar {
	return &bar{d: d, bar: progressbar.NewOptions64(f.Bytes,
		progressbar.OptionSetWriter(io.Discard), // it would clear the line with spaces
		progressbar.OptionSetWidth(12),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: " ", BarStart: "|", BarEnd: "|"}),
		progressbar.OptionSetDescription(f.Name),
		progressbar.OptionShowBytes(true),
	)}
}

// clearLine is the terminal's command to clear the line from here on.
const clearLine = "\x1b[K"

// draw draws the bar again, at most ten times a second. The last column stays empty: some terminals wrap when it is
// written.
func (b *bar) draw(got int64) {
	if b.d.columns == nil || time.Since(b.drawn) < 100*time.Millisecond {
		return
	}
	b.drawn = time.Now()
	b.bar.Set64(got)
	b.bar.RenderBlank() // it may think that it is too early
	line := []rune(strings.TrimSpace(b.bar.String()))
	line = line[:min(len(line), max(0, b.d.columns()-1))]
	fmt.Fprint(b.d.out, string(line), clearLine, "\r")
}

// clear takes the bar away.
func (b *bar) clear() {
	if !b.drawn.IsZero() {
		fmt.Fprint(b.d.out, clearLine)
	}
}
