package scripts_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// A checkout is what notebooks.sh needs of this repository: itself, a package that says whose it is, and a notebook.
type checkout string

// newCheckout makes one. Its kernel does nothing.
func newCheckout(t *testing.T, dir, whose string) checkout {
	c := checkout(dir)
	for _, name := range []string{"scripts/notebooks.sh", "scripts/notebooks.py", "scripts/failure.py"} {
		c.write(t, name, string(check.Read(t, "../"+name)))
	}
	check.OK(t, os.Chmod(filepath.Join(dir, "scripts/notebooks.sh"), 0o755))
	c.write(t, "go.mod", "module github.com/warptime/warptime\n\ngo 1.26\n")
	c.write(t, "whose/whose.go", "package whose\n\nconst Code = \"code of "+whose+"\"\n")
	c.write(t, "notebooks/go.mod", "module kernel\n\ngo 1.26\n\ntool kernel/gonb\n")
	c.write(t, "notebooks/gonb/main.go", "package main\n\nfunc main() {}\n")
	c.write(t, "notebooks/README.md", "# Notebooks\n")
	c.notebook(t, "one", "import \"github.com/warptime/warptime/whose\"", "%%\nfmt.Println(whose.Code)")
	return c
}

func (c checkout) write(t *testing.T, name, text string) {
	write(t, filepath.Join(string(c), name), text)
}

// notebook writes a notebook of cells of code.
func (c checkout) notebook(t *testing.T, name string, sources ...string) {
	var cells []any
	for i, source := range sources {
		cells = append(cells, map[string]any{"cell_type": "code", "id": string(rune('a' + i)), "source": source,
			"execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}})
	}
	kernel := map[string]any{"kernelspec": map[string]any{"display_name": "Go", "language": "go", "name": "gonb"}}
	text, err := json.Marshal(map[string]any{"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})
	check.OK(t, err)
	c.write(t, "notebooks/"+name+".ipynb", string(text))
}

// run runs notebooks.sh in an environment of its own, to which settings are added.
func (c checkout) run(t *testing.T, settings []string, args ...string) (said string, err error) {
	t.Helper()
	command := exec.Command(filepath.Join(string(c), "scripts/notebooks.sh"), args...)
	for _, name := range []string{"PATH", "TMPDIR"} {
		command.Env = append(command.Env, name+"="+os.Getenv(name))
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN"} {
		command.Env = append(command.Env, name+"="+goEnv(t, name))
	}
	command.Env = append(append(command.Env, "LC_ALL=C"), settings...)
	out, err := command.CombinedOutput()
	return string(out), err
}

// hostile are settings of somebody who works on another checkout, each of which can replace the code that runs.
func hostile(t *testing.T, other checkout) []string {
	t.Helper()
	dir, theirs := t.TempDir(), string(other)
	write(t, dir+"/go.env", "GOWORK=off\nGOFLAGS=-mod=mod\nGOOS=windows\n")
	write(t, dir+"/go.work", "go 1.26\n\nuse "+theirs+"\n")
	write(t, dir+"/jupyter_config.py", "c.ExecutePreprocessor.kernel_name = 'another'\n"+
		"c.KernelSpecManager.kernel_dirs = ['"+theirs+"/.tools/jupyter/kernels']\n")
	settings := []string{"GOENV=" + dir + "/go.env", "GOWORK=" + dir + "/go.work", "GOFLAGS=-mod=mod",
		"GO111MODULE=off", "GOOS=js", "VIRTUAL_ENV=" + theirs, "JUPYTER_PREFER_ENV_PATH=1"}
	for _, name := range []string{"JUPYTER_PATH", "JUPYTER_DATA_DIR", "IPYTHONDIR", "GONB_DIR", "GONB_TMP_DIR"} {
		settings = append(settings, name+"="+theirs+"/.tools/jupyter")
	}
	return append(settings, "JUPYTER_CONFIG_DIR="+dir, "JUPYTER_CONFIG_PATH="+dir)
}

// Of two checkouts, each runs its own code, though everything is set up for the other.
func TestNotebooksRunTheirOwnCheckout(t *testing.T) {
	if !need.Listed("jupyter") {
		t.Skipf("builds two kernels: %s=jupyter runs it", need.Variable)
	}
	dir := t.TempDir()
	var both []checkout
	for _, whose := range []string{"A", "B"} {
		c := newCheckout(t, filepath.Join(dir, "of "+whose), whose)
		for _, name := range []string{"go.mod", "go.sum"} {
			c.write(t, "notebooks/"+name, string(check.Read(t, "../notebooks/"+name)))
		}
		c.notebook(t, "bad", "import \"github.com/warptime/warptime/whose\"", "%%\nfmt.Println(whose.Code<nowhere)")
		said, err := c.run(t, nil, "--execute", "one.ipynb")
		check.OK(t, err, said)
		both = append(both, c)
	}
	write(t, filepath.Join(dir, "go.work"), "go 1.26\n\nuse \"./of A\"\n")
	for i, c := range both {
		settings := hostile(t, both[1-i])
		said, err := c.run(t, settings, "--execute", "one.ipynb")
		check.OK(t, err, said)
		check.Contains(t, string(check.Read(t, filepath.Join(string(c), "notebooks/one.ipynb"))),
			`"code of `+[]string{"A", "B"}[i]+`\n"`)
		said, err = c.run(t, settings, "--check", "bad.ipynb")
		check.That(t, err != nil, "a cell that does not compile is enough")
		check.Contains(t, said, "In [2]", "Line 2 ./main.go", "undefined: nowhere")
	}
}

// With a jupyter that is a script of a shell, as pyenv's is and one in a folder with a space, the notebooks open, and
// are signed. Whoever starts it may have no HOME, and modules of Python that hide those it uses.
func TestNotebooksOpen(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "python3")
	dir := t.TempDir()
	c := newCheckout(t, filepath.Join(dir, "a checkout"), "A")
	write(t, filepath.Join(dir, "a bin/jupyter"), "#!/usr/bin/env bash\necho \"$*\" >>\"$RAN\"\n")
	check.OK(t, os.Chmod(filepath.Join(dir, "a bin/jupyter"), 0o755))
	write(t, filepath.Join(dir, "json.py"), "raise SystemExit('not the json of Python')\n")
	c.write(t, "notebooks/README.md", "# Notebooks\n\n## Some words\n\n## Running them\n")
	c.notebook(t, "links", "// [words](README.md#some-words) [code](../whose/whose.go)")
	ran, opened := filepath.Join(dir, "ran"), filepath.Join(string(c), "out/notebooks")
	said, err := c.run(t, append(hostile(t, "/another"), "PATH="+filepath.Join(dir, "a bin")+":"+os.Getenv("PATH"),
		"RAN="+ran, "PYTHONPATH="+dir))
	check.OK(t, err, said)
	check.Contains(t, string(check.Read(t, ran)), "trust "+opened+"/one.ipynb", "notebook "+opened+"/index.ipynb")
	check.Contains(t, string(check.Read(t, filepath.Join(opened, "index.ipynb"))), `"name": "gonb"`, "## Some words")
	check.Contains(t, string(check.Read(t, filepath.Join(opened, "links.ipynb"))),
		"[words](index.ipynb#Some-words) [code](https://github.com/warptime/warptime/blob/main/whose/whose.go)")

	write(t, filepath.Join(dir, "go.work"), "go 1.26\n") // the kernel would take it for its own
	check.OK(t, os.Mkdir(filepath.Join(dir, "tmp"), 0o777))
	said, err = c.run(t, []string{"PATH=" + filepath.Join(dir, "a bin") + ":" + os.Getenv("PATH"), "RAN=" + ran,
		"TMPDIR=" + filepath.Join(dir, "tmp")})
	check.That(t, err != nil, "a workspace above the temporary files is not seen")
	check.Contains(t, said, filepath.Join(dir, "go.work"), "TMPDIR")

	// A Go that is too old, and may not download another, is named on one line, with what is needed.
	c.write(t, "go.mod", "module github.com/warptime/warptime\n\ngo 1.999\n")
	said, err = c.run(t, []string{"GOTOOLCHAIN=local"}, "--html")
	check.That(t, err != nil && strings.Count(said, "\n") == 1, "%v, want one line:\n%s", err, said)
	check.Contains(t, said, "1.999", goEnv(t, "GOVERSION"), "GOTOOLCHAIN=local")
}
