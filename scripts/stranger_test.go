package scripts_test

import (
	"archive/zip"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// version is one that the module might have.
const version = "v0.1.0"

// Somebody else's program imports this module, with an empty module cache, and trains the README's example. The other
// modules come from this machine's cache, and nothing from the network. It compiles GoMLX once more, which takes a
// minute or two.
func TestStranger(t *testing.T) {
	if !need.Listed("stranger") {
		t.Skipf("takes minutes: %s=stranger runs it", need.Variable)
	}
	dir, here := t.TempDir(), goEnv(t, "GOMODCACHE")
	proxy, program := filepath.Join(dir, "proxy"), filepath.Join(dir, "program")
	pack(t, "..", filepath.Join(proxy, "github.com/warptime/warptime/@v"))
	write(t, filepath.Join(program, "main.go"), readmeProgram(t))
	environment := append(os.Environ(), "GOPROXY="+fileURL(proxy)+","+fileURL(filepath.Join(here, "cache/download")),
		"GOMODCACHE="+filepath.Join(dir, "modules"), "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off",
		"GOFLAGS=-modcacherw -trimpath") // so that the next time GoMLX is there already
	var out []byte
	for _, arguments := range []string{
		"mod init stranger", "get github.com/warptime/warptime@" + version, "get .", "run .",
	} {
		command := exec.Command("go", strings.Fields(arguments)...)
		command.Dir, command.Env = program, environment
		var err error
		if out, err = command.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", arguments, err, out)
		}
	}
	if want := "better than the memoryless 0.167 by half: true\n"; string(out) != want {
		t.Errorf("the program printed %q, want %q", out, want)
	}
}

// What an importer downloads has no records and no pictures: they are in modules of their own.
func TestModuleIsSmall(t *testing.T) {
	files, size := 0, int64(0)
	eachFile(t, "..", func(name string) {
		if strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".png") {
			t.Errorf("%s is in the module", name)
		}
		info, err := os.Stat(filepath.Join("..", name))
		check.OK(t, err)
		files, size = files+1, size+info.Size()
	})
	if files < 300 {
		t.Errorf("the module has %d files only", files)
	}
	t.Logf("%d files, %d bytes", files, size)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// fileURL is the address of a folder, for GOPROXY.
func fileURL(dir string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check.Write(t, path, []byte(text))
}

// eachFile calls visit with the name of each file that belongs to the module in that folder: none of folders that git
// ignores, and none of other modules.
func eachFile(t *testing.T, root string, visit func(name string)) {
	t.Helper()
	if err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, err := os.Stat(filepath.Join(root, name, "go.mod"))
			if name != "." && (err == nil || name == "out" || strings.HasPrefix(entry.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if entry.Type().IsRegular() {
			visit(name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// pack writes what a proxy has of the module: its zip, its go.mod, and a list of its one version.
func pack(t *testing.T, root, dir string) {
	t.Helper()
	mod := check.Read(t, filepath.Join(root, "go.mod"))
	write(t, filepath.Join(dir, version+".mod"), string(mod))
	write(t, filepath.Join(dir, version+".info"), fmt.Sprintf(`{"Version":%q}`, version))
	write(t, filepath.Join(dir, "list"), version+"\n")
	file, err := os.Create(filepath.Join(dir, version+".zip"))
	check.OK(t, err)
	defer file.Close()
	archive := zip.NewWriter(file)
	eachFile(t, root, func(name string) {
		to, err := archive.Create(path.Join("github.com/warptime/warptime@"+version, name))
		check.OK(t, err)
		from, err := os.Open(filepath.Join(root, name))
		check.OK(t, err)
		defer from.Close()
		if _, err := io.Copy(to, from); err != nil {
			t.Fatal(err)
		}
	})
	check.OK(t, archive.Close())
}

// readmeProgram is the README's example as a program, with those imports of the tested one that it needs.
func readmeProgram(t *testing.T) string {
	t.Helper()
	readme := check.Read(t, "../README.md")
	_, example, _ := strings.Cut(string(readme), "<!-- example: begin -->\n```go\n")
	example, _, found := strings.Cut(example, "```\n")
	if !found {
		t.Fatal("README.md has no example")
	}
	tested, err := parser.ParseFile(token.NewFileSet(), "../chrono/cell/example_test.go", nil, parser.ImportsOnly)
	check.OK(t, err)
	imports := ""
	for _, spec := range tested.Imports {
		name := path.Base(strings.Trim(spec.Path.Value, `"`))
		switch {
		case spec.Name != nil:
			imports += fmt.Sprintf("import %s %s\n", spec.Name, spec.Path.Value)
		case strings.Contains(example, name+"."):
			imports += fmt.Sprintf("import %s\n", spec.Path.Value)
		}
	}
	return fmt.Sprintf("package main\n\n%s\nfunc main() {\n%s}\n", imports, example)
}
