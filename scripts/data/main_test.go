package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/scripts/internal/command"
)

// content is what the one file has that there is in these tests, big enough not to come in one piece.
var content = bytes.Repeat([]byte("the content of a file, "), 20_000)

const name = "set/file"

// A mirror is a server of the file with a fault.
type mirror func(w http.ResponseWriter, r *http.Request)

func good(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// sends sends something else, whatever is asked for, and promises that many bytes.
func sends(data []byte, promised int) mirror {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(promised))
		w.Write(data)
	}
}

func refuses(w http.ResponseWriter, r *http.Request) {
	http.Error(w, "no such file", http.StatusNotFound)
}

// world is one set of one file, the mirrors of which it counts the requests of.
type world struct {
	dir   string
	file  dataset.File
	asked atomic.Int32
}

func newWorld(t *testing.T, mirrors ...mirror) *world {
	t.Helper()
	sum := sha256.Sum256(content)
	w := &world{dir: t.TempDir(), file: dataset.File{Name: name, Bytes: int64(len(content)),
		SHA256: hex.EncodeToString(sum[:])}}
	for _, m := range mirrors {
		server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			w.asked.Add(1)
			m(out, r)
		}))
		t.Cleanup(server.Close)
		w.file.Mirrors = append(w.file.Mirrors, server.URL+"/file")
	}
	old := sets
	t.Cleanup(func() { sets = old })
	sets = func() []dataset.Set {
		more := dataset.File{Name: "set/start", Bytes: 1, SHA256: "unknown"} // without mirrors
		return []dataset.Set{{Name: "set", About: "A set", Files: []dataset.File{w.file, more}}}
	}
	t.Setenv(dataset.Variable, w.dir)
	return w
}

func (w *world) path() string { return w.file.In(w.dir) }

// folder is where downloads go.
func (w *world) folder() string { return filepath.Dir(w.path()) }

// data runs the program.
func data(t *testing.T, args ...string) (said string, err error) {
	t.Helper()
	var b strings.Builder
	err = run(t.Context(), args, &command.Output{To: &b})
	return b.String(), err
}

// However a mirror fails, the file comes from the next that is good. What no mirror has is one line that says why, for
// each, and leaves nothing behind.
func TestDownload(t *testing.T) {
	const n, whole = 200_000, 460_000
	altered := slices.Concat([]byte("altered"), content[7:])
	for _, c := range []struct {
		what string
		bad  mirror
		says string
	}{
		{"not found", refuses, `it answers "404 Not Found"`},
		{"truncated", sends(content[:n], whole), "unexpected EOF"},
		{"another file of that size", sends(altered, whole), "it has SHA-256"},
		{"far more than the file", sends(bytes.Repeat(content, 2), 2*whole), "its file has more than 460000 bytes"},
	} {
		w := newWorld(t, c.bad, good)
		said, err := data(t)
		check.OK(t, err)
		check.That(t, bytes.Equal(check.Read(t, w.path()), content), "%s: the file has other bytes", c.what)
		check.Entries(t, w.folder(), 1)
		check.Contains(t, said, name+" came from http://127.0.0.1")
		check.Equal(t, w.asked.Load(), 2, "%s: requests", c.what)
		w = newWorld(t, refuses, c.bad)
		_, err = data(t)
		check.Rejected(t, c.what, err, `404 Not Found"; http://127.0.0.1…`+c.says)
		check.That(t, !strings.Contains(fmt.Sprint(err), w.dir), "%s: %v", c.what, err)
		check.Entries(t, w.folder(), 0)
	}

	w := newWorld(t, good)
	w.file.Mirrors[0] = strings.Replace(w.file.Mirrors[0], "127.0.0.1", "no-such-host.invalid", 1)
	_, err := data(t)
	check.Rejected(t, "no network", err, "cannot download set/file: http://no-such-host.invalid")

	w = newWorld(t, good, good)
	check.OK(t, os.MkdirAll(filepath.Join(w.path(), "in"), 0o777)) // where the file should be
	_, err = data(t)
	check.Rejected(t, "a directory in its place", err, fmt.Sprintf("cannot write %q", w.path()))
	check.That(t, w.asked.Load() <= 1, "a directory in its place: %d requests", w.asked.Load())
}

// A mirror that sends as little as the least rate forbids is left.
func TestSlowMirror(t *testing.T) {
	defer func(before time.Duration) { interval = before }(interval)
	interval = 100 * time.Millisecond
	newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		for i := 0; r.Context().Err() == nil; i++ {
			w.Write(content[i : i+1])
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	})
	_, err := data(t)
	check.Rejected(t, "slow", err, "it sent less than 65536 bytes in 100ms")
}

// A good file is left alone; a bad one is replaced only by a good one.
func TestFileThatIsThere(t *testing.T) {
	w := newWorld(t, refuses)
	check.Write(t, w.path(), content)
	before := check.Got(os.Stat(w.path()))(t)
	check.Got(data(t, "set"))(t)
	after := check.Got(os.Stat(w.path()))(t)
	check.That(t, w.asked.Load() == 0 && os.SameFile(before, after) && after.ModTime().Equal(before.ModTime()),
		"a good file was not left alone, after %d requests", w.asked.Load())
	for _, c := range []struct {
		mirror  mirror
		after   []byte
		succeed bool
	}{{refuses, []byte("bad"), false}, {good, content, true}} {
		w = newWorld(t, c.mirror)
		check.Write(t, w.path(), []byte("bad"))
		_, err := data(t)
		check.Equal(t, err == nil, c.succeed, "success with a bad file")
		check.Equal(t, string(check.Read(t, w.path())), string(c.after), "the file")
	}
}

// Interrupted, it leaves nothing of a file that is not complete.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newWorld(t, func(out http.ResponseWriter, r *http.Request) {
		out.Write(content[:1000])
		out.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	err := run(ctx, nil, &command.Output{To: io.Discard})
	check.That(t, errors.Is(err, context.Canceled), "%v, want context.Canceled", err)
	check.Entries(t, w.folder(), 0)
}

func TestList(t *testing.T) {
	w := newWorld(t, good)
	for _, c := range []struct {
		content []byte
		says    string
	}{{nil, "missing"}, {content, "is there: " + w.path()}, {content[:1], "it has 1 bytes, want 460000"}} {
		if c.content != nil {
			check.Write(t, w.path(), c.content)
		}
		said := check.Got(data(t, "-list"))(t)
		check.Contains(t, said, "set/file", "460000", w.file.SHA256, c.says, w.file.Mirrors[0], w.dir)
	}
	check.Equal(t, w.asked.Load(), 0, "requests of -list")
}

func TestArguments(t *testing.T) {
	w := newWorld(t, good)
	for _, args := range [][]string{{"-no-such"}, {"cifar"}, {"set", "text9"}, {"-dir", ""}} {
		_, err := data(t, args...)
		check.Rejected(t, args, err, "")
	}
	other := filepath.Join(t.TempDir(), "other")
	said, err := data(t, "-dir", other)
	check.OK(t, errors.Join(err, w.file.Check(w.file.In(other))))
	check.Contains(t, said, dataset.Variable+"="+other)
}
