package run

import (
	"bufio"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/replication/record"
)

// environment finds out what this program is and where it runs.
func environment(b compute.Backend) record.Environment {
	e := record.Environment{
		Commit: Commit(), Versions: map[string]string{"go": runtime.Version()},
		Device: b.DeviceDescription(0), CPU: CPU(), Instructions: simd.Instructions(),
	}
	if b, ok := b.(interface{ Plugin() string }); ok { // XLA
		e.Plugin = plugin(b.Plugin())
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "GOEXPERIMENT" {
				e.Versions["goexperiment"] = setting.Value
			}
		}
		for _, dependency := range info.Deps {
			if name, ok := libraries[dependency.Path]; ok {
				e.Versions[name] = dependency.Version
				if r := dependency.Replace; r != nil {
					e.Versions[name] = strings.TrimSpace(r.Path + " " + r.Version)
				}
			}
		}
	}
	return e
}

// libraries are those whose versions a record has, and its names for them.
var libraries = map[string]string{
	"github.com/gomlx/gomlx": "gomlx", "github.com/gomlx/compute": "compute", "github.com/gomlx/go-xla": "goxla",
}

// plugins are the checksums of plugins that were read, by file: that for NVIDIA cards has hundreds of megabytes.
var plugins sync.Map

// plugin returns the SHA-256 of a plugin's file, in hexadecimal, or "unknown".
func plugin(file string) string {
	if sum, ok := plugins.Load(file); ok {
		return sum.(string)
	}
	sum := "unknown"
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err == nil {
			sum = hex.EncodeToString(h.Sum(nil))
		}
	}
	plugins.Store(file, sum)
	return sum
}

// module is this one.
const module = "github.com/warptime/warptime"

// Commit returns what this program was built from: the commit, and "+changes" if files were changed or added since; or
// "unknown". It asks when it is first called, and keeps the answer: all records of a process name one commit.
var Commit = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	executable, err := os.Executable()
	if !ok || err != nil {
		return "unknown"
	}
	return builtFrom(info, executable)
})

// CommitOf returns what the program in a file was built from: what [Commit] returns in that program.
func CommitOf(file string) string {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	return builtFrom(info, file)
}

func builtFrom(info *debug.BuildInfo, executable string) string {
	for _, dependency := range info.Deps {
		if dependency.Path == module && dependency.Replace == nil {
			return dependency.Version // it was built from a release, in somebody else's program
		}
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	if stamped := settings["vcs.revision"]; stamped != "" && info.Main.Path == module {
		if settings["vcs.modified"] == "true" {
			stamped += "+changes"
		}
		return stamped
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok || !builtByGo(executable) {
		return "unknown"
	}
	return source(file)
}

// builtByGo tells whether go run or go test has built an executable. Neither stamps it, but starts it at once, from the
// source as it is now. It lies in a temporary directory go-build…, or, if it was built before, in the cache, which has
// that name, too, unless GOCACHE names another.
func builtByGo(executable string) bool {
	cache := os.Getenv("GOCACHE")
	return inGoBuild.MatchString(filepath.ToSlash(executable)) ||
		cache != "" && strings.HasPrefix(executable, filepath.Clean(cache)+string(filepath.Separator))
}

var inGoBuild = regexp.MustCompile(`/go-build(\d+/b\d+|/[0-9a-f]{2})/`)

// source returns the commit of the checkout that a file belongs to, and "+changes" if anything is changed or added
// there.
func source(file string) string {
	git := func(arguments ...string) (string, bool) {
		// Without locks: someone may be committing.
		arguments = append([]string{"--no-optional-locks", "-C", filepath.Dir(file)}, arguments...)
		out, err := exec.Command("git", arguments...).Output()
		return strings.TrimSpace(string(out)), err == nil
	}
	if _, tracked := git("ls-files", "--error-unmatch", filepath.Base(file)); !tracked {
		return "unknown"
	}
	head, known := git("rev-parse", "HEAD")
	if !known {
		return "unknown"
	}
	if status, ok := git("status", "--porcelain", "--untracked-files=normal"); !ok || status != "" {
		return head + "+changes"
	}
	return head
}

// CPU returns the processor's name where the system tells it (Linux), else its architecture.
func CPU() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
