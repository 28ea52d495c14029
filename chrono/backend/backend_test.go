package backend

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

func clearEnvironment(t *testing.T) {
	t.Setenv(compute.ConfigEnvVar, "")
	t.Setenv(pluginPath, t.TempDir()) // hides plugins that this machine may have
}

func TestListOrder(t *testing.T) {
	clearEnvironment(t)
	var got []string
	for _, e := range List() {
		got = append(got, e.Name)
		if strings.Contains(e.Missing, "\n") {
			t.Errorf("%s: what is missing takes more than a line: %q", e.Name, e.Missing)
		}
	}
	if want := []string{"xla:cuda", "xla:cpu", "simd", "go"}; !slices.Equal(got, want) {
		t.Errorf("List is %q, want %q", got, want)
	}
	for _, e := range List()[2:] {
		if e.Missing != "" {
			t.Errorf("%s is missing: %s", e.Name, e.Missing)
		}
	}
}

func TestChooseTakesTheFirstPresent(t *testing.T) {
	clearEnvironment(t)
	if got, err := Choose(""); err != nil || got != "simd" { // no plugin is to be seen
		t.Errorf("Choose(\"\") = %q, %v; want simd", got, err)
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
	if err := os.WriteFile(notAPlugin, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want string }{
		{"tpu", "unknown backend \"tpu\""},
		{"xla:cuda", "xla:cuda is not available"},
		{"xla:cpu", "xla:cpu is not available"},
		{"xla:cpu,tf32=false", "is not available"},
		{"xla", "is not available"},
		{"xla:/no/such/plugin.so", "is not available"},
		{"go:no_such_option", "no_such_option"},
		{"xla:" + notAPlugin, "xla:"},
	} {
		b, err := New(c.name)
		if err == nil {
			t.Errorf("New(%q) = %s, want an error", c.name, b.Description())
		} else if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("New(%q): %q, want one line with %q", c.name, err, c.want)
		}
	}
}

// A missing plugin must not be fetched: go-xla would put it into the home directory.
func TestNothingIsInstalled(t *testing.T) {
	clearEnvironment(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"xla:cpu", "xla:cuda", "xla"} {
		if _, err := New(name); err == nil {
			t.Errorf("New(%q) found a plugin in empty directories", name)
		}
	}
	if files, _ := os.ReadDir(home); len(files) > 0 {
		t.Errorf("the home directory has %v", files)
	}
}

func TestFindPlugin(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	t.Setenv(pluginPath, "relative:"+first+":"+second)
	touch := func(dir, name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	touch(first, "pjrt_c_api_cpu_plugin.txt")
	touch(first, "pjrt_c_api_cuda_plugin.so")
	touch(second, "pjrt_c_api_cpu_v0.83.1_plugin.so")
	want := touch(second, "pjrt_c_api_cpu_v0.83.4_plugin.so")
	if got := findPlugin("cpu"); got != want {
		t.Errorf("findPlugin(cpu) = %q, want %q", got, want)
	}
	if got := findPlugin("tpu"); got != "" {
		t.Errorf("findPlugin(tpu) = %q, want none", got)
	}
}

// GoMLX's Go backend hangs in its default configuration as soon as its pool, twice the cores, is full of products that
// each wait for a free worker. This graph has many more; it runs alone and several times at once.
func TestIndependentProductsDoNotDeadlock(t *testing.T) {
	clearEnvironment(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	b, err := New("go")
	if err != nil {
		t.Fatal(err)
	}
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
	done := make(chan string)
	go func() {
		var wg sync.WaitGroup
		for i := range 4 {
			if i == 1 {
				wg.Wait() // alone first: with several running, the default configuration happens to be sequential
			}
			wg.Go(func() {
				for range 5 {
					if got := exec.MustCall(x)[0].Value().([][]float32)[0][1]; got != want {
						t.Errorf("sum of products is %g, want %d", got, want)
					}
				}
			})
		}
		wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("deadlock")
	}
}

func TestStartingPrintsNothing(t *testing.T) {
	clearEnvironment(t)
	stdout := os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = w
	for _, name := range []string{"simd", "go"} {
		b, err := New(name)
		if err != nil {
			t.Error(err)
			continue
		}
		b.Finalize()
	}
	os.Stdout = stdout
	w.Close()
	var buf [64]byte
	if n, _ := r.Read(buf[:]); n > 0 {
		t.Errorf("starting the backends printed %q", buf[:n])
	}
}
