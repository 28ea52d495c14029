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

// A mirror must send this many bytes in every interval, which is replaced in tests.
const leastRate = 64 << 10

var interval = 30 * time.Second

// partial is what the name of a file ends in that is not complete.
const partial = ".*.partial"

// get downloads a file from the first of its mirrors that sends it, unless it is in one of the directories and right.
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
			filesystem.Sweep(filepath.Dir(path), filepath.Base(f.Name)+partial, time.Hour)
			fmt.Fprintf(out, "%s is there: %s\n", f.Name, path)
			return nil
		}
		fmt.Fprintf(out, "%q is not %s: %v\n", path, f.Name, wrong)
		path = filepath.Join(filepath.Dir(path), filepath.Base(f.Name))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	filesystem.Sweep(filepath.Dir(path), filepath.Base(path)+partial, time.Hour)
	var failed []string
	for _, mirror := range f.Mirrors {
		host := from(mirror)
		err := download(ctx, f, mirror, path, out)
		if err == nil {
			fmt.Fprintf(out, "%s came from %s and has the right SHA-256: %s\n", f.Name, host, path)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var full *fs.PathError // ours, as the next is, not the mirror's
		if errors.As(err, &full) {
			return fmt.Errorf("cannot write %q: %w", path, full.Err)
		}
		var inTheWay *os.LinkError
		if errors.As(err, &inTheWay) {
			return fmt.Errorf("cannot write %q: %w", path, inTheWay.Err)
		}
		failed = append(failed, host+": "+err.Error())
	}
	return fmt.Errorf("cannot download %s: %s", f.Name, strings.Join(failed, "; "))
}

// from names the host of a mirror, and the proxy through which it is reached.
func from(mirror string) string {
	request, err := http.NewRequest(http.MethodGet, mirror, nil)
	if err != nil {
		return mirror
	}
	host := request.URL.Host
	if proxy, err := http.DefaultTransport.(*http.Transport).Proxy(request); err == nil && proxy != nil {
		host += " through the proxy " + proxy.Host
	}
	return host
}

// download writes what a mirror sends to a new file, and renames it to path if it is the right one.
func download(ctx context.Context, f dataset.File, mirror, path string, out *command.Output) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+partial)
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // unless it was renamed
	err = fetch(ctx, f, mirror, file, out)
	if e := file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = f.Check(file.Name())
	}
	if err == nil {
		err = os.Chmod(file.Name(), 0o644)
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// fetch copies what a mirror sends, and shows on a terminal how far it is.
func fetch(ctx context.Context, f dataset.File, mirror string, file io.Writer, out *command.Output) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slow := fmt.Errorf("it sent less than %d bytes in %v", leastRate, interval)
	timer := time.AfterFunc(interval, func() { cancel(slow) })
	defer timer.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, mirror, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept-Encoding", "identity") // the files are packed, and are to stay so
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return cause(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %q", response.Status)
	}
	all := f.Bytes
	if response.ContentLength > 0 { // it is packed
		all = response.ContentLength
	}
	var drawn time.Time
	for got := int64(0); got <= f.Bytes; {
		n, err := io.CopyN(file, response.Body, leastRate)
		got += n
		timer.Reset(interval)
		if out.Width != nil && time.Since(drawn) > 100*time.Millisecond {
			drawn = time.Now()
			bar := command.Bar(float64(got) / float64(all))
			out.Draw(fmt.Sprintf("%s %s of %.1f MB", f.Name, bar, float64(all)/1e6))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return cause(ctx, err)
		}
	}
	return fmt.Errorf("its file has more than %d bytes", f.Bytes)
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
