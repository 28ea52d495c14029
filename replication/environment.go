package replication

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gomlx/compute"
)

// environment finds out what this program is and where it runs.
func environment(b compute.Backend) Environment {
	e := Environment{Commit: "unknown", Versions: map[string]string{"go": runtime.Version()}, Device: b.DeviceDescription(0), CPU: cpuName()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return e
	}
	dirty := ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			e.Commit = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				dirty = "+changes"
			}
		case "GOEXPERIMENT":
			e.Versions["goexperiment"] = setting.Value
		}
	}
	if e.Commit == "unknown" { // go run and go test do not stamp it: ask git about the source that this was compiled from
		if _, file, _, ok := runtime.Caller(0); ok {
			out, err := exec.Command("git", "-C", filepath.Dir(file), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+changes").Output()
			if err == nil {
				e.Commit = strings.TrimSpace(string(out))
			}
		}
	}
	e.Commit += dirty
	for _, module := range info.Deps {
		switch module.Path {
		case "github.com/gomlx/gomlx":
			e.Versions["gomlx"] = module.Version
		case "github.com/gomlx/compute":
			e.Versions["compute"] = module.Version
		case "github.com/gomlx/go-xla":
			e.Versions["goxla"] = module.Version
		}
	}
	return e
}

// cpuName returns the processor's name where the system tells it (Linux), else its architecture.
func cpuName() string {
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
