// Package xla computes with XLA, on CPUs and on NVIDIA cards, through go-xla.
//
// XLA is not part of the program: it is a plugin, a shared library that is loaded when a backend starts. [Find] returns
// its path, and [New] starts it. Nothing is ever downloaded: go-xla's automatic installation of missing plugins is
// disabled.
//
// # Workarounds
//
// go-xla v0.4.5 lacks two properties of GoMLX's closures that every loop over time needs: a closure may use values of
// the function around it, and it may contain reductions. So New wraps go-xla's backend: see defects.go.
//
// On CPUs, XLA's maximum of 1 and NaN is 1 by default, also in reductions, so that a network that diverged can look as
// if it had not. New makes it NaN, as on the other engines. XLA_FLAGS=--xla_cpu_enable_fast_min_max=true undoes that.
//
// XLA itself, as of June 2026, miscompiles some small float64 graphs for AVX-512: the product of two [4, 5] values,
// concatenated with a third value, has an error larger than the values themselves. On CPUs, New therefore limits XLA to
// AVX2, where this has not been observed. XLA_FLAGS=--xla_cpu_max_isa=AVX512 removes the limit.
package xla

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// isCUDA tells by the file's name, as go-xla does, whether a plugin is for NVIDIA cards. go-xla also takes the names
// of the directories into account.
func isCUDA(plugin string) bool {
	return strings.Contains(strings.ToLower(filepath.Base(plugin)), "cuda")
}

// configuration is what go-xla is to be told: always the plugin's file and not its name, so that it has nothing to
// search or to install.
//
// On NVIDIA cards float32 products are computed in float32: go-xla's default there is TF32, which keeps 10 bits of
// each factor, and the results would not agree with the other engines'. And there memory is not shared with Go, even
// if a directory's name contains "cpu", from which go-xla would conclude that it is.
func configuration(plugin, settings string) string {
	config := plugin
	if settings != "" {
		config += "," + settings
	}
	if isCUDA(plugin) {
		for _, setting := range []string{"tf32", "shared_buffers"} {
			if !strings.Contains(settings, setting) {
				config += "," + setting + "=false"
			}
		}
	}
	return config
}

// flagsVariable is where XLA takes its settings from, when its first backend starts. It ends the program if it does not
// know one of them.
const flagsVariable = "XLA_FLAGS"

// setFlags adds to XLA's flags what the plugin needs, unless the user has set them otherwise.
func setFlags(plugin string) {
	if !isCUDA(plugin) { // see the package's comment
		if runtime.GOARCH == "amd64" {
			addFlag("--xla_cpu_max_isa", "AVX2")
		}
		addFlag("--xla_cpu_enable_fast_min_max", "false")
	} else {
		// JAX says where the compiler for the card is when it loads the plugin. Without JAX nobody does.
		nvidia := filepath.Join(filepath.Dir(plugin), "..", "..", "nvidia", "cu13")
		if info, err := os.Stat(nvidia); err == nil && info.IsDir() {
			addFlag("--xla_gpu_cuda_data_dir", nvidia)
		}
	}
}

func addFlag(name, value string) {
	if flags := os.Getenv(flagsVariable); !strings.Contains(flags, name) {
		os.Setenv(flagsVariable, strings.TrimSpace(flags+" "+name+"="+value))
	}
}
