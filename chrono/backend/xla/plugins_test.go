package xla

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func write(t *testing.T, mode os.FileMode, text string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	check.OK(t, os.MkdirAll(filepath.Dir(file), 0o777))
	check.OK(t, os.WriteFile(file, []byte(text), mode))
	return file
}

func TestFind(t *testing.T) {
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("PATH", t.TempDir())
	first, second := t.TempDir(), filepath.Join(t.TempDir(), "[x] *")
	t.Setenv(PathVariable, "relative:"+first+":"+second)
	write(t, 0o666, "", first, "pjrt_c_api_cpu_plugin.txt")
	write(t, 0o666, "", first, "libpjrt_c_api_cpu_plugin.so")
	write(t, 0o666, "", first, "nvidia", "pjrt_c_api_other_plugin.so")
	for _, version := range []string{"", "_v0.9.9", "_v0.83.4", "_v0.83.1"} {
		write(t, 0o666, "", second, "pjrt_c_api_cpu"+version+"_plugin.so")
	}
	newer := write(t, 0o666, "", second, "pjrt_c_api_cpu_v0.83.10_plugin.so")
	cuda := write(t, 0o666, "", second, "nvidia", "pjrt_c_api_cuda_plugin.so")
	for name, want := range map[string]string{"cpu": newer, "cuda": cuda, "tpu": ""} {
		check.Equal(t, Find(name), want, "Find(%q)", name)
	}
}

// go-xla's own directory is searched as long as no other is named.
func TestFindAtHome(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir := check.Got(Directory())(t)
	want := write(t, 0o666, "", dir, "pjrt_c_api_cpu_plugin.so")
	t.Setenv(PathVariable, "")
	check.Equal(t, Find("cpu"), "", "with %s empty, Find", PathVariable)
	os.Unsetenv(PathVariable)
	check.Equal(t, Find("cpu"), want, "Find")
}

// JAX's plugin is where Python says that its packages are.
func TestFindJAX(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the Python below is a shell script")
	}
	t.Setenv(PathVariable, t.TempDir())
	t.Setenv("VIRTUAL_ENV", "")
	python := func(script string) (dir string) {
		dir = t.TempDir()
		write(t, 0o777, "#!/bin/sh\n"+script, dir, "bin", "python3")
		return dir
	}
	prints := func(dirs ...string) string {
		script := "echo\n" // an empty line: Python's name for the working directory
		for _, dir := range dirs {
			script += fmt.Sprintf("echo '%s'\n", dir)
		}
		return script
	}
	const plugin = "jax_plugins/xla_cuda13/xla_cuda_plugin.so"
	none, user, system := t.TempDir(), filepath.Join(t.TempDir(), "[x]"), t.TempDir()
	ofUser, ofSystem := write(t, 0o666, "", user, plugin), write(t, 0o666, "", system, plugin)
	write(t, 0o666, "", user, "jax_plugins/xla_cuda9/xla_cuda_plugin.so")

	onPath := python(prints(none, system))
	t.Setenv("PATH", filepath.Join(onPath, "bin"))
	check.Equal(t, Find("cuda"), ofSystem, "with python3 on the PATH, Find")
	t.Setenv("VIRTUAL_ENV", python(prints(none, user)))
	check.Equal(t, Find("cuda"), ofUser, "with VIRTUAL_ENV, Find")
	t.Setenv("VIRTUAL_ENV", python("exit 1"))
	check.Equal(t, Find("cuda"), ofSystem, "with a broken VIRTUAL_ENV, Find")
	check.Equal(t, Find("cpu"), "", "JAX's packages were searched for a plugin for CPUs")
	t.Setenv("PATH", none)
	check.Equal(t, Find("cuda"), "", "without Python, Find")
}

func TestConfiguration(t *testing.T) {
	for _, c := range []struct{ plugin, settings, want string }{
		{"/lib/pjrt_c_api_cpu_plugin.so", "", "/lib/pjrt_c_api_cpu_plugin.so"},
		{"/lib/pjrt_c_api_cpu_plugin.so", "a=b", "/lib/pjrt_c_api_cpu_plugin.so,a=b"},
		{"/cpu/xla_cuda_plugin.so", "", "/cpu/xla_cuda_plugin.so,tf32=false,shared_buffers=false"},
		{"/cpu/xla_cuda_plugin.so", "tf32=true", "/cpu/xla_cuda_plugin.so,tf32=true,shared_buffers=false"},
	} {
		check.Equal(t, configuration(c.plugin, c.settings), c.want, "configuration(%q, %q)", c.plugin, c.settings)
	}
}

func TestFlags(t *testing.T) {
	site := t.TempDir()
	plugin := write(t, 0o666, "", site, "jax_plugins/xla_cuda13/xla_cuda_plugin.so")
	data := "--xla_gpu_cuda_data_dir=" + filepath.Join(site, "nvidia", "cu13")
	check.OK(t, os.MkdirAll(filepath.Join(site, "nvidia", "cu13"), 0o777))
	const nan = "--xla_cpu_enable_fast_min_max=false"
	cpu := nan
	if runtime.GOARCH == "amd64" {
		cpu = "--xla_cpu_max_isa=AVX2 " + nan
	}
	for _, c := range []struct{ before, plugin, want string }{
		{"", "/lib/pjrt_c_api_cpu_plugin.so", cpu},
		{"--xla_cpu_max_isa=AVX512", "/lib/pjrt_c_api_cpu_plugin.so", "--xla_cpu_max_isa=AVX512 " + nan},
		{"", plugin, data},
		{"--xla_dump_to=/tmp", plugin, "--xla_dump_to=/tmp " + data},
		{"", "/lib/nvidia/pjrt_c_api_cuda_plugin.so", ""}, // go-xla sets them here
	} {
		t.Setenv(flagsVariable, c.before)
		setFlags(c.plugin)
		got := os.Getenv(flagsVariable)
		check.That(t, got == c.want, "%s was %q, and is %q with %s, want %q", flagsVariable, c.before, got, c.plugin,
			c.want)
	}
}
