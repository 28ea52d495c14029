package main

import (
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

// setUp makes a world of one wheel, no card, and a pip that is a shell script, in which $dest is where the wheel is to
// be unpacked.
func setUp(t *testing.T, pip string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the pip below is a shell script")
	}
	dir := t.TempDir()
	// What runs is: python3 -m pip install … --target <directory>
	script := "#!/bin/sh\nset -e\nfor dest; do :; done\n" + pip
	check.OK(t, os.WriteFile(filepath.Join(dir, "python3"), []byte(script), 0o777))
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("TMPDIR", t.TempDir())

	oldWheels, oldNVIDIA := wheels, hasNVIDIA
	t.Cleanup(func() { wheels, hasNVIDIA = oldWheels, oldNVIDIA })
	wheels = []wheel{{"cpu", runtime.GOOS + "/" + runtime.GOARCH, "project", "1.2", "abc", "lib/plugin.so",
		"pjrt_c_api_cpu_plugin.so", "Licence"}}
	hasNVIDIA = func() bool { return false }
}

// installed runs the program.
func installed(t *testing.T, args ...string) (said string, err error) {
	t.Helper()
	var b strings.Builder
	err = run(t.Context(), args, &command.Output{To: &b})
	return b.String(), err
}

// brings is a pip that has the wheel, if it is asked to check that, and for nothing else.
const brings = `[ "$4 $(cat)" = "--no-deps project==1.2 --hash=sha256:abc" ]; mkdir "$dest/lib"
printf '` + library + `' >"$dest/lib/plugin.so"`

// A wheel's library is installed where there is none; what is there stays.
func TestWheel(t *testing.T) {
	setUp(t, brings)
	dir := filepath.Join(t.TempDir(), "new", "[x] directory")
	want := filepath.Join(dir, "pjrt_c_api_cpu_plugin.so")
	for before, after := range map[string]string{"": library, "old": "old"} {
		os.RemoveAll(dir)
		if before != "" {
			check.Write(t, want, []byte(before))
		}
		said := check.Got(installed(t, "-dir", dir))(t)
		check.Equal(t, string(check.Read(t, want)), after, "the plugin, after %q", before)
		check.Entries(t, dir, 1)
		check.Contains(t, said, want, xla.PathVariable+"="+dir)
	}
	t.Setenv(xla.PathVariable, dir)
	check.Equal(t, xla.Find("cpu"), want, "what programs find")
}

// Whatever goes wrong, it is a one-line error, and the directory is as it was.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		what, pip string
		change    func(w *wheel)
		want      string
	}{
		{"another layout", brings, func(w *wheel) { w.library = "plugin.so" }, "plugin.so is not in it"},
		{"another machine", brings, func(w *wheel) { w.platform = "plan9/arm" }, "no wheel is known"},
		{"no pip", "echo /usr/bin/python3: No module named pip >&2; exit 1", func(*wheel) {}, "No module named pip"},
		{"another file", "echo 'ERROR: PACKAGES DO NOT MATCH\nWARNING: old pip' >&2; exit 1", func(*wheel) {},
			"pip: PACKAGES DO NOT MATCH"},
		{"no network", "echo \"WARNING: connection broken by 'ProxyError(403)': /a\nERROR: No version\" >&2; exit 1",
			func(*wheel) {}, "ProxyError(403)"},
	} {
		setUp(t, c.pip)
		c.change(&wheels[0])
		dir := filepath.Join(t.TempDir(), "plugins")
		_, err := installed(t, "-dir", dir)
		check.Rejected(t, c.what, err, c.want)
		check.Entries(t, dir, 0)
		check.Entries(t, os.Getenv("TMPDIR"), 0)
	}
}

// With a card there are two plugins to get, also where no wheel for CPUs is known, and JAX's own is enough.
func TestCUDA(t *testing.T) {
	setUp(t, brings)
	cuda := wheels[0]
	cuda.plugin, cuda.target = "cuda", "nvidia/pjrt_c_api_cuda_plugin.so"
	wheels = append(wheels, cuda)
	hasNVIDIA = func() bool { return true }
	dir := t.TempDir()
	check.Got(installed(t, "-dir", dir))(t)
	t.Setenv(xla.PathVariable, dir)
	for _, w := range wheels {
		check.Equal(t, xla.Find(w.plugin), filepath.Join(dir, w.target), "what programs find")
	}
	wheels, dir = wheels[1:], t.TempDir()
	_, err := installed(t, "-dir", dir)
	check.Rejected(t, "the plugin for CPUs", err, `"cpu"`)
	check.Equal(t, xla.FindIn(dir, "cuda"), filepath.Join(dir, cuda.target), "what is installed alone")

	site := t.TempDir()
	setUp(t, `case "$1" in -c) echo '`+site+`'; exit;; esac; `+brings)
	hasNVIDIA = func() bool { return true }
	jax := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	check.OK(t, errors.Join(os.MkdirAll(filepath.Dir(jax), 0o777), os.WriteFile(jax, nil, 0o666)))
	said := check.Got(installed(t, "-dir", t.TempDir()))(t)
	check.Contains(t, said, jax) // and nothing else was brought
}
