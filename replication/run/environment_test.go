package run

import (
	"path/filepath"
	"testing"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// plugged is a backend that was loaded from a file.
type plugged struct {
	compute.Backend
	file string
}

func (l plugged) Plugin() string { return l.file }

// A record names the engine, the instructions and the processor, and the checksum of a backend's plugin.
func TestEnvironment(t *testing.T) {
	b, file := conformance.Start(t, engine), filepath.Join(t.TempDir(), "plugin.so")
	e := environment(b)
	check.That(t, e.Instructions == simd.Instructions() && e.EngineVersion == engineVersion && e.CPU != "" &&
		e.Versions["go"] != "" && e.Plugin == "", "%+v", e)
	check.Write(t, file, []byte("abc"))
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	check.Equal(t, environment(plugged{b, file}).Plugin, abc, "plugin")
	check.Equal(t, environment(plugged{b, file + "x"}).Plugin, "unknown", "a plugin that is gone")
	xla, err := backend.New("xla:cpu")
	if err != nil {
		need.Skip(t, "xla:cpu", err.Error())
	}
	defer xla.Finalize()
	check.Equal(t, len(environment(xla).Plugin), len(abc), "digits of XLA's checksum")
}
