package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
	"github.com/warptime/warptime/notebooks/internal/browser"
)

// book names the variable for the folder of a book that scripts/notebooks.sh --html has made. Where it is set, the page
// is the book's, opened from the disk; else the test builds what a page needs, and serves it.
const book = "WARPTIME_BOOK"

// TestPage presses Train, as a reader does, and waits until the chrono LSTM is below half of the memoryless error. The
// losses in the browser are those of the same program compiled for this machine, up to rounding.
func TestPage(t *testing.T) {
	open := visitor(t)
	page := open(address(t) + "#task=adding&t=20&tmax=20&seed=3")
	train := `document.querySelectorAll("warptime-train")[1]`
	page(chromedp.Evaluate(train+`.button.click()`, nil),
		chromedp.Poll(`JSON.parse(`+train+`.dataset.losses ?? "[1, 1]")[1] < 0.5`, nil, chromedp.WithPollingTimeout(0)))
	var losses []Message
	var sentence string
	page(chromedp.Evaluate(train+`.losses`, &losses), chromedp.Evaluate(train+`.seen.textContent`, &sentence))

	const compared = 10 // messages: rounding grows from update to update
	settings := Settings{Task: "adding", Steps: 20, Tmax: 20, Seed: 3, Updates: compared * report}
	var native []Message
	if err := Train(settings, func(m Message) {
		if m.Kind == "losses" {
			native = append(native, m)
		}
	}); err != nil {
		t.Fatal(err)
	}
	for i, want := range native {
		for arm := range want.Losses {
			a, b := *losses[i].Losses[arm], *want.Losses[arm]
			if losses[i].Update != want.Update || math.Abs(a-b) > 1e-3*b {
				t.Errorf("update %d, arm %d: %g in the browser, %g here", want.Update, arm, a, b)
			}
		}
	}
	if !strings.Contains(sentence, "the chrono LSTM is at") {
		t.Errorf("the page says %q", sentence)
	}
}

// TestPageWarps draws a clock by the keyboard, and trains the three architectures on it.
func TestPageWarps(t *testing.T) {
	page := visitor(t)(address(t) + "#text=abc&clock=1-2-3&kind=warp")
	var tiles, told string
	page(chromedp.Evaluate(`document.querySelector("warptime-text [role=slider]").dispatchEvent(
			new KeyboardEvent("keydown", {key: "ArrowUp", bubbles: true}))`, nil),
		chromedp.AttributeValue(`warptime-text .live-tiles`, "aria-label", &tiles, nil, chromedp.ByQuery))
	if want := "3 characters take 7 steps"; tiles != want {
		t.Errorf("after an arrow up: %q, want %q", tiles, want)
	}
	page(chromedp.Evaluate(`document.querySelector("warptime-train").button.click()`, nil),
		chromedp.Poll(`+document.querySelector("warptime-train").dataset.update >= 100`, nil,
			chromedp.WithPollingTimeout(0)),
		chromedp.Evaluate(`JSON.stringify(document.querySelector("warptime-train").asked)`, &told))
	if !strings.Contains(told, `"longest":3`) {
		t.Errorf("trained with %s, want the longest character of the clock, 3 steps", told)
	}
	var gates int
	page(chromedp.Evaluate(`document.querySelector("warptime-train canvas").width`, &gates),
		chromedp.Evaluate(`document.querySelector("warptime-train").button.click()`, nil))
	if gates != 7 {
		t.Errorf("gates of %d steps are drawn, want 7, those of the text", gates)
	}
}

// TestPageWithoutWebAssembly draws recorded trainings, and says why.
func TestPageWithoutWebAssembly(t *testing.T) {
	page := visitor(t)("about:blank")
	var told []string
	const trains = `[...document.querySelectorAll("warptime-train")]`
	page(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := cdppage.AddScriptToEvaluateOnNewDocument("delete self.WebAssembly").Do(ctx)
		return err
	}), chromedp.Navigate(address(t)),
		chromedp.Poll(trains+`.every((t) => t.querySelectorAll(".live-inside *").length)`, nil,
			chromedp.WithPollingTimeout(0)),
		chromedp.Evaluate(trains+`.map((t) => t.button.disabled + t.innerText)`, &told))
	for i, arm := range []string{"gated", "chrono"} {
		if !strings.HasPrefix(told[i], "true") || !strings.Contains(told[i], "lacks WebAssembly") ||
			!strings.Contains(told[i], arm) {
			t.Errorf("panel %d says %q, want why nothing can be trained, and a recorded training", i, told[i])
		}
	}
}

// TestRecorded trains the beginning of each recorded training again. Rounding differs between machines, and grows.
func TestRecorded(t *testing.T) {
	text := check.Read(t, "recorded.js")
	_, text, _ = bytes.Cut(text, []byte("= "))
	var all map[string]recording
	check.OK(t, json.Unmarshal(bytes.TrimSuffix(text, []byte(";\n")), &all))
	for _, s := range recorded {
		got := all[s.Task]
		if !reflect.DeepEqual(got.Settings, s) || len(got.Losses) != s.Updates/(report*thinned) {
			t.Errorf("%s: recorded %d messages with %+v, want %+v", s.Task, len(got.Losses), got.Settings, s)
			continue
		}
		s.Updates = 2 * report * thinned
		want, err := record(s)
		check.OK(t, err)
		for i, w := range want.Losses {
			for arm := range w.Losses {
				if a, b := *got.Losses[i].Losses[arm], *w.Losses[arm]; math.Abs(a-b) > 1e-2*b {
					t.Errorf("%s, update %d, arm %d: recorded %g, want %g", s.Task, w.Update, arm, a, b)
				}
			}
		}
	}
}

// TestSettings refuses what cannot be trained with one line.
func TestSettings(t *testing.T) {
	for _, settings := range []string{`{"task": "sorting", "steps": 10, "updates": 1}`,
		`{"task": "adding", "steps": 1, "tmax": 10, "updates": 1}`, `{"task": "warp", "steps": 10, "updates": 0}`,
		`{"task": "copy", "steps": 10, "tmax": 1, "updates": 1}`, `{"task"`,
		`{"task": "warp", "steps": 10, "longest": 2, "updates": 1, "symbols": [10]}`} {
		err := train([]byte(settings), func(m []byte) { t.Errorf("%s: trained, and said %s", settings, m) })
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line", settings, err)
		}
	}
}

// visitor starts Chromium, and returns a function that opens a page. The page's errors fail the test.
func visitor(t *testing.T) func(url string) func(...chromedp.Action) {
	ctx, errorsOf := browser.Start(t)
	t.Cleanup(func() {
		for _, what := range errorsOf() {
			t.Errorf("the page: %s", what)
		}
	})
	return func(url string) func(...chromedp.Action) {
		run := func(actions ...chromedp.Action) {
			t.Helper()
			check.OK(t, chromedp.Run(ctx, actions...))
		}
		run(chromedp.Navigate(url))
		return run
	}
}

// address is that of the page.
func address(t *testing.T) string {
	if dir := os.Getenv(book); dir != "" {
		return "file://" + filepath.Join(dir, "live", "index.html")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "live.wasm")
	command := need.Program(t, "go")
	build := exec.Command(command, "build", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root, err := exec.Command(command, "env", "GOROOT").Output()
	check.OK(t, err)
	source := check.Read(t, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	text, err := json.Marshal(string(source))
	check.OK(t, err)
	files := http.NewServeMux()
	files.HandleFunc("/glue.js", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "self.warptimeGlue = %s;", text)
	})
	files.Handle("/live.wasm", http.FileServer(http.Dir(dir)))
	files.Handle("/", http.FileServer(http.Dir(".")))
	server := httptest.NewServer(files)
	t.Cleanup(server.Close)
	return server.URL + "/"
}
