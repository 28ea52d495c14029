package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

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
	for what, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"a stamped one":            {stamp(module, "vcs.revision", "1"), "1"},
		"of edited files":          {stamp(module, "vcs.revision", "1", "vcs.modified", "true"), "1+changes"},
		"one that was not stamped": {stamp(module), unknown},
		"somebody else's":          {dependency, "v1.2.3"},
		"somebody else's copy":     {stamp("example.org/theirs", "vcs.revision", "theirs"), unknown},
	} {
		check.Equal(t, builtFrom(c.info), c.want, "%s: commit", what)
	}
}

// A program and another one that reads its file find the same commit.
func TestCommitOf(t *testing.T) {
	executable, err := os.Executable()
	check.OK(t, err)
	check.Equal(t, CommitOf(executable), Commit(), "commit of this program")
	text := filepath.Join(t.TempDir(), "text")
	check.Write(t, text, []byte("no program"))
	check.Equal(t, CommitOf(text), unknown, "commit of a text")
}

// A program that is compiled while somebody edits a file and restores it names no commit that it was not compiled from.
// The program is a small one around commit.go; go compiles its package p through a script that edits.
func TestEditedWhileCompiled(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for some seconds")
	}
	need.Program(t, "go")
	need.Program(t, "sh")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-buildvcs=auto")
	source := check.Read(t, "commit.go")
	const (
		main = "package main\nimport (\n\"fmt\"\n\"" + module + "/p\"\n\"" + module + "/run\"\n)\n" +
			"func main() { fmt.Print(run.Commit(), \" \", p.Is) }\n"
		clean, edited = "package p\nconst Is = \"clean\"\n", "package p\nconst Is = \"edited\"\n"
	)
	run := []string{"run", "."}
	stamped := []string{"run", "-buildvcs=true", "."}
	for _, c := range []struct {
		args                  []string
		atFirst, before, then string // p.go when go starts, when p is compiled, and after that
		clone                 bool   // go runs in a clone
		compiled              string
		named                 bool // it names the commit
	}{
		{run, clean, clean, clean, false, "clean", false}, // go has not asked git
		{run, edited, edited, clean, false, "edited", false},
		{run, clean, edited, clean, false, "edited", false},
		{run, clean, edited, edited, false, "edited", false},
		{stamped, clean, clean, clean, false, "clean", true},
		{stamped, edited, edited, clean, false, "edited", false},
		{stamped, edited, clean, clean, false, "clean", false},
		{stamped, clean, edited, clean, true, "clean", true}, // why evidence is trained by programs from clones
	} {
		dir, elsewhere := filepath.Join(t.TempDir(), "module"), t.TempDir()
		check.OK(t, os.Mkdir(dir, 0o777))
		git := func(arguments ...string) string {
			arguments = append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}, arguments...)
			out, err := exec.Command("git", arguments...).CombinedOutput()
			if err != nil {
				need.Skip(t, "git", fmt.Sprintf("%v: %s", err, out))
			}
			return strings.TrimSpace(string(out))
		}
		p := filepath.Join(dir, "p", "p.go")
		check.Write(t, filepath.Join(dir, "go.mod"), []byte("module "+module+"\ngo 1.26\n"))
		check.Write(t, filepath.Join(dir, "main.go"), []byte(main))
		check.Write(t, filepath.Join(dir, "run", "commit.go"), source)
		check.Write(t, p, []byte(clean))
		git("init")
		git("add", ".")
		git("commit", "-m", "one")
		check.Write(t, p, []byte(c.atFirst))
		check.Write(t, filepath.Join(elsewhere, "before"), []byte(c.before))
		check.Write(t, filepath.Join(elsewhere, "then"), []byte(c.then))
		script := filepath.Join(elsewhere, "edits")
		check.OK(t, os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\ncase \"$*\" in *' -p %s/p '*)\n"+
			"cp '%s' '%s'\n\"$@\"\ncode=$?\ncp '%s' '%[3]s'\nexit $code\nesac\nexec \"$@\"\n",
			module, filepath.Join(elsewhere, "before"), p, filepath.Join(elsewhere, "then")), 0o777))
		cmd := exec.Command("go", slices.Concat(c.args[:1], []string{"-toolexec", "'" + script + "'"}, c.args[1:])...)
		if cmd.Dir = dir; c.clone {
			cmd.Dir = filepath.Join(elsewhere, "clone")
			git("clone", "--quiet", dir, cmd.Dir)
		}
		out, err := cmd.CombinedOutput()
		check.OK(t, err)
		commit, compiled, _ := strings.Cut(string(out), " ")
		if compiled != c.compiled || (commit == git("rev-parse", "HEAD")) != c.named {
			t.Errorf("go %q of a file %q, then %q: it is %s, of commit %s", c.args, c.atFirst, c.before, compiled,
				commit)
		}
	}
}
