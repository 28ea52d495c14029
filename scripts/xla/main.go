// Xla downloads XLA's plugins for this machine: the CPU's, and CUDA's where there is an NVIDIA GPU. Nothing else in this
// project downloads anything.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/gomlx/go-xla/installer"
)

func main() {
	path, err := installer.DefaultHomeLibPath()
	if err != nil {
		fail(err)
	}
	dir := flag.String("dir", path, "where the plugins go; elsewhere than here, name it in PJRT_PLUGIN_LIBRARY_PATH")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: go run ./scripts/xla [-dir directory]\n\n"+
			"Downloads XLA's plugins for this machine, for the backends xla:cpu and, where there is an NVIDIA GPU, xla:cuda.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fail(fmt.Errorf("unexpected argument %q; see -help", flag.Arg(0)))
	}
	if err := installer.AutoInstall(*dir, true, installer.Normal); err != nil {
		fail(err)
	}
}

func fail(err error) {
	line, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Fprintln(os.Stderr, "xla:", line)
	os.Exit(2)
}
