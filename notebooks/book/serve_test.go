package book_test

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
	"github.com/warptime/warptime/notebooks/internal/browser"
)

// The page of scripts/serve, built and started as its comment says, forecasts in the browser what the server does.
func TestServedPage(t *testing.T) {
	program, command := filepath.Join(t.TempDir(), "serve"), need.Program(t, "go")
	for _, arguments := range [][]string{{"generate", "."}, {"build", "-o", program, "."}} {
		step := exec.Command(command, arguments...)
		step.Dir = "../../scripts/serve"
		out, err := step.CombinedOutput()
		check.OK(t, err, arguments, string(out))
	}
	listener, err := net.Listen("tcp", "localhost:0")
	check.OK(t, err)
	address := "http://" + listener.Addr().String()
	check.OK(t, listener.Close())
	server := exec.Command(program, "-at", listener.Addr().String())
	check.OK(t, server.Start())
	defer server.Wait()
	defer server.Process.Kill()
	ctx, errorsOf := browser.Start(t)
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Second / 10) {
		if _, err = http.Get(address); err == nil {
			break
		}
	}
	check.OK(t, err)

	var forecasts []float64 // of the two days that the page begins with
	check.OK(t, chromedp.Run(ctx, chromedp.Navigate(address), chromedp.Poll(
		`forecast.points.length >= 48 && [...forecast.points].slice(0, 48).map(point => -point.y)`, &forecasts,
		chromedp.WithPollingTimeout(time.Minute))))
	for hour, got := range forecasts {
		x := 2 * math.Sin(float64(hour)*math.Pi/12)
		response, err := http.Post(fmt.Sprintf("%s/forecasts/mine?x=%g", address, x), "", nil)
		check.OK(t, err)
		var want float64
		_, err = fmt.Fscan(response.Body, &want)
		check.OK(t, err)
		check.OK(t, response.Body.Close())
		check.That(t, math.Abs(got-want) <= 1e-4, "hour %d: the page forecasts %g, the server %g", hour, got, want)
	}

	// Where a drawing stops, in the middle, forecasts continue to the end.
	var box struct{ X, Y, Width, Height float64 }
	check.OK(t, chromedp.Run(ctx, chromedp.Evaluate(`chart.getBoundingClientRect().toJSON()`, &box)))
	middle, y := box.X+box.Width/2, box.Y+box.Height/4
	check.OK(t, chromedp.Run(ctx, chromedp.MouseEvent(input.MousePressed, box.X+5, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseMoved, middle, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseReleased, middle, y, chromedp.ButtonLeft),
		chromedp.Poll(`forecast.points.length == 96`, nil, chromedp.WithPollingTimeout(time.Minute))))
	var drawn []float64
	check.OK(t, chromedp.Run(ctx, chromedp.Evaluate(`[...temperature.points].map(point => -point.y)`, &drawn)))
	check.That(t, len(drawn) == 48 && math.Abs(drawn[47]-2) <= 0.05,
		"drawn are %.2f, want 2 degrees for 48 hours", drawn)

	// Two fingers that are lifted start one continuation: it does not go on into the next drawing.
	var continued int
	check.OK(t, chromedp.Run(ctx, chromedp.Evaluate(
		`chart.onlostpointercapture(); chart.onlostpointercapture(); restart()`, nil), chromedp.Sleep(time.Second/2),
		chromedp.Evaluate(`forecast.points.length`, &continued)))
	check.Equal(t, continued, 0, "forecasts before anything is drawn")
	for _, what := range errorsOf() {
		t.Error(what)
	}
}
