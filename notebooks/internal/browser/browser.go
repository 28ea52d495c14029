// Package browser starts Chromium for tests.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/warptime/warptime/internal/need"
)

// Start starts Chromium, which ends with the test. It returns a context for chromedp.Run, and a function that returns
// the errors on the console since its last call.
func Start(t *testing.T) (ctx context.Context, errorsOf func() []string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // Chromium's processes end one after another, and write to the last
		for os.RemoveAll(profile) != nil {
			time.Sleep(10 * time.Millisecond)
		}
	})
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(profile),
		chromedp.ExecPath(need.Program(t, "chromium")))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil && !errors.Is(err, context.Canceled) { // waits for its end
			t.Error(err)
		}
	})
	var mutex sync.Mutex
	var said []string
	chromedp.ListenTarget(ctx, func(event any) {
		mutex.Lock()
		defer mutex.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			said = append(said, "an exception: "+e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError {
				said = append(said, fmt.Sprintf("on the console: %s", e.Args[0].Value))
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				said = append(said, "on the console: "+e.Entry.Text+" "+e.Entry.URL)
			}
		}
	})
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx, func() []string {
		mutex.Lock()
		defer mutex.Unlock()
		defer func() { said = nil }()
		return said
	}
}
