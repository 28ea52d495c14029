package backend

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/chrono/backend/xla"
	"github.com/warptime/warptime/chrono/scan"
	"github.com/warptime/warptime/internal/check"
)

func clearEnvironment(t *testing.T) {
	t.Setenv(compute.ConfigEnvVar, "")
	t.Setenv(xla.PathVariable, t.TempDir()) // hides plugins that this machine may have
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("PATH", t.TempDir()) // hides Python, and with it JAX
}

// withPlugins makes a machine with those plugins, as far as can be seen without loading them, and a card or none.
func withPlugins(t *testing.T, card bool, plugins ...string) {
	clearEnvironment(t)
	for _, plugin := range plugins {
		file := filepath.Join(os.Getenv(xla.PathVariable), "pjrt_c_api_"+plugin+"_plugin.so")
		check.OK(t, os.WriteFile(file, nil, 0o666))
	}
	hasNVIDIA = func() bool { return card }
	t.Cleanup(func() { hasNVIDIA = xla.HasNVIDIA })
}

// The list begins with the engine that is taken, and says of every engine either what it lacks or why to take it.
func TestList(t *testing.T) {
	defer func() { instructions = simd.Instructions }()
	if xla.NotBuilt != "" {
		t.Skip(xla.NotBuilt)
	}
	for _, c := range []struct {
		level   string
		card    bool
		plugins []string
		want    string // the list; what is missing stands in parentheses
	}{
		{"avx2", false, nil, "(xla:cuda) simd (xla:cpu) go"},
		{"avx2", false, []string{"cpu"}, "(xla:cuda) simd xla:cpu go"},
		{"avx2", false, []string{"cpu", "cuda"}, "(xla:cuda) simd xla:cpu go"},
		{"avx2", true, []string{"cpu"}, "(xla:cuda) simd xla:cpu go"},
		{"avx2", true, []string{"cpu", "cuda"}, "xla:cuda simd xla:cpu go"},
		{"portable", false, nil, "(xla:cuda) (xla:cpu) simd go"},
		{"portable", false, []string{"cpu"}, "(xla:cuda) xla:cpu simd go"},
		{"portable", true, []string{"cpu", "cuda"}, "xla:cuda xla:cpu simd go"},
	} {
		instructions = func() string { return c.level }
		withPlugins(t, c.card, c.plugins...)
		var got []string
		for _, e := range List() {
			check.That(t, (e.Missing == "") != (e.Why == ""), "%s: missing %q, why %q: want one of them", e.Name,
				e.Missing, e.Why)
			check.That(t, !strings.Contains(e.Missing+e.Why, "\n"), "%s takes more than a line: %q", e.Name,
				e.Missing+e.Why)
			if e.Missing != "" {
				e.Name = "(" + e.Name + ")"
			}
			got = append(got, e.Name)
		}
		check.Equal(t, strings.Join(got, " "), c.want, "%s, card %v, plugins %v", c.level, c.card, c.plugins)
		first := slices.IndexFunc(got, func(name string) bool { return name[0] != '(' })
		check.Equal(t, check.Got(Choose(""))(t), got[first], "what is chosen with %s, card %v", c.level, c.card)
	}
}

func TestChooseObeysTheEnvironment(t *testing.T) {
	clearEnvironment(t)
	t.Setenv(compute.ConfigEnvVar, "go:ops_sequential,dependency_order")
	check.Equal(t, check.Got(Choose(""))(t), "go:ops_sequential,dependency_order", "what is chosen")
	check.Equal(t, check.Got(Choose("go"))(t), "go", "what is chosen by an explicit name, which comes before")
}

// What cannot be started is an error of one line. A missing plugin must not be fetched: go-xla would put it into the
// home directory.
func TestBadNamesAreOneLine(t *testing.T) {
	clearEnvironment(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	notAPlugin := filepath.Join(t.TempDir(), "pjrt_c_api_cpu_plugin.so")
	check.OK(t, os.WriteFile(notAPlugin, []byte("no library"), 0o666))
	cases := []struct{ name, want string }{
		{"tpu", "unknown backend \"tpu\""},
		{"xla:cuda", "xla:cuda is not available"},
		{"xla:cpu", "xla:cpu is not available"},
		{"xla:cpu,tf32=false", "is not available"},
		{"xla", "is not available"},
		{"xla:/no/such/plugin.so", "is not available"},
		{"go:no_such_option", "no_such_option"},
		{"simd:threads=abc", `simd:threads=abc is not available: unknown option "threads=abc", expected threads=n`},
		{"simd:threads=0", "threads=0"},
		{"simd:no_such_option", "no_such_option"},
		{"xla:" + notAPlugin, "xla:"},
	}
	if xla.NotBuilt == "" {
		cases = append(cases, []struct{ name, want string }{
			{"xla", "no plugin is named, want one such as xla:cpu"},
			{"xla:,tf32=false", "no plugin is named, want one such as xla:cpu"},
			{"xla:./x.so", "plugin ./x.so is a file, want its absolute path"},
			{"xla:x.so", "plugin x.so is a file, want its absolute path"},
			{"xla:tpu", `there is no plugin "tpu"; install it with ` +
				"`go run github.com/warptime/warptime/scripts/xla`"},
		}...)
	}
	for _, c := range cases {
		_, err := New(c.name)
		check.Rejected(t, c.name, err, c.want)
		if strings.HasPrefix(c.name, "simd:") { // whose options are checked without starting it
			_, err := Choose(c.name)
			check.Rejected(t, c.name, err, c.want)
		}
	}
	for _, name := range []string{"simd:", "simd:threads=1"} {
		check.Equal(t, check.Got(Choose(name))(t), name, "what is chosen")
	}
	check.Entries(t, home, 0)
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"xla:cpu": true, "xla:cuda": true, "xla:cpu,tf32=false": true, "simd": true, "simd:threads=2": true,
		"go": true, "go:ops_sequential": true,
		"": false, "tpu": false, "xla": false, "xla:tpu": false, "xla:/path/evil.so": false, "xla:evil.so": false,
		"xla:cpu/evil.so": false, "xla:cpu,/path/evil.so": false,
	} {
		check.Equal(t, Named(name), want, "%q", name)
	}
}

// GoMLX's Go backend hangs in its default configuration as soon as its pool, twice the cores, is full of products that
// each wait for a free worker. This graph has many more; it runs alone and several times at once.
func TestIndependentProductsDoNotDeadlock(t *testing.T) {
	clearEnvironment(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	independentProducts(t, "go")
	independentProducts(t, "go:parallelism=2")
}

func independentProducts(t *testing.T, config string) {
	b := check.Got(New(config))(t)
	defer b.Finalize()
	const products, size = 8, 256
	exec := MustNewExec(b, func(x *Node) *Node {
		sum := ZerosLike(x)
		for i := range products {
			sum = Add(sum, MatMul(AddScalar(x, float64(i)), x))
		}
		return sum
	})
	x := make([][]float32, size)
	for i := range x {
		x[i] = make([]float32, size)
		x[i][i] = 1
	}
	// With x the unit matrix, (x+i)·x = x+i: off the diagonal the sum over i is 8·7/2.
	const want = products * (products - 1) / 2
	var wg sync.WaitGroup
	for i := range 4 {
		if i == 1 {
			wg.Wait() // alone first: with several running, the default configuration happens to be sequential
		}
		wg.Go(func() {
			for range 5 {
				check.Equal(t, exec.MustCall(x)[0].Value().([][]float32)[0][1], want, "sum of products")
			}
		})
	}
	wg.Wait() // after a deadlock, until go test ends it
}

// Graphs that run at the same time have threads of their own on simd, those that are asked for or else those of all
// cores, and no graph is without one; other engines share theirs.
func TestShared(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(6))
	for _, c := range []struct {
		name   string
		graphs int
		each   string
		number int
	}{
		{"simd", 1, "simd", 1}, {"simd:threads=8", 1, "simd:threads=8", 1}, {"go", 3, "go", 1}, {"go:", 2, "go:", 1},
		{"simd", 3, "simd:threads=2", 3}, {"simd:", 4, "simd:threads=1", 4}, {"simd", 9, "simd:threads=1", 9},
		{"simd:threads=8", 2, "simd:threads=4", 2}, {"simd:threads=2", 3, "simd:threads=1", 3},
	} {
		each, number, err := divided(c.name, c.graphs)
		check.OK(t, err)
		check.Equal(t, each, c.each, "%s for %d graphs", c.name, c.graphs)
		check.Equal(t, number, c.number, "%s for %d graphs: number", c.name, c.graphs)
		backends, finalize, err := Shared(c.name, c.graphs)
		check.OK(t, err)
		different := map[compute.Backend]bool{}
		for _, b := range backends {
			different[b] = true
		}
		check.Equal(t, len(backends), c.graphs, "%s: backends", c.name)
		check.Equal(t, len(different), c.number, "%s for %d graphs: different backends", c.name, c.graphs)
		finalize()
		for b := range different {
			check.Equal(t, b.IsFinalized(), true, "%s: finalized", c.name)
		}
	}
	_, _, err := Shared("simd", 0)
	check.Rejected(t, 0, err, "want 1 or more")
	_, _, err = Shared("no such engine", 2)
	check.That(t, err != nil, "an unknown engine is started")
}

// The defects are still there, and got round. Where GoMLX's own Go backend no longer fails, it has been mended, and
// what gets round the defect can go: newGo can be gobackend.New, or Return goes.
func TestGoDefects(t *testing.T) {
	plain, ours := check.Got(gobackend.New(sequential))(t), check.Got(newGo(sequential))(t)
	for name, c := range map[string]struct {
		next func(h, other *Node) (_, _ *Node)
		want [][]float64 // the gradient of the sum of h(2) with respect to h(0)
	}{
		"a broadcast in a loop": {func(h, other *Node) (_, _ *Node) {
			return Add(h, BroadcastToShape(SliceAxis(h, 0, AxisRange(0, 1)), h.Shape())), other
		}, [][]float64{{7, 7}, {1, 1}}},
		"the gradient of a sum": {func(h, other *Node) (_, _ *Node) {
			return Add(h, ReduceAndKeep(h, ReduceSum, 0)), other
		}, [][]float64{{9, 9}, {9, 9}}},
		"a value that is returned twice": {func(h, _ *Node) (_, _ *Node) { return MulScalar(h, 2), MulScalar(h, 2) },
			[][]float64{{4, 4}, {4, 4}}},
	} {
		run := func(b compute.Backend) (any, error) {
			out, err := ExecOnceN(b, func(h, x *Node) []*Node {
				step := func(_ *scan.Ctx, carry, _, _ []*Node) ([]*Node, []*Node) {
					h, other := c.next(carry[0], carry[1])
					return []*Node{h, other}, nil
				}
				_, final := scan.New(step).Unroll(1).Length(2).Done([]*Node{h, x}, nil, nil)
				return append(final, Gradient(ReduceAllSum(final[0]), h)[0])
			}, [][]float64{{1, 2}, {3, 4}}, [][]float64{{5, 6}, {7, 8}})
			if err != nil {
				return nil, err
			}
			return out[2].Value(), nil
		}
		_, err := run(plain)
		check.That(t, err != nil && strings.Contains(err.Error(), "not computed"),
			"%s on GoMLX's own: error %v, want that a value is not computed", name, err)
		got, err := run(ours)
		check.OK(t, err)
		check.Equal(t, got, any(c.want), "%s", name)
	}
}
