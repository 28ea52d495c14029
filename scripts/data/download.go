package main

import (
	"bytes"
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
			fmt.Fprintf(out, "%s is there: %s\n", f.Name, path)
			return nil
		}
		fmt.Fprintf(out, "%q is not %s: %v\n", path, f.Name, wrong)
		path = filepath.Join(filepath.Dir(path), filepath.Base(f.Name))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var failed []string
	for _, mirror := range f.Mirrors {
		var packed bytes.Buffer // 100 MB at most
		err := fetch(ctx, f, mirror, &packed, out)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = f.CheckData(packed.Bytes())
		}
		if err != nil {
			failed = append(failed, mirror+": "+err.Error())
			continue
		}
		if err := filesystem.Replace(path, packed.Bytes(), time.Hour); err != nil {
			return fmt.Errorf("cannot write %q: %w", path, err)
		}
		fmt.Fprintf(out, "%s came from %s and has the right SHA-256: %s\n", f.Name, mirror, path)
		return nil
	}
	return fmt.Errorf("cannot download %s: %s", f.Name, strings.Join(failed, "; "))
}

// fetch copies what a mirror sends, and shows on a terminal how far it is.
func fetch(ctx context.Context, f dataset.File, mirror string, to io.Writer, out *command.Output) error {
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
		n, err := io.CopyN(to, response.Body, leastRate)
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
