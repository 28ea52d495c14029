//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package xla

import (
	"io"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	goxla "github.com/gomlx/go-xla/compute/xla"
	"k8s.io/klog/v2"
)

// NotBuilt says why XLA was left out of this program; empty if it was not.
const NotBuilt = ""

func init() { goxla.EnableAutoInstall(false) }

// New starts the plugin of that file, an absolute path. The settings are go-xla's, separated by commas ("tf32=true");
// most need none. Errors are those of the plugin and of go-xla.
func New(plugin, settings string) (compute.Backend, error) {
	setFlags(plugin)
	b, err := newPlain(plugin, settings)
	if err != nil {
		return nil, err
	}
	return &backend{b, plugin}, nil
}

// newPlain is go-xla's own backend.
func newPlain(plugin, settings string) (compute.Backend, error) {
	// go-xla logs why a plugin does not load, and returns it too: once is enough.
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	defer klog.LogToStderr(true)
	return goxla.New(configuration(plugin, settings))
}

type value = compute.Value

// backend is go-xla's, and makes functions of ours. GoMLX compares a buffer's backend with the backend it computes on,
// so buffers, and executables, which return buffers, are ours too.
type backend struct {
	compute.Backend // go-xla's
	plugin          string
}

// Plugin is the file of the plugin that computes. Results depend on it: whoever keeps some may ask for it.
func (b *backend) Plugin() string { return b.plugin }

// CompilesSlowly tells that a graph takes seconds to compile: 2 to 7 for a loop and its gradient.
func (b *backend) CompilesSlowly() bool { return true }

// Builder implements compute.Backend.
func (b *backend) Builder(name string) compute.Builder {
	return &builder{Builder: b.Backend.Builder(name), backend: b}
}

// BufferFromFlatData implements compute.DataInterface.
func (b *backend) BufferFromFlatData(device compute.DeviceNum, flat any, s shapes.Shape) (compute.Buffer, error) {
	plain, err := b.Backend.BufferFromFlatData(device, flat, s)
	if err != nil {
		return nil, err
	}
	return &buffer{plain, b}, nil
}

// NewSharedBuffer implements compute.DataInterface.
func (b *backend) NewSharedBuffer(device compute.DeviceNum, s shapes.Shape) (compute.Buffer, any, error) {
	plain, flat, err := b.Backend.NewSharedBuffer(device, s)
	if err != nil {
		return nil, nil, err
	}
	return &buffer{plain, b}, flat, nil
}

type buffer struct {
	compute.Buffer // go-xla's
	backend        *backend
}

// Backend implements compute.Buffer.
func (b *buffer) Backend() compute.Backend { return b.backend }

// CopyToDevice implements compute.Buffer.
func (b *buffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	plain, err := b.Buffer.CopyToDevice(device)
	if err != nil {
		return nil, err
	}
	return &buffer{plain, b.backend}, nil
}

type executable struct {
	compute.Executable // go-xla's
	backend            *backend
}

// Execute implements compute.Executable.
func (e *executable) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) ([]compute.Buffer,
	error) {
	plain := make([]compute.Buffer, len(inputs))
	for i, input := range inputs {
		plain[i] = input
		if ours, ok := input.(*buffer); ok {
			plain[i] = ours.Buffer
		}
	}
	outputs, err := e.Executable.Execute(plain, donate, device)
	if err != nil {
		return nil, err
	}
	for i, output := range outputs {
		outputs[i] = &buffer{output, e.backend}
	}
	return outputs, nil
}

// builder is go-xla's, with functions of ours.
type builder struct {
	compute.Builder // go-xla's
	backend         *backend
	main            *function
}

// Main implements compute.Builder.
func (b *builder) Main() compute.Function {
	if b.main == nil {
		b.main = &function{Function: b.Builder.Main(), builder: b}
	}
	return b.main
}

// NewFunction implements compute.Builder.
func (b *builder) NewFunction(name string) (compute.Function, error) {
	plain, err := b.Builder.NewFunction(name)
	if err != nil {
		return nil, err
	}
	return &function{Function: plain, builder: b}, nil
}

// Compile implements compute.Builder.
func (b *builder) Compile() (compute.Executable, error) {
	plain, err := b.Builder.Compile()
	if err != nil {
		return nil, err
	}
	return &executable{plain, b.backend}, nil
}

// function is go-xla's, except for the operations of closure.go and reduce.go.
type function struct {
	compute.Function // go-xla's
	builder          *builder
	parent           *function // of a closure; nil for main and other functions with a name

	// Of a closure: for values that it used, the same value as one of its own. What is its own stands for itself.
	inside map[value]value
	always value // the constant true
}

// Builder implements compute.Function.
func (f *function) Builder() compute.Builder { return f.builder }

// Parent implements compute.Function.
func (f *function) Parent() compute.Function {
	if f.parent == nil {
		return nil
	}
	return f.parent
}

// Closure implements compute.Function.
func (f *function) Closure() (compute.Function, error) {
	plain, err := f.Function.Closure()
	if err != nil {
		return nil, err
	}
	inside := make(map[value]value)
	return &function{Function: plain, builder: f.builder, parent: f, inside: inside}, nil
}

// While implements compute.Function.
func (f *function) While(cond, body compute.Function, state ...value) ([]value, error) {
	return f.Function.While(plain(cond), plain(body), state...)
}

// If implements compute.Function.
func (f *function) If(condition value, yes, no compute.Function) ([]value, error) {
	return f.Function.If(condition, plain(yes), plain(no))
}

// Sort implements compute.Function.
func (f *function) Sort(less compute.Function, axis int, stable bool, values ...value) ([]value, error) {
	return f.Function.Sort(plain(less), axis, stable, values...)
}

// Call implements compute.Function.
func (f *function) Call(called compute.Function, values ...value) ([]value, error) {
	return f.Function.Call(plain(called), values...)
}

// plain is go-xla's function inside of one of ours.
func plain(f compute.Function) compute.Function {
	if ours, ok := f.(*function); ok {
		return ours.Function
	}
	return f
}
