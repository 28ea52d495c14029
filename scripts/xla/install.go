package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gomlx/go-xla/installer"
)

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
	if plugin == "cpu" {
		err := installer.CPUAutoInstall(dir, true, installer.Normal)
		if err != nil {
			removeUnfinished(dir)
		}
		return err
	}
	// For CUDA the directory must have the name go-xla: the installer makes links beside it that lead there.
	own := dir
	if filepath.Base(dir) != "go-xla" {
		own = filepath.Join(dir, "go-xla")
	}
	err := installer.AutoInstallPlugin(plugin, filepath.Dir(own), true, installer.Normal)
	if err == nil && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
		err = fmt.Errorf("it has nothing for CUDA on %s/%s", runtime.GOOS, runtime.GOARCH) // and returns no error
	}
	if err != nil {
		os.RemoveAll(filepath.Join(own, "nvidia")) // some of NVIDIA's libraries; it has removed older ones itself
		removeUnfinished(own)
		if own != dir {
			os.Remove(own) // if it is empty
		}
	}
	return err
}

// removeUnfinished removes what a failed or interrupted installer leaves behind: locks, and what it was unpacking.
func removeUnfinished(dir string) {
	for _, pattern := range []string{"*.lock", ".extracting-*"} {
		left, _ := fs.Glob(os.DirFS(dir), pattern)
		for _, name := range left {
			os.RemoveAll(filepath.Join(dir, name))
		}
	}
}
