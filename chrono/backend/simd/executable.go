package simd

import (
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/exec"
)

// executable is the backend's compute.Executable.
type executable struct {
	backend         *Backend
	names           []string
	inputs, outputs []shapes.Shape
	program         *exec.Program
}

func (e *executable) Finalize()                          { e.program.Finalize() }
func (e *executable) Inputs() ([]string, []shapes.Shape) { return e.names, e.inputs }
func (e *executable) Outputs() []shapes.Shape            { return e.outputs }

// Execute runs the program. Memory of donated inputs serves later executions.
func (e *executable) Execute(inputs []compute.Buffer, donate []bool, _ compute.DeviceNum) ([]compute.Buffer, error) {
	if len(inputs) != len(e.inputs) {
		return nil, errors.Errorf("expected %d inputs, got %d", len(e.inputs), len(inputs))
	}
	if len(donate) != 0 && len(donate) != len(inputs) {
		return nil, errors.Errorf("%d donate flags for %d inputs, want one for each or none", len(donate), len(inputs))
	}
	buffers, from := make([]*buffer, len(inputs)), make([]unsafe.Pointer, len(inputs))
	for i, in := range inputs {
		buf, ok := in.(*buffer)
		if !ok || buf == nil || buf.bytes == nil {
			return nil, errors.Errorf("input %d (%s) is a finalized buffer, or one of another backend", i, e.names[i])
		}
		if !buf.shape.Equal(e.inputs[i]) {
			return nil, errors.Errorf("input %d (%s) has shape %s, expected %s", i, e.names[i], buf.shape, e.inputs[i])
		}
		buffers[i], from[i] = buf, unsafe.Pointer(unsafe.SliceData(buf.bytes))
	}
	outputs, to := make([]compute.Buffer, len(e.outputs)), make([]unsafe.Pointer, len(e.outputs))
	for i, s := range e.outputs {
		buf, err := e.backend.newBuffer(s)
		if err != nil {
			return nil, err
		}
		outputs[i], to[i] = buf, unsafe.Pointer(unsafe.SliceData(buf.bytes))
	}
	if err := e.program.Run(from, to); err != nil {
		return nil, err
	}
	for i, give := range donate {
		if give {
			buffers[i].release()
		}
	}
	return outputs, nil
}
