package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono/backend/xla"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/scripts/internal/command"
)

const library = "what is in the library"

// setUp makes a world of one wheel with that library in it, no card, and a pip that brings the wheel by the shell
// script, in which $wheel is the wheel's file and $dest where it is to go.
func setUp(t *testing.T, name, pip string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the pip below is a shell script")
	}
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for _, name := range []string{"some/other.so", name} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(library))
		}
		check.OK(t, err)
	}
	check.OK(t, z.Close())
	dir := t.TempDir()
	path := filepath.Join(dir, "a wheel.whl")
	// What runs is: python3 -m pip download … --dest <directory> <project>==<version>
	script := "#!/bin/sh\nset -e\nwheel='" + path + "'\nwhile [ $# -gt 2 ]; do shift; done\ndest=$1\n" + pip
	for file, content := range map[string]string{path: file.String(), filepath.Join(dir, "python3"): script} {
		check.OK(t, os.WriteFile(file, []byte(content), 0o777))
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("TMPDIR", t.TempDir())

	sum := sha256.Sum256(file.Bytes())
	oldWheels, oldNVIDIA := wheels, hasNVIDIA
	t.Cleanup(func() { wheels, hasNVIDIA = oldWheels, oldNVIDIA })
	wheels = []wheel{{"cpu", runtime.GOOS + "/" + runtime.GOARCH, "project", "1.2", hex.EncodeToString(sum[:]),
		"lib/plugin.so", "pjrt_c_api_cpu_plugin.so", "Licence"}}
	hasNVIDIA = func() bool { return false }
}

// installed runs the program.
func installed(t *testing.T, args ...string) (said string, err error) {
	t.Helper()
	var b strings.Builder
	err = run(t.Context(), args, &command.Output{To: &b})
	return b.String(), err
}

const brings = `cp "$wheel" "$dest"`

// tree lists all files below the directory; a missing one is empty.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var files []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			files = append(files, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Join(files, " ")
}

// A wheel's library is installed where there is none; what is there stays.
func TestWheel(t *testing.T) {
	setUp(t, "lib/plugin.so", brings)
	dir := filepath.Join(t.TempDir(), "new", "[x] directory")
	want := filepath.Join(dir, "pjrt_c_api_cpu_plugin.so")
	for before, after := range map[string]string{"": library, "old": "old"} {
		os.RemoveAll(dir)
		if before != "" {
			check.Write(t, want, []byte(before))
		}
		said := check.Got(installed(t, "-dir", dir))(t)
		check.Equal(t, string(check.Read(t, want)), after, "the plugin, after %q", before)
		check.Equal(t, tree(t, dir), "pjrt_c_api_cpu_plugin.so", "the directory")
		check.Contains(t, said, want, xla.PathVariable+"="+dir)
	}
	t.Setenv(xla.PathVariable, dir)
	check.Equal(t, xla.Find("cpu"), want, "what programs find")
}

// Whatever goes wrong, it is a one-line error, and the directory is as it was.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		what, library, pip string
		change             func(w *wheel)
		want               string
	}{
		{"another file", "lib/plugin.so", brings, func(w *wheel) { w.sha256 = strings.Repeat("0", 64) }, "SHA-256"},
		{"another layout", "plugin.so", brings, func(*wheel) {}, "lib/plugin.so is not in it"},
		{"another machine", "lib/plugin.so", brings, func(w *wheel) { w.platform = "plan9/arm" }, "no wheel is known"},
		{"nothing comes", "lib/plugin.so", "", func(*wheel) {}, "0 files"},
		{"no pip", "lib/plugin.so", "echo /usr/bin/python3: No module named pip >&2; exit 1", func(*wheel) {},
			"No module named pip"},
		{"no such version", "lib/plugin.so", "echo 'ERROR: No matching distribution\nWARNING: old pip' >&2; exit 1",
			func(*wheel) {}, "pip: No matching distribution"},
		{"no network", "lib/plugin.so",
			"echo \"WARNING: connection broken by 'ProxyError(403)': /a\nERROR: No version\" >&2; exit 1",
			func(*wheel) {}, "ProxyError(403)"},
	} {
		for _, before := range []string{"", "other"} {
			setUp(t, c.library, c.pip)
			c.change(&wheels[0])
			dir := filepath.Join(t.TempDir(), "plugins")
			if before != "" {
				check.Write(t, filepath.Join(dir, before), nil)
			}
			_, err := installed(t, "-dir", dir)
			check.Rejected(t, c.what, err, c.want)
			check.Equal(t, tree(t, dir), before, "%s: the directory", c.what)
			check.Equal(t, tree(t, os.Getenv("TMPDIR")), "", "%s: temporary files", c.what)
		}
	}
}

// With a card there are two plugins to get, and JAX's own is enough.
func TestCUDA(t *testing.T) {
	setUp(t, "lib/plugin.so", brings)
	cuda := wheels[0]
	cuda.plugin, cuda.target = "cuda", "nvidia/pjrt_c_api_cuda_plugin.so"
	wheels = append(wheels, cuda)
	hasNVIDIA = func() bool { return true }
	dir := t.TempDir()
	check.Got(installed(t, "-dir", dir))(t)
	check.Equal(t, tree(t, dir), "nvidia/pjrt_c_api_cuda_plugin.so pjrt_c_api_cpu_plugin.so", "the directory")
	t.Setenv(xla.PathVariable, dir)
	check.Equal(t, xla.Find("cuda"), filepath.Join(dir, cuda.target), "what programs find")

	site := t.TempDir()
	setUp(t, "lib/plugin.so", `if [ "$dest" = -c ]; then echo '`+site+`'; else `+brings+"; fi")
	hasNVIDIA = func() bool { return true }
	jax := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	check.OK(t, errors.Join(os.MkdirAll(filepath.Dir(jax), 0o777), os.WriteFile(jax, nil, 0o666)))
	said := check.Got(installed(t, "-dir", t.TempDir()))(t)
	check.Contains(t, said, jax) // and nothing else was brought
}

// Where no wheel for CPUs is known, the one for the card is installed all the same.
func TestCUDAAlone(t *testing.T) {
	setUp(t, "lib/plugin.so", brings)
	wheels[0].plugin = "cuda"
	hasNVIDIA = func() bool { return true }
	dir := t.TempDir()
	_, err := installed(t, "-dir", dir)
	check.Rejected(t, "the plugin for CPUs", err, `"cpu"`)
	check.Equal(t, tree(t, dir), wheels[0].target, "what is installed")
}
