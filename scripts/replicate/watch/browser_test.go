package watch

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/made"
	"github.com/warptime/warptime/internal/need"
)

// In a browser the curves grow, what was opened stays open, and what was shown last stays when the server ends. The
// browser's clock runs ahead while it waits for nothing, so that the page looks several times at once.
func TestInABrowser(t *testing.T) {
	program := need.Program(t, "chromium")
	dir := t.TempDir()
	check.Got(made.Write(dir, run(t, "warp/fig4", "adding750", "")))(t)
	growing := run(t, "warp/fig4", "adding200", "")
	train(t, dir, growing, 300)

	served := handler(&runs{dir: dir})
	var mu sync.Mutex
	looks, pictures := 0, map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(r.URL.Path, "/curves/warp/fig4/adding200") {
			pictures[r.URL.String()] = true
		}
		if r.URL.Path != "/" {
			served.ServeHTTP(w, r)
			return
		}
		looks++
		page := httptest.NewRecorder()
		served.ServeHTTP(page, r)
		body := page.Body.Bytes()
		switch looks {
		case 1: // the reader opens what is closed
			body = bytes.ReplaceAll(body, []byte("<details "), []byte("<details open "))
			train(t, dir, growing, 900)
		case 4: // the server has ended
			w.WriteHeader(http.StatusInternalServerError)
		}
		w.Header().Set("Content-Type", page.Header().Get("Content-Type"))
		w.Write(body)
		if looks == 4 {
			looks = 3
		}
	}))
	defer server.Close()

	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--virtual-time-budget=20000", "--dump-dom", server.URL)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+cmd.Dir)
	shown := check.Got(cmd.Output())(t)
	check.Contains(t, string(shown), "update 900 of 1200", "1 training, 1 complete", `" open="">`, `<p id="ended">`)
	mu.Lock()
	defer mu.Unlock()
	check.Equal(t, len(pictures), 2, "pictures of the run among %v", pictures)
}
