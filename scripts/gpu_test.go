package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// gpu.sh fails where a step passed without a test, or a measurement, of the engine: a name that no engine has matches
// none, and tests without subtests pass.
func TestGPUWithoutTests(t *testing.T) {
	bash := need.Program(t, "bash")
	const pass = "--- PASS: TestLoops (0.00s)\n"
	for name, c := range map[string]struct {
		only, log string
		ok        bool
	}{
		"a test":             {"conformance", pass + "    --- PASS: TestLoops/xla:cpu (0.00s)\n", true},
		"none":               {"conformance", pass, false},
		"of another engine":  {"conformance", pass + "    --- PASS: TestLoops/simd (0.00s)\n", false},
		"one failed":         {"updates", "    --- FAIL: TestA/xla:cpu\n    --- PASS: TestB/xla:cpu\n", false},
		"timed":              {"bench", "BenchmarkUpdate/model=mlp/by=xla:cpu-2 10 7 ns/op\n", true},
		"no step":            {"", "", false}, // as of a variable that is not set
		"only simd is timed": {"bench", "BenchmarkUpdate/model=mlp/by=simd-2 10 7 ns/op\n", false},
	} {
		dir := t.TempDir()
		check.Write(t, filepath.Join(dir, "scripts", "gpu.sh"), check.Read(t, "gpu.sh"))
		check.Write(t, filepath.Join(dir, "scripts", "bench", "peer_pytorch.py"), nil)
		check.Write(t, filepath.Join(dir, "commit"), []byte("0123abc\n"))
		check.Write(t, filepath.Join(dir, "log"), []byte(c.log))
		for _, program := range []string{"conformance.test", "scripts.test", "bench.test", "replicate"} {
			path := filepath.Join(dir, "bin", program)
			check.Write(t, path, []byte("#!/bin/sh\ncat '"+dir+"/log'\n"))
			check.OK(t, os.Chmod(path, 0o777))
		}
		cmd := exec.Command(bash, "scripts/gpu.sh", "-engine", "xla:cpu", "-only", c.only, "-out", "out")
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		check.Equal(t, err == nil, c.ok, "%s: it succeeds (%s)", name, text)
	}
}
