package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gomlx/go-xla/installer"
)

// getUnchecked lets go-xla's installer get a plugin, of which no sum is known.
func getUnchecked(ctx context.Context, plugin, dir string, _ io.Writer) error {
	installed := make(chan error, 1)
	go func() { installed <- install(plugin, dir) }() // which cannot be interrupted
	select {
	case err := <-installed:
		if err != nil {
			return fmt.Errorf("go-xla's installer: %w", err)
		}
		return nil
	case <-ctx.Done():
		removeUnfinished(plugin, dir)
		return ctx.Err()
	}
}

// install is go-xla's installer. It is replaced in tests.
var install = func(plugin, dir string) error {
	_, missing := os.Stat(dir)
	err := runInstaller(plugin, dir)
	if err != nil && missing != nil {
		os.Remove(dir) // if it is empty
	}
	return err
}

func runInstaller(plugin, dir string) error {
	var err error
	if plugin == "cpu" {
		err = installer.CPUAutoInstall(dir, true, installer.Normal)
	} else {
		err = installer.AutoInstallPlugin(plugin, filepath.Dir(cudaDir(dir)), true, installer.Normal)
		if err == nil && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
			err = fmt.Errorf("it has nothing for CUDA on %s/%s", runtime.GOOS, runtime.GOARCH) // and returns no error
		}
	}
	if err != nil {
		removeUnfinished(plugin, dir)
	}
	return err
}

// cudaDir is where the installer puts CUDA's plugin. It must have the name go-xla: the installer makes links beside it
// that lead there.
func cudaDir(dir string) string {
	if filepath.Base(dir) == "go-xla" {
		return dir
	}
	return filepath.Join(dir, "go-xla")
}

// removeUnfinished removes what a failed or interrupted installer leaves behind: locks, what it was unpacking, and some
// of NVIDIA's libraries, of which it has removed older ones itself.
func removeUnfinished(plugin, dir string) {
	own := dir
	if plugin == "cuda" {
		own = cudaDir(dir)
		os.RemoveAll(filepath.Join(own, "nvidia"))
	}
	for _, pattern := range []string{"pjrt_c_api_*.lock", ".extracting-*"} { // and no lock of another program
		left, _ := fs.Glob(os.DirFS(own), pattern)
		for _, name := range left {
			os.RemoveAll(filepath.Join(own, name))
		}
	}
	if own != dir {
		os.Remove(own) // if it is empty
	}
}
