package simd

import (
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/exec"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/kernel"
)

// Name is what the backend is registered as in GoMLX: GOMLX_BACKEND=simd, or "simd:threads=1".
const Name = "simd"

func init() { compute.Register(Name, New) }

// Backend compiles GoMLX graphs for the CPU it runs on. It is a [compute.Backend]; make one with [New], or through
// compute.NewWithConfig("simd").
type Backend struct {
	notimplemented.Backend
	threads int
	workers *exec.Workers

	mu        sync.Mutex
	finalized bool
	// free holds the memory of finalized and donated buffers by size in bytes, for outputs to reuse. What a training
	// loop donates is what its next step returns, so the lists stay as short as the model has variables.
	free map[int][][]byte
	kept int // bytes
}

// New returns a backend. The configuration is a comma-separated list of options:
//
//	threads=n  how many threads compute; by default runtime.GOMAXPROCS(0). Results do not depend on it.
func New(config string) (compute.Backend, error) {
	threads, err := Threads(config)
	if err != nil {
		return nil, errors.Errorf("backend %s: %v", Name, err)
	}
	return &Backend{threads: threads, workers: exec.NewWorkers(threads), free: make(map[int][][]byte)}, nil
}

// Threads returns how many threads a backend of this configuration has, without starting one. The error is one line: an
// option is unknown, or its value is out of range.
func Threads(config string) (int, error) {
	const mostThreads = 4096 // more are a typing mistake
	threads := runtime.GOMAXPROCS(0)
	for option := range strings.SplitSeq(config, ",") {
		if option == "" {
			continue
		}
		key, value, _ := strings.Cut(option, "=")
		n, err := strconv.Atoi(value)
		if key != "threads" || err != nil || n < 1 || n > mostThreads {
			return 0, errors.Errorf("unknown option %q, expected threads=n with n from 1 to %d", option, mostThreads)
		}
		threads = n
	}
	return threads, nil
}

func (b *Backend) Name() string   { return Name }
func (b *Backend) String() string { return Name }

// Description says what the backend is and what it runs on.
func (b *Backend) Description() string {
	return "SIMD: compiled graphs in pure Go, " + b.DeviceDescription(0)
}

// DeviceDescription names the architecture and the instruction set in use, and not the number of threads, on which no
// result depends.
func (b *Backend) DeviceDescription(compute.DeviceNum) string {
	return runtime.GOARCH + ", " + Instructions()
}

// Instructions names the instruction set in use, the best of this processor that there are kernels for: "avx512",
// "avx2", "neon", or "portable", which is plain Go.
func Instructions() string { return kernel.Current().String() }

// UseInstructions makes all backends of this process compute with the instruction set of this name, to repeat what
// another machine has computed. It reports whether this machine has it; if not, nothing changes. No backend may be
// computing meanwhile, and what was compiled before must not be run after.
func UseInstructions(name string) bool {
	level, ok := kernel.Find(name)
	if ok {
		kernel.Use(level)
	}
	return ok
}

// Finalize stops the worker threads, as soon as they have finished their part in a running execution, and frees the
// memory kept for reuse.
func (b *Backend) Finalize() {
	b.mu.Lock()
	before := b.finalized
	b.finalized = true
	b.free = nil
	b.mu.Unlock()
	if !before {
		b.workers.Stop()
	}
}

// IsFinalized reports whether Finalize was called.
func (b *Backend) IsFinalized() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.finalized
}

// dataTypes are those of all values. Those of 16 bits of floating point are only stored: see [function.wide].
var dataTypes = []dtypes.DType{dtypes.Bool, dtypes.Int8, dtypes.Int16, dtypes.Int32, dtypes.Int64, dtypes.Uint8,
	dtypes.Uint16, dtypes.Uint32, dtypes.Uint64, dtypes.Float16, dtypes.BFloat16, dtypes.Float32, dtypes.Float64}

// Capabilities lists the operations and types that the backend computes. Shapes are static.
func (b *Backend) Capabilities() compute.Capabilities { return capabilities() }

// GoMLX asks for the capabilities at every use of a variable.
var capabilities = sync.OnceValue(func() compute.Capabilities {
	list := compute.Capabilities{Functions: true, Operations: make(map[compute.OpType]bool),
		DTypes: make(map[dtypes.DType]bool)}
	for _, d := range dataTypes {
		list.DTypes[d] = true
	}
	for _, op := range composed {
		list.Operations[op] = true
	}
	for op := range compute.OpTypeLast {
		if o := ir.Operations[op]; o.Gone || o.View != nil || element.Is(op) || exec.Computes(op) {
			list.Operations[op] = true
		}
	}
	return list
})
