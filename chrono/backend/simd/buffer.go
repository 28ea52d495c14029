package simd

import (
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	"github.com/pkg/errors"

	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// buffer is a tensor in memory: the backend's compute.Buffer. bytes is nil once it is finalized or donated.
type buffer struct {
	backend *Backend
	shape   shapes.Shape
	bytes   []byte
}

// newBuffer takes memory that was given back if there is any of that size; its content is then arbitrary.
func (b *Backend) newBuffer(shape shapes.Shape) (*buffer, error) {
	size := ir.ByteSize(shape)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finalized {
		return nil, errors.Errorf("backend %s is finalized", Name)
	}
	buf := &buffer{backend: b, shape: shape}
	if list := b.free[size]; len(list) > 0 {
		buf.bytes, b.free[size] = xslices.Pop(list)
		b.kept -= size
	} else {
		buf.bytes = plan.AlignedBytes(size)
	}
	return buf, nil
}

// Limits of what is kept for reuse: pieces of memory of each size, and bytes of all sizes.
const (
	maxFree = 64
	maxKept = 1 << 30
)

// release gives the buffer's memory back to its backend.
func (buf *buffer) release() {
	b := buf.backend
	b.mu.Lock()
	defer b.mu.Unlock()
	if buf.bytes == nil {
		return
	}
	if size := len(buf.bytes); !b.finalized && 0 < size && size <= maxKept && len(b.free[size]) < maxFree {
		if b.kept+size > maxKept { // what is kept may be of sizes that nobody needs any more
			clear(b.free)
			b.kept = 0
		}
		b.free[size] = append(b.free[size], buf.bytes)
		b.kept += size
	}
	buf.bytes = nil
}

func (buf *buffer) Backend() compute.Backend { return buf.backend }

func (buf *buffer) Finalize() error {
	buf.release()
	return nil
}

func (buf *buffer) Shape() (shapes.Shape, error) {
	if buf.bytes == nil {
		return shapes.Invalid(), errors.New("the buffer was finalized or donated")
	}
	return buf.shape, nil
}

func (buf *buffer) DeviceNum() (compute.DeviceNum, error) { return 0, nil }

func (buf *buffer) ToFlatData(flat any) error {
	bytes, err := flatBytes(flat, buf.shape)
	if err != nil {
		return err
	}
	if buf.bytes == nil {
		return errors.New("the buffer was finalized or donated")
	}
	copy(bytes, buf.bytes)
	return nil
}

func (buf *buffer) Data() (any, error) {
	if buf.bytes == nil {
		return nil, errors.New("the buffer was finalized or donated")
	}
	if buf.shape.Size() == 0 {
		return dtypes.MakeAnySlice(buf.shape.DType, 0), nil
	}
	return dtypes.UnsafeAnySliceFromBytes(unsafe.Pointer(unsafe.SliceData(buf.bytes)), buf.shape.DType,
		buf.shape.Size()), nil
}

func (buf *buffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	return nil, errors.Errorf("backend %s has one device only, so it copies no buffer (to device %d)", Name, device)
}

// flatBytes views a Go slice as bytes, after checking that it has the type and length that shape asks for.
func flatBytes(flat any, shape shapes.Shape) ([]byte, error) {
	v := reflect.ValueOf(flat)
	if v.Kind() != reflect.Slice {
		return nil, errors.Errorf("expected a slice for shape %s, got %T", shape, flat)
	}
	if dtype := dtypes.FromGoType(v.Type().Elem()); dtype != shape.DType || v.Len() != shape.Size() {
		return nil, errors.Errorf("shape %s does not fit %d values of type %s", shape, v.Len(), dtype)
	}
	if v.Len() == 0 {
		return nil, nil
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), ir.ByteSize(shape)), nil
}

// BufferFromFlatData copies a Go slice into a new buffer of the given shape.
func (b *Backend) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	bytes, err := flatBytes(flat, shape)
	if err != nil {
		return nil, err
	}
	buf, _, err := b.NewSharedBuffer(device, shape)
	if err != nil {
		return nil, err
	}
	copy(buf.(*buffer).bytes, bytes)
	return buf, nil
}

// HasSharedBuffers is true: buffers are Go memory.
func (b *Backend) HasSharedBuffers() bool { return true }

// NewSharedBuffer returns a buffer, not cleared, and the Go slice that is its memory.
func (b *Backend) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	if device != 0 {
		return nil, nil, errors.Errorf("backend %s has one device only, not number %d", Name, device)
	}
	if err := checkShape(shape); err != nil {
		return nil, nil, err
	}
	buf, err := b.newBuffer(shape.Clone())
	if err != nil {
		return nil, nil, err
	}
	flat, err := buf.Data()
	return buf, flat, err
}

// maxBytes is more than any machine has: the number of bytes of a larger tensor could overflow.
const maxBytes = int(min(uint64(1)<<47, math.MaxInt))

// checkShape refuses types and dynamic dimensions that the backend does not compute with, and impossible sizes.
func checkShape(s shapes.Shape) error {
	if !slices.Contains(dataTypes, s.DType) {
		return errors.Wrapf(compute.ErrNotImplemented, "backend %s: data type %s", Name, s.DType)
	}
	if s.IsDynamic() {
		return errors.Wrapf(compute.ErrNotImplemented, "backend %s: dynamic shape %s", Name, s)
	}
	left := maxBytes / s.DType.Size()
	for _, d := range s.Dimensions {
		if d > left {
			return errors.Errorf("backend %s: shape %s, want at most %d bytes", Name, s, maxBytes)
		}
		left /= max(d, 1)
	}
	return nil
}
