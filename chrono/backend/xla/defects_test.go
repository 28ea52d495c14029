//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package xla

import (
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// cpuPlugin is the plugin for CPUs. Without one the test is skipped, or fails if WARPTIME_REQUIRE says so.
func cpuPlugin(t *testing.T) string {
	t.Helper()
	if plugin := Find("cpu"); plugin != "" {
		return plugin
	}
	need.Skip(t, "xla:cpu", "no plugin for CPUs")
	return ""
}

// plainMain is the main function of a new computation on go-xla's own backend.
func plainMain(t *testing.T) compute.Function {
	t.Helper()
	setFlags(cpuPlugin(t))
	b, err := newPlain(cpuPlugin(t), "")
	check.OK(t, err)
	t.Cleanup(b.Finalize)
	return b.Builder(t.Name()).Main()
}

var vector = shapes.Make(dtypes.Float32, 3)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func wantRefused(t *testing.T, err error, message string) {
	t.Helper()
	if err == nil {
		t.Error("go-xla has mended its defect: the way round it can go")
	} else if !strings.Contains(err.Error(), message) {
		t.Errorf("go-xla has another error than the one that is got round: %v", err)
	}
}

// The first defect is still there.
func TestDefectOperands(t *testing.T) {
	main := plainMain(t)
	around := must(main.Parameter("x", vector, nil))
	closure := must(main.Closure())
	own := must(closure.Parameter("y", vector, nil))
	_, err := closure.Add(own, around)
	wantRefused(t, err, "not part of the function")
	always := must(closure.Constant([]bool{true}))
	must(closure.Add(own, must(closure.Where(always, around, around)))) // the way round
	wantRefused(t, closure.Return([]compute.Value{around}, nil), "not owned by the function")
}

// The second defect is still there.
func TestDefectReductions(t *testing.T) {
	main := plainMain(t)
	must(main.ReduceSum(must(main.Parameter("x", vector, nil))))
	closure := must(main.Closure())
	_, err := closure.ReduceSum(must(closure.Parameter("y", vector, nil)))
	wantRefused(t, err, "not a StableHLO closure")
}
