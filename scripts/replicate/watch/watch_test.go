package watch

import (
	"encoding/gob"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// run makes up the whole record of a figure's run.
func run(t *testing.T, figure, panel, part string) *record.Record {
	t.Helper()
	f := check.Got(papers.All.Figure(figure))(t)
	tasks := check.Got(f.Tasks(experiment.Options{Scale: record.Quick, Panel: panel, Seed: 1}))(t)
	i := slices.IndexFunc(tasks, func(task experiment.Task) bool { return task.Part == part })
	r := made.Record(tasks[i], func(_ record.Trial, done float64) float64 { return 0.5 - 0.3*done })
	r.Backend, r.Commit = "simd:\x1b", "0123abc"
	return r
}

// train saves the checkpoint of a run after an update.
func train(t *testing.T, dir string, r *record.Record, update int) {
	t.Helper()
	w := check.Got(record.Open(record.Path(dir, r.Header), r.Header))(t)
	w.Record().Points = r.Until(update).Points
	check.OK(t, w.Save(update, func(*gob.Encoder) error { return nil }))
	check.OK(t, w.Close())
}

func start(t *testing.T, dir string) *http.Server {
	t.Helper()
	s := check.Got(Start(dir))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

// get asks for an address, at a host by another name if that is not empty.
func get(t *testing.T, url, host string) (*http.Response, string) {
	t.Helper()
	request := check.Got(http.NewRequest("GET", url, nil))(t)
	request.Host = host
	response := check.Got(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	return response, string(check.Got(io.ReadAll(response.Body))(t))
}

// address finds the first address in a page that begins so.
func address(t *testing.T, page, prefix string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `src="`+prefix)
	check.Must(t, ok, "no picture %s… in\n%s", prefix, page)
	rest, _, _ = strings.Cut(rest, `"`)
	return prefix + rest
}

// A picture is kept under its address, which changes as the run grows: an outdated one is not found.
func TestPictures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	s := start(t, dir)
	_, page := get(t, "http://"+s.Addr, "")
	check.Contains(t, page, "<title>0 training, 0 complete")
	r := run(t, "warp/fig4", "adding200", "")
	picture := func(to int) (at string) {
		train(t, dir, r, to)
		_, page := get(t, "http://"+s.Addr, "")
		check.Contains(t, page, "1 training, 0 complete", `max="1200" value="`)
		return "http://" + s.Addr + address(t, page, "/curves/warp/fig4/adding200.quick.jsonl")
	}
	first := picture(300)
	response, _ := get(t, first, "")
	check.Contains(t, response.Header.Get("Content-Type")+response.Header.Get("Cache-Control"), "svg", "immutable")
	second := picture(600)
	response, _ = get(t, first, "")
	check.That(t, first != second && response.StatusCode == 404 && response.Header.Get("Cache-Control") == "no-store",
		"%s, then %s: the first now has %s, %q", first, second, response.Status, response.Header)
}

// The runs of a panel are in one chart, with the figure's axes, whichever have ended.
func TestPanelsAreOverlaid(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ figure, panel, part string }{
		{"context/fig5", "decay", "zero"}, {"context/fig5", "decay", "learned"},
		{"warp/fig1", "uniform-warp", "rnn"}, {"warp/fig1", "uniform-warp", "gated"},
	} {
		if r := run(t, c.figure, c.panel, c.part); i == 0 {
			check.Got(made.Write(dir, r))(t)
		} else {
			train(t, dir, r, r.Updates)
		}
	}
	rs := &runs{dir: dir}
	v := rs.view(time.Now())
	check.Must(t, len(v.Training) == 2 && v.Training[1].Name == "warp/fig1 uniform-warp quick" && len(v.Complete) == 0,
		"%+v", v)
	for i, wants := range [][]string{{"learned distribution", "zero"}, {"gated RNN"}} {
		card := v.Training[i]
		served := httptest.NewRecorder()
		rs.serve(served, httptest.NewRequest("GET", card.Address, nil))
		check.Contains(t, served.Body.String(), wants...)
		check.Equal(t, len(card.Runs), 2, "runs of %s", card.Name)
	}
}

// Records through a link, one that cannot be read, and those that this program does not declare: they are named, and
// the others are shown. Nothing of them becomes a part of the page, nor steers how it is
// shown.
func TestPageOfADamagedRecord(t *testing.T) {
	elsewhere := t.TempDir()
	check.Got(made.Write(elsewhere, run(t, "warp/fig4", "adding200", "")))(t)
	dir := filepath.Join(t.TempDir(), "link [to]\x1b records")
	check.OK(t, os.Symlink(elsewhere, dir))
	copied := filepath.Join(elsewhere, "warp", "fig4", "adding200.quick.old.jsonl") // whose trials would be there twice
	check.Write(t, copied, check.Read(t, filepath.Join(elsewhere, "warp", "fig4", "adding200.quick.jsonl")))
	damaged := filepath.Join(elsewhere, "warp", "fig4", "adding750.quick.jsonl")
	check.OK(t, os.WriteFile(damaged, []byte("{\"kind\":\"\u202e<script>alert(1)</script>\"}\n"), 0o666))
	for figure, of := range map[string][2]string{"warp/fig4": {"adding200", ""}, "warp/fig1": {"pad-rates", "rate-1"}} {
		r := run(t, figure, of[0], of[1]) // records of the second go by another name
		r.Panel = "no_such_panel"
		check.Got(made.Write(elsewhere, r))(t)
	}
	tasks := check.Got(warp.BeyondSafe.Tasks(experiment.Options{Scale: record.Quick, Seed: 1}))(t)
	lacking := made.Record(tasks[0], func(record.Trial, float64) float64 { return 0.5 })
	for i := range lacking.Trials {
		lacking.Trials[i].Memoryless = nil // by which its curves are drawn
	}
	path := check.Got(made.Write(t.TempDir(), lacking))(t)
	check.Write(t, filepath.Join(elsewhere, "warp", "misplaced", "a.jsonl"), check.Read(t, path))
	_, page := get(t, "http://"+start(t, dir).Addr, "")
	check.Contains(t, page, "0 training, 1 complete", "adding200.quick.old", "adding750.quick.jsonl", "misplaced",
		"warp/fig4 no_such_panel quick", "warp/beyond-plain no_such_panel quick")
	check.That(t, !strings.Contains(page, "<script>alert") && !strings.ContainsAny(page, "\x1b\u202e"),
		"what is in a record becomes a part of the page")
}

// Only this machine is served, and only this page: browsers give it to no other origin's.
func TestNoOtherOriginIsServed(t *testing.T) {
	dir := t.TempDir()
	train(t, dir, run(t, "warp/fig4", "adding200", ""), 300)
	start(t, dir) // the usual port is taken
	s := start(t, dir)
	host, port, err := net.SplitHostPort(s.Addr)
	check.OK(t, err)
	check.Equal(t, host, "127.0.0.1", "the address that it listens on, and nobody on the network")
	_, page := get(t, "http://"+s.Addr, "")
	base := "http://" + s.Addr
	for _, path := range []string{"/", address(t, page, "/curves/"), "/page.js"} {
		for host, status := range map[string]int{
			"a.example:" + port: 403, "localhost:" + port: 200, "127.0.0.1:1": 200, // a tunnel's port
		} {
			response, body := get(t, base+path, host)
			check.Equal(t, response.StatusCode, status, "status of %s at %s", path, host)
			check.Equal(t, response.Header.Get("Access-Control-Allow-Origin"), "", "allowed origin")
			check.Equal(t, response.Header.Get("Cross-Origin-Resource-Policy"), "same-origin", "policy")
			check.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'none'")
			check.That(t, status == 200 || !strings.Contains(body, "fig4"), "%s gets %s: %.200s", host, path, body)
		}
	}
	for path, want := range map[string]int{
		"/curves/warp/fig4/adding750.quick.jsonl.svg": 404, "/page.html": 404, "/runs.go": 404, "/favicon.svg": 200,
	} {
		response, _ := get(t, base+path, "")
		check.Equal(t, response.StatusCode, want, "%s", path)
	}
}
