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
	"regexp"
	"slices"
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

// forever makes [chromedp.Poll] wait as long as the test may run.
var forever = chromedp.WithPollingTimeout(0)

// TestPage presses Train, as a reader does, and waits until the chrono LSTM is below half of the memoryless error. The
// losses in the browser are those of the same program compiled for this machine, up to rounding. Another task begins
// with its own recorded training and settings, and the first keeps what was trained, its settings and faint lines.
func TestPage(t *testing.T) {
	open := visitor(t)
	page := open(address(t) + "#task=adding&t=20&tmax=20&seed=3")
	train := `document.querySelectorAll("warptime-train")[1]`
	page(chromedp.Evaluate(train+`.button.click()`, nil),
		chromedp.Poll(train+`.run.losses.at(-1)?.losses[1] < 0.5 * `+train+`.run.start?.memoryless`, nil, forever))
	var losses []Message
	var sentence string
	page(chromedp.Evaluate(train+`.button.click(); `+train+`.run.losses`, &losses),
		chromedp.Evaluate(train+`.seen.textContent`, &sentence))

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
			a, b := losses[i].Losses[arm], want.Losses[arm]
			check.That(t, losses[i].Update == want.Update && math.Abs(float64(a-b)) <= 1e-3*float64(b),
				"update %d, arm %d: %g in the browser, %g here", want.Update, arm, a, b)
		}
	}
	check.That(t, regexp.MustCompile(`the chrono LSTM is at \d+.% .* the standard LSTM at \d+.%`).MatchString(sentence),
		"the page says %q", sentence)

	type state struct {
		Sentence, Settings string
		Faint              int
		Hint               bool
	}
	look := `({
		sentence: ` + train + `.seen.textContent,
		settings: [` + train + `.steps.value, ` + train + `.tmax.value, ` + train + `.seed].join(),
		faint: ` + train + `.plot.querySelectorAll(".before").length,
		hint: !` + train + `.hint.hidden,
	})`
	choose := func(task string) (s state) {
		page(chromedp.Evaluate(train+`.task.value = "`+task+`";
			`+train+`.task.dispatchEvent(new Event("input", {bubbles: true})); `+look, &s))
		return s
	}
	copied, back := choose("copy"), choose("adding")
	check.That(t, strings.Contains(copied.Sentence, "copy, T = 20") && copied.Settings == "20,30,1" &&
		copied.Faint == 0 && !copied.Hint,
		"with copy chosen: %+v, want its recorded training and settings, and no other", copied)
	if want := (state{sentence, "20,20,3", 2, false}); back != want {
		t.Errorf("back at adding: %+v, want %+v", back, want)
	}
	page(chromedp.Evaluate(`[...`+train+`.querySelectorAll("button")].find((b) => b.textContent === "Reset").click(); `+
		look, &back))
	check.That(t, strings.Contains(back.Sentence, "adding, T = 60") && back.Settings == "60,60,1" && back.Faint == 0 &&
		!back.Hint, "after Reset: %+v, want the recorded training and its settings", back)
}

// TestPageWarps draws clocks, and trains networks on each: on the clock that is drawn, and on no other.
func TestPageWarps(t *testing.T) {
	page := visitor(t)(address(t))
	const train = `document.querySelector("warptime-train")`
	const write = `{
		const input = document.querySelector("warptime-text").text;
		input.value = text;
		input.dispatchEvent(new Event("input"));
	}`
	for _, draw := range []string{`0`, `for (const text of ["t", ""]) ` + write} { // an emptied text is the first again
		var first Settings
		var told bool
		page(chromedp.Poll(train+`.shown`, nil, forever), chromedp.Evaluate(draw, nil),
			chromedp.Evaluate(train+`.asked().asked`, &first), chromedp.Evaluate(`!`+train+`.hint.hidden`, &told))
		if !reflect.DeepEqual(first, shown) || told {
			t.Errorf("after %s, the page has %+v, and shows a recorded training with %+v; the reader is told to press "+
				"Train: %t", draw, first, shown, told)
		}
	}

	// Another letter in the same place, and zeros: what is shown is of neither.
	var other Settings
	var told bool
	var drawn int
	page(chromedp.Evaluate(`{ const text = "time warq"; `+write+`}`, nil),
		chromedp.Evaluate(train+`.asked().asked`, &other), chromedp.Evaluate(`!`+train+`.hint.hidden`, &told))
	check.That(t, reflect.DeepEqual(other, shown) && told,
		"with another letter, the page has %+v, want %+v; the reader is told to press Train: %t", other, shown, told)
	const pad = `{
		const kind = document.querySelector("warptime-text").kind;
		kind.value = after;
		kind.dispatchEvent(new Event("change"));
	}` + train + `.querySelectorAll("path, .live-inside *").length + ` + train + `.seen.textContent.length`
	page(chromedp.Evaluate(`{ const text = ""; `+write+`}`, nil), chromedp.Evaluate(`after = "pad"; `+pad, &drawn))
	check.That(t, drawn == 0, "with zeros after a character, %d things are shown, and nothing was trained", drawn)
	if page(chromedp.Evaluate(`after = "warp"; `+pad, &drawn)); drawn == 0 {
		t.Error("back at warping, nothing is shown")
	}

	var sentence string
	page(chromedp.Evaluate(`{
			const {start, losses} = warptimeRecorded.warp;
			losses.at(-1).losses = [0.016, 0.014, 0.004].map((share) => share * start.memoryless);
		}`+train+`.draw(); `+train+`.seen.textContent`, &sentence))
	if !regexp.MustCompile(`gated network is below 1.% .* leaky network at 1.% .* plain network at 2.%`).
		MatchString(sentence) {
		t.Errorf("of shares of 0.016, 0.014 and 0.004, the page says %q", sentence)
	}

	// A training of other networks, before its first losses: no curves, and faintly that of the only network that
	// both have.
	var curves []string
	page(chromedp.Evaluate(train+`.networks.selectedIndex = 1; `+train+`.begin();
		`+train+`.told({...warptimeRecorded.warp.start, arms: `+train+`.asked().asked.networks});
		`+train+`.told(warptimeRecorded.warp.latest); `+train+`.end(""); `+train+`.draw();
		[...`+train+`.plot.querySelectorAll("path:not(.axis)")].map((path) =>
			path.className.baseVal + path.style.getPropertyValue("--color"))`, &curves),
		chromedp.Evaluate(train+`.seen.textContent`, &sentence))
	check.That(t, slices.Equal(curves, []string{"beforevar(--three)"}) && !strings.Contains(sentence, "%"),
		"before its first losses, a training has the curves %q, and the page says %q", curves, sentence)

	// The page is dark where the reader has chosen so in the book.
	var background string
	page(chromedp.Evaluate(`localStorage.setItem("mode", "dark")`, nil), chromedp.Reload(),
		chromedp.Evaluate(`getComputedStyle(document.documentElement).backgroundColor`, &background))
	check.That(t, background == "rgb(18, 18, 18)", "with the book in the dark, the page is %s", background)

	page = visitor(t)(address(t) + "#text=abc&clock=1-2-3.5-3&kind=warp&seed=3")
	var tiles string
	var covered bool
	page(chromedp.Poll(`document.querySelectorAll("warptime-train")[1].shown`, nil, forever),
		chromedp.Evaluate(`!document.querySelectorAll("warptime-train")[1].hint.hidden`, &told))
	check.That(t, !told, "the seed of a linked text is another panel's, too")
	page(chromedp.Evaluate(`document.querySelector("warptime-text [role=slider]").dispatchEvent(
			new KeyboardEvent("keydown", {key: "ArrowUp", bubbles: true}))`, nil),
		chromedp.AttributeValue(`warptime-text .live-tiles`, "aria-label", &tiles, nil, chromedp.ByQuery),
		chromedp.Evaluate(`!`+train+`.hint.hidden`, &told))
	if want := "3 characters take 7 steps"; tiles != want || !told {
		t.Errorf("after an arrow up: %q, want %q; the reader is told to press Train: %t", tiles, want, told)
	}
	const number = `document.querySelector(".live-clock small").getBoundingClientRect()`
	const bar = `document.querySelector(".live-clock span").getBoundingClientRect()`
	page(chromedp.Evaluate(`document.querySelector(".live-clock").dispatchEvent(new PointerEvent("pointerdown",
			{clientX: `+bar+`.left + 1, clientY: `+bar+`.top + `+bar+`.height / 2 + 1}))`, nil),
		chromedp.AttributeValue(`warptime-text .live-tiles`, "aria-label", &tiles, nil, chromedp.ByQuery),
		chromedp.Evaluate(number+`.bottom > `+bar+`.top`, &covered))
	if want := "3 characters take 15 steps"; tiles != want || covered {
		t.Errorf("after a drag to half of a bar: %q, want %q; it covers its number: %t", tiles, want, covered)
	}
	page(chromedp.Evaluate(`document.querySelector("warptime-text").set(0, 2)`, nil))
	target := []int32{0, 0, 1, 1, 2, 2, 2} // of aabbccc
	for _, clock := range []struct {
		draw              string
		shortest, longest int
	}{
		{`0`, 2, 3},
		{`document.querySelector("warptime-text [role=group] button").click()`, 12, 12}, // Steady
	} {
		var run struct {
			Asked  Settings
			Latest Message
		}
		var wrong, gates int
		page(chromedp.Evaluate(clock.draw, nil), chromedp.Evaluate(train+`.button.click()`, nil),
			chromedp.Poll(train+`.run.losses.at(-1)?.update >= 100`, nil, forever),
			chromedp.Evaluate(train+`.button.click()`, nil), chromedp.Evaluate(train+`.draw()`, nil),
			chromedp.Evaluate(train+`.run`, &run),
			chromedp.Evaluate(train+`.querySelectorAll("span.wrong").length`, &wrong),
			chromedp.Evaluate(train+`.querySelector("canvas").width`, &gates))
		check.That(t, run.Asked.Shortest == clock.shortest && run.Asked.Longest == clock.longest,
			"trained on %d to %d steps, drawn are %d to %d", run.Asked.Shortest, run.Asked.Longest, clock.shortest,
			clock.longest)
		if clock.longest == 12 {
			target = slices.Concat(slices.Repeat([]int32{0}, 12), slices.Repeat([]int32{1}, 12),
				slices.Repeat([]int32{2}, 12))
		}
		want := 0
		for _, answers := range run.Latest.Answers {
			for step, answer := range answers {
				if answer != target[step] {
					want++
				}
			}
		}
		check.That(t, len(run.Latest.Answers) == 3 && wrong == want && gates == len(target),
			"%d answers are marked as wrong, and gates of %d steps drawn; %d of %v are, in %d steps", wrong, gates,
			want, run.Latest.Answers, len(target))
	}
}

// TestPageFails ends a training whose worker crashes; hears nothing of one that was stopped; draws what has diverged,
// without what is no number; and trains no longer text than the page lets its readers write.
func TestPageFails(t *testing.T) {
	page := visitor(t)(address(t) + "#text=a-long-text-that-somebody-wrote-into-the-address")
	const first = `document.querySelector("warptime-train")`
	const train = `document.querySelectorAll("warptime-train")[1]`
	var asked Settings
	page(chromedp.Evaluate(`Object.defineProperty(self, "warptimeGlue", {get: () => "class Go {}", set() {}});
			`+first+`.button.click()`, nil), chromedp.Poll(`!`+first+`.stop`, nil, forever),
		chromedp.Evaluate(first+`.asked().asked`, &asked))
	if letters, steps := 16, 20; len(asked.Symbols) > letters*steps {
		t.Errorf("a text of %d steps is trained, want at most %d letters of %d", len(asked.Symbols), letters, steps)
	}

	const tell = `((worker, message) => worker.onmessage({data: JSON.stringify(message)}))`
	var heard, dots int
	var told bool
	page(chromedp.Evaluate(`workers = [];
			self.Worker = class { constructor() { workers.push(this); } postMessage() {} terminate() {} };
			`+train+`.steps.value = 50; `+train+`.compare(); `+train+`.button.click()`, nil),
		chromedp.Evaluate(`!`+train+`.hint.hidden`, &told), chromedp.Poll(`workers.length === 1`, nil, forever),
		chromedp.Evaluate(train+`.button.click(); `+train+`.button.click()`, nil),
		chromedp.Poll(`workers.length === 2`, nil, forever), chromedp.Evaluate(`{
			const start = {kind: "start", arms: ["standard", "chrono"], memoryless: 1};
			`+tell+`(workers[1], start);
			`+tell+`(workers[1], {kind: "scales", scales: [null, 10]});
			`+tell+`(workers[0], {kind: "losses", update: 5, losses: [1, 1]});
			`+train+`.button.click();
		}`+train+`.run.losses.length`, &heard),
		chromedp.Evaluate(train+`.querySelectorAll("circle.now").length`, &dots))
	if told || heard != 0 || dots != 1 {
		t.Errorf("while it trains, the reader is told to press Train: %t; of a stopped training, %d messages are "+
			"heard; of a time scale and one that is no number, %d are drawn", told, heard, dots)
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
		chromedp.Poll(trains+`.every((t) => t.querySelectorAll(".live-inside *").length)`, nil, forever),
		chromedp.Evaluate(trains+`.map((t) => t.button.disabled + t.innerText)`, &told))
	for i, arm := range []string{"gated", "chrono"} {
		check.That(t, strings.HasPrefix(told[i], "true") && strings.Contains(told[i], "lacks WebAssembly") &&
			strings.Contains(told[i], arm),
			"panel %d says %q, want why nothing can be trained, and a recorded training", i, told[i])
	}
}

// TestRecorded trains the beginning of each recorded training again. Rounding differs between machines, and grows. The
// README's pictures are of the first.
func TestRecorded(t *testing.T) {
	text := check.Read(t, "recorded.js")
	_, text, _ = bytes.Cut(text, []byte("= "))
	var all map[string]recording
	check.OK(t, json.Unmarshal(bytes.TrimSuffix(text, []byte(";\n")), &all))
	for name, a := range pictures {
		check.That(t, string(check.Read(t, "../../../figures/"+name)) == a.picture(all["warp"]),
			"figures/%s does not show the recorded training: go run ./book/live -recorded", name)
	}
	for _, s := range recorded {
		got := all[s.Task]
		if !reflect.DeepEqual(got.Asked, s) || len(got.Losses) != s.Updates/(report*thinned) {
			t.Errorf("%s: recorded %d messages with %+v, want %+v", s.Task, len(got.Losses), got.Asked, s)
			continue
		}
		s.Updates = 2 * report * thinned
		want := check.Got(record(s))(t)
		for i, w := range want.Losses {
			for arm := range w.Losses {
				if a, b := got.Losses[i].Losses[arm], w.Losses[arm]; math.Abs(float64(a-b)) > 1e-2*float64(b) {
					t.Errorf("%s, update %d, arm %d: recorded %g, want %g", s.Task, w.Update, arm, a, b)
				}
			}
		}
	}
}

// TestNumber sends a training that has diverged.
func TestNumber(t *testing.T) {
	nan := []number{number(math.NaN()), number(math.Inf(1)), 0.125}
	got, err := json.Marshal(Message{Losses: nan, Gates: nan, Scales: nan})
	const want = `{"kind":"","losses":[null,null,0.125],"gates":[null,null,0.125],"scales":[null,null,0.125]}`
	check.That(t, err == nil && string(got) == want, "%s, %v, want %s", got, err, want)
}

// TestSettings refuses what cannot be trained with one line.
func TestSettings(t *testing.T) {
	warp := Settings{Task: "warp", Networks: []string{"plain"}, Steps: 10, Shortest: 1, Longest: 2, Updates: 1}
	none, reversed, unknown, symbol := warp, warp, warp, warp
	none.Updates, reversed.Shortest, unknown.Networks, symbol.Symbols = 0, 3, []string{"plan"}, []int32{10}
	for _, s := range []Settings{
		none, reversed, unknown, symbol, {Task: "sorting", Steps: 10, Updates: 1},
		{Task: "adding", Steps: 1, Tmax: 10, Updates: 1}, {Task: "copy", Steps: 10, Tmax: 1, Updates: 1},
	} {
		err := Train(s, func(m Message) { t.Errorf("%+v: trained, and said %+v", s, m) })
		check.That(t, err != nil && !strings.Contains(err.Error(), "\n"), "%+v: error %v, want one line", s, err)
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
	out, err := build.CombinedOutput()
	check.OK(t, err, string(out))
	root := check.Got(exec.Command(command, "env", "GOROOT").Output())(t)
	source := check.Read(t, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	text := check.Got(json.Marshal(string(source)))(t)
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
