package watch

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A browser is a headless Chromium that is told what to do through a pipe: by its DevTools protocol, a JSON object a
// message, each ended by a zero byte.
type browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	session string
	id      int
}

// newBrowser opens a window. The test is skipped where there is no Chromium.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs chromium")
	}
	fromTest, toBrowser, err := os.Pipe()
	check(t, err)
	fromBrowser, toTest, err := os.Pipe()
	check(t, err)
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{fromTest, toTest} // 3 and 4 there
	check(t, cmd.Start())
	fromTest.Close()
	toTest.Close()
	b := &browser{t: t, in: toBrowser, out: bufio.NewReader(fromBrowser)}
	t.Cleanup(func() {
		b.send("", "Browser.close", nil)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
		}
		toBrowser.Close()
		fromBrowser.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.call("Page.enable", nil, nil)
	return b
}

// resize makes the window as large as that of a desktop or a phone.
func (b *browser) resize(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
}

func (b *browser) send(session, method string, parameters map[string]any) {
	b.id++
	message := map[string]any{"id": b.id, "method": method}
	if parameters != nil {
		message["params"] = parameters
	}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	check(b.t, err)
	_, err = b.in.Write(append(text, 0))
	check(b.t, err)
}

// call sends a command and reads its result. What the browser says in between is passed over.
func (b *browser) call(method string, parameters map[string]any, result any) {
	b.t.Helper()
	b.send(b.session, method, parameters)
	for {
		text, err := b.out.ReadBytes(0)
		check(b.t, err)
		var message struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		check(b.t, json.Unmarshal(text[:len(text)-1], &message))
		if message.ID != b.id {
			continue
		}
		if message.Error != nil {
			b.t.Fatalf("%s: %s", method, message.Error.Message)
		}
		if result != nil {
			check(b.t, json.Unmarshal(message.Result, result))
		}
		return
	}
}

// evaluate returns the value of an expression of the page's, as text.
func (b *browser) evaluate(expression string) string {
	b.t.Helper()
	var result struct{ Result struct{ Value any } }
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true},
		&result)
	return fmt.Sprint(result.Result.Value)
}

// wait waits until an expression of the page's is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	for end := time.Now().Add(20 * time.Second); b.evaluate(expression) != "true"; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("it never happens that %s; the page is\n%s", expression,
				b.evaluate("document.documentElement.outerHTML"))
		}
	}
}

// screenshot returns what the window shows. With WATCH_SCREENSHOTS, a directory, it also leaves it there.
func (b *browser) screenshot(name string) image.Image {
	b.t.Helper()
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	check(b.t, err)
	if dir := os.Getenv("WATCH_SCREENSHOTS"); dir != "" {
		check(b.t, os.WriteFile(filepath.Join(dir, name+".png"), data, 0o666))
	}
	picture, err := png.Decode(bytes.NewReader(data))
	check(b.t, err)
	return picture
}

// coloured counts the pixels of the blue and of the red curve, those at their edges too.
func coloured(picture image.Image) (blue, red int) {
	near := func(at, want color.RGBA) bool {
		apart := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
		return apart(at.R, want.R)+apart(at.G, want.G)+apart(at.B, want.B) < 90
	}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			at := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)
			if near(at, color.RGBA{0x1f, 0x4e, 0x9c, 0xff}) {
				blue++
			} else if near(at, color.RGBA{0xe3, 0x4a, 0x33, 0xff}) {
				red++
			}
		}
	}
	return blue, red
}

// pictures is whether all pictures in sight are there, and so many.
func pictures(n int) string {
	return fmt.Sprintf(`(() => { const all = [...document.querySelectorAll("figure img:not([loading])")]
		return all.length === %d && all.every(image => image.complete && image.naturalWidth > 300) })()`, n)
}

// In a browser the curves grow, runs begin and end, and the page stays where its reader has put it.
func TestInABrowser(t *testing.T) {
	b := newBrowser(t)
	b.resize(1280, 600)
	dir := filepath.Join(t.TempDir(), "records")
	s := start(t, dir)
	b.call("Page.navigate", map[string]any{"url": s.URL()}, nil)
	b.wait(`document.readyState === "complete" && document.body.innerText.includes("There are no runs yet")`)

	first := begin(t, dir, "adding200")
	first.train(0, 200)
	b.wait(pictures(1))
	_, early := coloured(b.screenshot("early"))
	first.train(200, 900)
	b.wait(pictures(1) + ` && document.body.innerText.includes("update 900 of 1200")`)
	blue, red := coloured(b.screenshot("later"))
	if blue < 100 || red < 2*early || early < 50 {
		t.Errorf("%d blue pixels, %d red ones, and %d of them early", blue, red, early)
	}

	second := begin(t, dir, "adding750")
	second.train(0, 600)
	b.wait(pictures(2))
	b.screenshot("two")
	first.train(900, updates)
	first.end()
	b.wait(pictures(2) + ` && document.querySelectorAll("details").length === 1`) // the second, and the figure
	b.evaluate(`document.querySelector("details").open = true; window.scrollTo(0, 100)`)
	second.train(600, updates)
	second.end()
	b.wait(`document.querySelectorAll("details").length === 2 && document.title.startsWith("0 training, 2")`)
	b.wait(`document.querySelector("details").open && document.querySelector("details img").naturalWidth > 300`)
	if at := b.evaluate("String(window.scrollY)"); at != "100" {
		t.Errorf("scrolled to %s, want 100", at)
	}
	b.screenshot("complete")
	b.resize(390, 800)
	b.wait("innerWidth === 390 && document.documentElement.scrollWidth <= 390")
	b.screenshot("phone")

	s.Close()
	b.wait(`!document.getElementById("ended").hidden`)
	b.wait(`document.querySelectorAll("details").length === 2`)
}

// A page of another origin gets neither the page nor a picture, though the browser asks for it.
func TestAnotherOriginInABrowser(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	begin(t, dir, "adding200").train(0, 300)
	s, other := start(t, dir), start(t, t.TempDir())
	_, page := get(t, s.URL())
	picture := strings.TrimSuffix(s.URL(), "/") + address(t, page, "/curves/")
	b.call("Page.setBypassCSP", map[string]any{"enabled": true}, nil) // the other page has a policy of its own
	b.call("Page.navigate", map[string]any{"url": other.URL()}, nil)
	b.wait(`document.readyState === "complete" && location.protocol === "http:"`)
	load := fmt.Sprintf(`new Promise(done => { const i = new Image(); i.onload = () => done("shown");
		i.onerror = () => done("refused"); i.src = %q })`, picture)
	if got := b.evaluate(load); got != "refused" {
		t.Errorf("a picture is %s", got)
	}
	fetch := fmt.Sprintf(`fetch(%q).then(() => "served", () => "refused")`, s.URL())
	if got := b.evaluate(fetch); got != "refused" {
		t.Errorf("the page is %s", got)
	}
	opaque := fmt.Sprintf(`fetch(%q, {mode: "no-cors"}).then(() => "served", () => "refused")`, s.URL())
	if got := b.evaluate(opaque); got != "refused" {
		t.Errorf("without CORS the page is %s", got)
	}
}
