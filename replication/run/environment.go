package run

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
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
		Commit: Commit(), EngineVersion: engineVersion, Versions: map[string]string{"go": runtime.Version()},
		Device: b.DeviceDescription(0), CPU: CPU(), Instructions: simd.Instructions(),
	}
	if b, ok := b.(interface{ Plugin() string }); ok && b.Plugin() != "" { // XLA
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

// plugin returns the SHA-256 of a plugin's file, in hexadecimal, or "unknown".
func plugin(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil))
}

// CPU returns the processor's name where the system tells it (Linux), else its architecture.
func CPU() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

const module = "github.com/warptime/warptime"

// Commit returns what this program was built from, as its build information has it: the commit, and "+changes" if files
// were edited or added; or "unknown", also in somebody else's program.
//
// Git cannot be asked when the program runs: files may have been edited while it was compiled, and restored since.
// So go build names a commit, and go run does with -buildvcs=true. Go asks git before it compiles. A program that is
// to train evidence is therefore built in a clone where nobody edits.
var Commit = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	return builtFrom(info)
})

const unknown = "unknown"

func builtFrom(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	commit := settings["vcs.revision"]
	switch {
	case commit == "" || info.Main.Path != module:
		return unknown
	case settings["vcs.modified"] == "true":
		return commit + "+changes"
	}
	return commit
}
