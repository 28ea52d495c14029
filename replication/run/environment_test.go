package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// checkout makes a repository with one commit, which it returns, and a file in it.
func checkout(t *testing.T) (commit, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "main.go")
	check.Write(t, file, []byte("package main\n"))
	git := func(arguments ...string) string {
		identity := []string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}
		out, err := exec.Command("git", append(identity, arguments...)...).CombinedOutput()
		if err != nil {
			need.Skip(t, "git", fmt.Sprintf("%v: %s", err, out))
		}
		return strings.TrimSpace(string(out))
	}
	git("init")
	git("add", ".")
	git("commit", "-m", "one")
	return git("rev-parse", "HEAD"), file
}

func TestSourceSeesWhatChanged(t *testing.T) {
	commit, file := checkout(t)
	check.Equal(t, source(file), commit, "a clean checkout")
	extra := filepath.Join(filepath.Dir(file), "extra.go")
	check.Write(t, extra, []byte("package main\n"))
	check.Equal(t, source(file), commit+"+changes", "with a file that git does not know")
	check.Equal(t, source(extra), "unknown", "a file that is in no commit")
	check.OK(t, os.Remove(extra))
	check.Write(t, file, []byte("package other\n"))
	check.Equal(t, source(file), commit+"+changes", "with an edited file")
	check.Equal(t, source(filepath.Join(t.TempDir(), "main.go")), "unknown", "outside of any checkout")
}

// A record names the commit that the program was built from, whatever directory it runs in; not one that it might be
// built from now.
func TestCommitIsWhatWasBuilt(t *testing.T) {
	stamp := func(main string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Path: main}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	dependency := stamp("example.org/theirs", "vcs.revision", "theirs")
	dependency.Deps = []*debug.Module{{Path: module, Version: "v1.2.3"}}
	commit, _ := checkout(t)
	here, err := filepath.Abs("environment.go")
	check.OK(t, err)
	t.Chdir(t.TempDir())
	for what, c := range map[string]struct {
		info       *debug.BuildInfo
		executable string
		want       string
	}{
		"a stamped one":            {stamp(module, "vcs.revision", commit), "/usr/bin/replicate", commit},
		"of edited files":          {stamp(module, "vcs.revision", "1", "vcs.modified", "true"), "/x", "1+changes"},
		"one that was not stamped": {stamp(module), "/usr/bin/replicate", "unknown"},
		"one in a go-builds":       {stamp(module), "/home/x/go-builds/replicate", "unknown"},
		"somebody else's":          {dependency, "/usr/bin/theirs", "v1.2.3"},
	} {
		check.Equal(t, builtFrom(c.info, c.executable), c.want, "%s: commit", what)
	}
	// go run and go test build from the source as it is, wherever they are called, and go run keeps what it builds.
	t.Setenv("GOCACHE", "/somewhere/cache/")
	for _, executable := range []string{"/tmp/go-build1/b001/exe/replicate", "/somewhere/cache/08/1f-d/replicate",
		"/home/x/.cache/go-build/08/1f-d/replicate"} {
		check.Equal(t, builtFrom(stamp(module), executable), source(here), "%s: commit", executable)
	}
}

// A program and another one that reads its file find the same commit.
func TestCommitOf(t *testing.T) {
	executable, err := os.Executable()
	check.OK(t, err)
	check.Equal(t, CommitOf(executable), Commit(), "commit of this program")
	text := filepath.Join(t.TempDir(), "text")
	check.Write(t, text, []byte("no program"))
	check.Equal(t, CommitOf(text), "unknown", "commit of a text")
}

func TestEnvironmentNamesTheInstructions(t *testing.T) {
	e := environment(newBackend(t, engine))
	if e.Instructions != simd.Instructions() || e.CPU == "" || e.Versions["go"] == "" {
		t.Errorf("%+v", e)
	}
}

// plugged is a backend that was loaded from a file.
type plugged struct {
	compute.Backend
	file string
}

func (l plugged) Plugin() string { return l.file }

func TestEnvironmentHasThePluginsChecksum(t *testing.T) {
	b, file := newBackend(t, engine), filepath.Join(t.TempDir(), "plugin.so")
	check.Write(t, file, []byte("abc"))
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	for _, c := range []struct {
		b    compute.Backend
		want string
	}{{b, ""}, {plugged{b, file}, abc}, {plugged{b, file + "x"}, "unknown"}} {
		check.Equal(t, environment(c.b).Plugin, c.want, "plugin")
	}
}

// Where a plugin is, XLA's backend says which.
func TestXLAHasAPlugin(t *testing.T) {
	b, err := backend.New("xla:cpu")
	if err != nil {
		need.Skip(t, "xla:cpu", err.Error())
	}
	defer b.Finalize()
	if sum := environment(b).Plugin; len(sum) != 64 {
		t.Errorf("plugin %q, want a SHA-256", sum)
	}
}
