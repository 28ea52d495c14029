package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/warptime/warptime/replication/record"
)

// A wheel is a package on PyPI that holds a plugin.
type wheel struct {
	plugin, platform string // "cpu" or "cuda"; Go's names of the system and the processor
	project, version string
	sha256           string // of the wheel; pip checks it
	library          string // the plugin in the wheel
	target           string // where it goes, below the directory of the plugins: by the name that go-xla looks for
	origin           string // who made it, and the licence
}

// wheels are those that are known to load, by go-xla v0.4.5. None of them needs Python to run.
var wheels = []wheel{
	{
		plugin: "cpu", platform: "linux/amd64",
		project: "fastatomstruct-xla-cpu", version: "2026.6.23",
		sha256:  "88b1c430b341b4bea40a37420311c9c75db6e22b46d2ff95b6986577bee6afe9",
		library: "fastatomstruct_xla_cpu/libpjrt_cpu.so",
		target:  "pjrt_c_api_cpu_plugin.so",
		origin:  "XLA as built by github.com/zml/pjrt-artifacts; licence Apache-2.0",
	},
	byJAX("linux/amd64", "e5ff589d43064913bb74027682d89639c7ea48f9f81c2bae6fc75117e913f93e"),
	byJAX("linux/arm64", "63b55e50e5c2583a25e196ba06b034b63d2b2d8ad4c2f17935652c8d3ad2dd2d"),
}

func byJAX(platform, sha256 string) wheel {
	return wheel{
		plugin: "cuda", platform: platform,
		project: "jax-cuda13-pjrt", version: "0.11.2", sha256: sha256,
		library: "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		target:  "nvidia/pjrt_c_api_cuda_plugin.so",
		origin: "XLA as built by the JAX team; licence Apache-2.0. It needs NVIDIA's CUDA 13 and cuDNN, which are " +
			"not in it; `pip install \"jax[cuda13]\"` brings everything, and its plugin is found too",
	}
}

// getWheel takes a plugin out of its wheel. The directory holds the old plugin, or none, until the new one is complete.
func getWheel(ctx context.Context, plugin, dir string, stdout io.Writer) error {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	for _, w := range wheels {
		if w.plugin == plugin && w.platform == platform {
			if err := w.get(ctx, dir, stdout); err != nil {
				return fmt.Errorf("the wheel %s %s: %w", w.project, w.version, err)
			}
			return nil
		}
	}
	return fmt.Errorf("no wheel is known with XLA's plugin %q for %s; go-xla's own installer, which checks no sum, "+
		"may have one: go run github.com/gomlx/go-xla/cmd/pjrt_installer@latest", plugin, platform)
}

func (w wheel) get(ctx context.Context, dir string, stdout io.Writer) error {
	temp, err := os.MkdirTemp("", "warptime-xla-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := w.install(ctx, temp, stdout); err != nil {
		return err
	}
	library, err := os.ReadFile(filepath.Join(temp, filepath.FromSlash(w.library)))
	if err != nil {
		return fmt.Errorf("%s is not in it", w.library)
	}
	target := filepath.Join(dir, filepath.FromSlash(w.target))
	if err := record.WriteFile(target, library); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "xla:%s is installed: %s\n%s.\n", w.plugin, target, w.origin)
	return nil
}

// install lets pip download the wheel, check its SHA-256 and unpack it into the directory. Pip knows of proxies,
// mirrors and certificates, and shows how far it is. It tries a registry that does not answer three times.
func (w wheel) install(ctx context.Context, dir string, stdout io.Writer) error {
	c := exec.CommandContext(ctx, "python3", "-m", "pip", "install", "--no-deps", "--only-binary=:all:", "--no-compile",
		"--no-user", "--disable-pip-version-check", "--retries", "2", "--requirement", "/dev/stdin", "--target", dir)
	c.Env = append(os.Environ(), "PIP_PREFIX=", "PIP_ROOT=") // which pip would not combine with --target
	c.Stdin = strings.NewReader(w.project + "==" + w.version + " --hash=sha256:" + w.sha256)
	var said bytes.Buffer
	c.Stdout, c.Stderr = stdout, &said
	err := c.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("there is no python3 to download it with")
	}
	for _, mark := range []string{"connection broken by ", "ERROR: "} { // the first explains the second
		if _, reason, found := strings.Cut(said.String(), mark); found {
			reason, _, _ = strings.Cut(reason, "\n")
			return errors.New("pip: " + strings.TrimPrefix(mark, "ERROR: ") + reason)
		}
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return fmt.Errorf("pip: %w: %s", err, lines[len(lines)-1])
}
