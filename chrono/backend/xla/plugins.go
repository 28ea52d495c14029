package xla

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// PathVariable is go-xla's environment variable for the directories of plugins, separated by colons.
const PathVariable = "PJRT_PLUGIN_LIBRARY_PATH"

// Find returns the path of the plugin "cpu" or "cuda", or "" if there is none.
//
// It searches the directories in PJRT_PLUGIN_LIBRARY_PATH or, if that is unset, go-xla's own directories of the user
// and the system, and those in LD_LIBRARY_PATH. It searches each as [FindIn] does, and returns the first plugin found.
// If there is none for CUDA, it uses [FindJAX].
//
// go-xla searches too, but it loads every plugin to see whether it is one, and panics at the first that is not.
func Find(name string) string {
	for _, dir := range directories() {
		if plugin := FindIn(dir, name); plugin != "" {
			return plugin
		}
	}
	if name == "cuda" {
		return FindJAX()
	}
	return ""
}

// FindIn returns the path of the plugin in a directory, the latest of several versions; "" if there is none. It also
// searches the subdirectories to which go-xla's installer writes the plugin for CUDA: nvidia and go-xla/nvidia.
func FindIn(dir, name string) string {
	for _, below := range []string{"", "nvidia", "go-xla/nvidia"} {
		if plugin := findRightIn(filepath.Join(dir, below), name); plugin != "" {
			return plugin
		}
	}
	return ""
}

// pluginName matches the names that go-xla gives: pjrt_c_api_<name>_plugin.so or, with a version,
// pjrt_c_api_<name>_<version>_plugin.so.
var pluginName = regexp.MustCompile(`^(?:pjrt_c_api_(.+?)(?:_v(.*))?_plugin|pjrt[-_]plugin[-_](.+))\.(?:so|dylib|dll)$`)

func findRightIn(dir, name string) (last string) {
	entries, _ := os.ReadDir(dir)
	version := ""
	for _, entry := range entries {
		match := pluginName.FindStringSubmatch(entry.Name())
		if match == nil || match[1]+match[3] != name || last != "" && compareVersions(match[2], version) < 0 {
			continue
		}
		last, version = filepath.Join(dir, entry.Name()), match[2]
	}
	return last
}

// compareVersions compares versions number by number: 0.83 comes after 0.9, and a name without a version first.
func compareVersions(a, b string) int {
	numbers := func(version string) (all []int) {
		for text := range strings.FieldsFuncSeq(version, func(r rune) bool { return r < '0' || r > '9' }) {
			n, _ := strconv.Atoi(text)
			all = append(all, n)
		}
		return all
	}
	return slices.Compare(numbers(a), numbers(b))
}

func directories() []string {
	if dirs, set := os.LookupEnv(PathVariable); set {
		return absolute(strings.Split(dirs, ":"))
	}
	var dirs []string
	if dir, err := Directory(); err == nil {
		dirs = append(dirs, dir)
	}
	dirs = append(dirs, "/usr/local/lib/go-xla")
	return append(dirs, absolute(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")))...)
}

// Directory is where go-xla keeps the user's plugins. The error says that there is no home directory.
func Directory() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "go-xla"), nil
	}
	return filepath.Join(home, ".local", "lib", "go-xla"), nil
}

func absolute(dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// jaxPlugin is where JAX has its plugin for CUDA, below a directory of Python's packages.
const jaxPlugin = "jax_plugins/xla_cuda*/xla_cuda_plugin.so"

// FindJAX returns the path of the CUDA plugin of an installed JAX; "" if there is none. It searches the packages of the
// Python in VIRTUAL_ENV, and then those of the python3 on the PATH. It runs these Pythons to get their package paths,
// but imports no packages.
func FindJAX() string {
	var pythons []string
	if environment := os.Getenv("VIRTUAL_ENV"); environment != "" {
		pythons = append(pythons, filepath.Join(environment, "bin", "python3"))
	}
	if python, err := exec.LookPath("python3"); err == nil {
		pythons = append(pythons, python)
	}
	for _, python := range slices.Compact(pythons) {
		// A python3 that hangs, a shim without its network drive perhaps, must not keep the program from starting.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		list := exec.CommandContext(ctx, python, "-c", `import sys; print(*sys.path, sep="\n")`)
		list.WaitDelay = time.Second // for what a shim has started, which the end of ctx does not stop
		paths, err := list.Output()
		cancel()
		if err != nil {
			continue
		}
		for _, dir := range absolute(strings.Split(string(paths), "\n")) {
			if found, _ := fs.Glob(os.DirFS(dir), jaxPlugin); len(found) > 0 {
				return filepath.Join(dir, slices.MaxFunc(found, compareVersions))
			}
		}
	}
	return ""
}

// HasNVIDIA reports whether the system shows an NVIDIA card (or Windows' one, to Linux inside of it).
func HasNVIDIA() bool {
	for _, pattern := range []string{"/dev/nvidia[0-9]*", "/dev/dxg"} {
		if devices, _ := filepath.Glob(pattern); len(devices) > 0 {
			return true
		}
	}
	return false
}
