package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gomlx/go-xla/installer"
)

// install is go-xla's installer. It is replaced in tests.
var install = func(plugin, dir string) error {
	// The installer takes the parent of a directory "go-xla". For CPUs it can be told the directory itself; for CUDA it
	// also makes links in the parent, which only fit that name.
	_, err := os.Stat(dir)
	made := os.IsNotExist(err)
	if plugin == "cpu" {
		err = installer.CPUAutoInstall(dir, true, installer.Normal)
	} else if parent := filepath.Dir(dir); filepath.Base(dir) == "go-xla" {
		err = installer.AutoInstallPlugin(plugin, parent, true, installer.Normal)
	} else {
		err = installer.AutoInstallPlugin(plugin, dir, true, installer.Normal)
	}
	if err == nil && plugin == "cuda" && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
		err = fmt.Errorf("it has nothing for CUDA on %s/%s", runtime.GOOS, runtime.GOARCH) // and says that all is well
	}
	if err != nil && made {
		os.RemoveAll(dir) // it leaves directories and a lock file behind
	}
	return err
}
