package scripts_test

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// Somebody else's program imports this module, with an empty module cache, and trains the README's example: the file
// that has it is the program. The other modules come from this machine's cache, and nothing from the network. It
// compiles GoMLX once more, which takes a minute or two.
func TestStranger(t *testing.T) {
	if !need.Listed("stranger") {
		t.Skipf("takes minutes: %s=stranger runs it", need.Variable)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	here, err := filepath.Abs("..")
	check.OK(t, err)
	example := strings.NewReplacer("package cell_test", "package main", "func Example() {", "func main() {").
		Replace(string(check.Read(t, "../chrono/cell/example_test.go")))
	write(t, filepath.Join(program, "main.go"), example)
	cache := filepath.Join(goEnv(t, "GOMODCACHE"), "cache/download")
	downloaded := url.URL{Scheme: "file", Path: filepath.ToSlash(cache)}
	environment := append(os.Environ(), "GOPROXY="+downloaded.String(), "GOMODCACHE="+filepath.Join(dir, "modules"),
		"GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off",
		"GOFLAGS=-modcacherw -trimpath") // so that the next time GoMLX is there already
	var out []byte
	for _, arguments := range [][]string{{"mod", "init", "stranger"},
		{"mod", "edit", "-replace", "github.com/warptime/warptime=" + here}, {"get", "."}, {"run", "."}} {
		command := exec.Command("go", arguments...)
		command.Dir, command.Env = program, environment
		out, err = command.CombinedOutput()
		check.OK(t, err, arguments, string(out))
	}
	check.Equal(t, string(out), "better than the memoryless 0.167 by half: true\n", "what the program prints")
}

// What an importer downloads has no records and no pictures: they are in modules of their own. Nor has it names that Go
// rejects in modules.
func TestModuleIsSmall(t *testing.T) {
	check.OK(t, filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != ".." {
			_, none := os.Stat(filepath.Join(name, "go.mod"))
			if none == nil || entry.Name() == "out" || strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
		}
		if ext := filepath.Ext(name); ext == ".jsonl" || ext == ".png" || strings.ContainsAny(name, "\"'*<>?`|:") {
			t.Errorf("%s is in the module", name)
		}
		return err
	}))
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(string(check.Got(exec.Command("go", "env", name).Output())(t)))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check.Write(t, path, []byte(text))
}
