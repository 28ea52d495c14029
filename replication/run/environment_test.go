package run

import (
	"path/filepath"
	"testing"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

func TestEnvironmentNamesTheInstructions(t *testing.T) {
	e := environment(newBackend(t, engine))
	if e.Instructions != simd.Instructions() || e.EngineVersion != engineVersion || e.CPU == "" ||
		e.Versions["go"] == "" {
		t.Errorf("%+v", e)
	}
}

// plugged is a backend that was loaded from a file.
type plugged struct {
	compute.Backend
	file string
}

func (l plugged) Plugin() string { return l.file }

func TestEnvironmentHasThePluginsChecksum(t *testing.T) {
	b, file := newBackend(t, engine), filepath.Join(t.TempDir(), "plugin.so")
	check.Write(t, file, []byte("abc"))
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	for _, c := range []struct {
		b    compute.Backend
		want string
	}{{b, ""}, {plugged{b, file}, abc}, {plugged{b, file + "x"}, "unknown"}} {
		check.Equal(t, environment(c.b).Plugin, c.want, "plugin")
	}
}

// Where a plugin is, XLA's backend says which.
func TestXLAHasAPlugin(t *testing.T) {
	b, err := backend.New("xla:cpu")
	if err != nil {
		need.Skip(t, "xla:cpu", err.Error())
	}
	defer b.Finalize()
	if sum := environment(b).Plugin; len(sum) != 64 {
		t.Errorf("plugin %q, want a SHA-256", sum)
	}
}
