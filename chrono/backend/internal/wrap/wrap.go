// Package wrap puts functions of ours around those of another backend, to get round what is wrong with single
// operations.
//
// GoMLX compares a buffer's backend with the backend it computes on, so buffers, and executables, which return buffers,
// are ours too.
package wrap

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// Backend is a backend whose functions are what Wrap makes of those of the one inside.
type Backend struct {
	compute.Backend // the other one
	Wrap            func(*Function) compute.Function
	File            string // of XLA's plugin, "" on other engines
}

// Plugin is the file of the plugin that computes. Results depend on it: whoever keeps some may ask for it.
func (b *Backend) Plugin() string { return b.File }

func (b *Backend) Builder(name string) compute.Builder {
	return &builder{Builder: b.Backend.Builder(name), backend: b}
}

func (b *Backend) BufferFromFlatData(device compute.DeviceNum, flat any, s shapes.Shape) (compute.Buffer, error) {
	plain, err := b.Backend.BufferFromFlatData(device, flat, s)
	if err != nil {
		return nil, err
	}
	return &buffer{plain, b}, nil
}

func (b *Backend) NewSharedBuffer(device compute.DeviceNum, s shapes.Shape) (compute.Buffer, any, error) {
	plain, flat, err := b.Backend.NewSharedBuffer(device, s)
	if err != nil {
		return nil, nil, err
	}
	return &buffer{plain, b}, flat, nil
}

type buffer struct {
	compute.Buffer
	backend *Backend
}

func (b *buffer) Backend() compute.Backend { return b.backend }

func (b *buffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	plain, err := b.Buffer.CopyToDevice(device)
	if err != nil {
		return nil, err
	}
	return &buffer{plain, b.backend}, nil
}

type executable struct {
	compute.Executable
	backend *Backend
}

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

type builder struct {
	compute.Builder
	backend *Backend
	main    compute.Function
}

// wrap makes a function ours; parent is nil unless it is a closure.
func (b *builder) wrap(plain, parent compute.Function) compute.Function {
	f := &Function{Function: plain, builder: b, parent: parent}
	f.self = b.backend.Wrap(f)
	return f.self
}

func (b *builder) Main() compute.Function {
	if b.main == nil {
		b.main = b.wrap(b.Builder.Main(), nil)
	}
	return b.main
}

func (b *builder) NewFunction(name string) (compute.Function, error) {
	plain, err := b.Builder.NewFunction(name)
	if err != nil {
		return nil, err
	}
	return b.wrap(plain, nil), nil
}

func (b *builder) Compile() (compute.Executable, error) {
	plain, err := b.Builder.Compile()
	if err != nil {
		return nil, err
	}
	return &executable{plain, b.backend}, nil
}

// Function is a function of the other backend that makes ours of its closures, and takes ours. Embed it, and override
// its operations.
type Function struct {
	compute.Function // the other backend's
	builder          *builder
	parent           compute.Function // of a closure
	self             compute.Function // what Wrap made of it
}

func (f *Function) Builder() compute.Builder { return f.builder }

// Parent implements compute.Function: nil for main and other functions with a name.
func (f *Function) Parent() compute.Function { return f.parent }

func (f *Function) Closure() (compute.Function, error) {
	plain, err := f.Function.Closure()
	if err != nil {
		return nil, err
	}
	return f.builder.wrap(plain, f.self), nil
}

func (f *Function) While(cond, body compute.Function, state ...compute.Value) ([]compute.Value, error) {
	return f.Function.While(Plain(cond), Plain(body), state...)
}

func (f *Function) If(condition compute.Value, yes, no compute.Function) ([]compute.Value, error) {
	return f.Function.If(condition, Plain(yes), Plain(no))
}

func (f *Function) Sort(less compute.Function, axis int, stable bool, values ...compute.Value) ([]compute.Value,
	error) {
	return f.Function.Sort(Plain(less), axis, stable, values...)
}

func (f *Function) Call(called compute.Function, values ...compute.Value) ([]compute.Value, error) {
	return f.Function.Call(Plain(called), values...)
}

func (f *Function) plain() compute.Function { return f.Function }

// Plain is the other backend's function inside of one of ours.
func Plain(f compute.Function) compute.Function {
	if ours, ok := f.(interface{ plain() compute.Function }); ok {
		return ours.plain()
	}
	return f
}
