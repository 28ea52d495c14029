package backend

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/warptime/warptime/chrono/backend/simd"
	"github.com/warptime/warptime/chrono/backend/xla"
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
		first := ""
		for _, e := range List() {
			check.That(t, (e.Missing == "") != (e.Why == ""), "%s: missing %q, why %q: want one of them", e.Name, e.Missing,
				e.Why)
			check.That(t, !strings.Contains(e.Missing+e.Why, "\n"), "%s takes more than a line: %q", e.Name, e.Missing+e.Why)
			switch {
			case e.Missing != "":
				got = append(got, "("+e.Name+")")
			default:
				got = append(got, e.Name)
				if first == "" {
					first = e.Name
				}
			}
		}
		check.Equal(t, strings.Join(got, " "), c.want, "%s, card %v, plugins %v", c.level, c.card, c.plugins)
		chosen, err := Choose("")
		check.That(t, err == nil && chosen == first, "%s, card %v, plugins %v: Choose takes %q, %v; want %s", c.level, c.card,
			c.plugins, chosen, err, first)
	}
}

func TestChooseObeysTheEnvironment(t *testing.T) {
	clearEnvironment(t)
	t.Setenv(compute.ConfigEnvVar, "go:ops_sequential,dependency_order")
	if got, err := Choose(""); err != nil || got != "go:ops_sequential,dependency_order" {
		t.Errorf("Choose(\"\") = %q, %v; want the variable's value", got, err)
	}
	if got, err := Choose("go"); err != nil || got != "go" {
		t.Errorf("Choose(\"go\") = %q, %v; an explicit name comes before the variable", got, err)
	}
}

func TestBadNamesAreOneLine(t *testing.T) {
	clearEnvironment(t)
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
		chosen, err := Choose(name)
		check.OK(t, err)
		check.Equal(t, chosen, name, "what is chosen")
	}
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

// A missing plugin must not be fetched: go-xla would put it into the home directory.
func TestNothingIsInstalled(t *testing.T) {
	clearEnvironment(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"xla:cpu", "xla:cuda", "xla"} {
		_, err := New(name)
		check.That(t, err != nil, "New(%q) found a plugin in empty directories", name)
	}
	check.Entries(t, home, 0)
}

// GoMLX's Go backend hangs in its default configuration as soon as its pool, twice the cores, is full of products that
// each wait for a free worker. This graph has many more; it runs alone and several times at once.
func TestIndependentProductsDoNotDeadlock(t *testing.T) {
	for _, config := range []string{"go", "go:parallelism=2"} {
		t.Run(config, func(t *testing.T) { independentProducts(t, config) })
	}
}

func independentProducts(t *testing.T, config string) {
	clearEnvironment(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	b, err := New(config)
	check.OK(t, err)
	defer b.Finalize()
	const products, size = 8, 256
	exec := graph.MustNewExec(b, func(x *graph.Node) *graph.Node {
		sum := graph.ZerosLike(x)
		for i := range products {
			sum = graph.Add(sum, graph.MatMul(graph.AddScalar(x, float64(i)), x))
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

// What the package's documentation says of compute.New.
func TestComputeNewWantsItsDefault(t *testing.T) {
	// go-xla also searches the user's and the system's directories, which it noted when the program started.
	t.Setenv(xla.PathVariable, "")
	os.Unsetenv(xla.PathVariable)
	plugin := xla.Find("cpu") + xla.Find("cuda")
	clearEnvironment(t)
	os.Unsetenv(compute.ConfigEnvVar) // an empty one is a setting to GoMLX
	if b, err := compute.New(); xla.NotBuilt == "" && plugin == "" && err == nil {
		t.Errorf("compute.New starts %s without a plugin: the documentation says that it fails", b.Name())
	}
	before := compute.DefaultConfig
	defer func() { compute.DefaultConfig = before }()
	compute.DefaultConfig = "simd"
	b, err := compute.New()
	check.OK(t, err)
	defer b.Finalize()
	check.Equal(t, b.Name(), "simd", "what compute.New starts")
}
