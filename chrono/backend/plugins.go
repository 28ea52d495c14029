package backend

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// pluginPath is the environment variable that go-xla reads the plugins' directories from, separated by colons.
const pluginPath = "PJRT_PLUGIN_LIBRARY_PATH"

// pluginDirs returns where XLA's plugins are looked for: the directories in PJRT_PLUGIN_LIBRARY_PATH or, if that is unset, go-xla's own of the
// user and the system, and those in LD_LIBRARY_PATH.
func pluginDirs() []string {
	if dirs, set := os.LookupEnv(pluginPath); set {
		return absolute(strings.Split(dirs, ":"))
	}
	var dirs []string
	if home, err := os.UserHomeDir(); err == nil {
		lib := filepath.Join(home, ".local", "lib")
		if runtime.GOOS == "darwin" {
			lib = filepath.Join(home, "Library", "Application Support")
		}
		dirs = append(dirs, filepath.Join(lib, "go-xla"), filepath.Join(lib, "go-xla", "nvidia"))
	}
	dirs = append(dirs, "/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia")
	return append(dirs, absolute(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")))...)
}

func absolute(dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// findPlugin returns the file of the plugin "cpu" or "cuda", or "". go-xla's installer gives it the name pjrt_c_api_<name>_plugin.so or,
// with a version, pjrt_c_api_<name>_<version>_plugin.so; of several the first directory's last version is taken.
//
// go-xla has such a search too. It loads every plugin to see whether it is one, and panics at the first that is not.
func findPlugin(name string) string {
	for _, dir := range pluginDirs() {
		var found []string
		for _, pattern := range []string{"pjrt_c_api_" + name + "_plugin.*", "pjrt_c_api_" + name + "_v*_plugin.*", "pjrt[-_]plugin[-_]" + name + ".*"} {
			files, _ := filepath.Glob(filepath.Join(dir, pattern)) // fails only for a bad pattern
			found = append(found, files...)
		}
		found = slices.DeleteFunc(found, func(file string) bool {
			return !slices.Contains([]string{".so", ".dylib", ".dll"}, filepath.Ext(file))
		})
		if len(found) > 0 {
			return slices.Max(found)
		}
	}
	return ""
}

// hasNVIDIA reports whether the system shows an NVIDIA card (or Windows' one, to Linux inside of it).
func hasNVIDIA() bool {
	for _, pattern := range []string{"/dev/nvidia[0-9]*", "/dev/dxg"} {
		if devices, _ := filepath.Glob(pattern); len(devices) > 0 {
			return true
		}
	}
	return false
}
