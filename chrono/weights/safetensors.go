package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// A file of safetensors is the length of a header, in 8 bytes; the header, a JSON object with an entry for each array,
// and perhaps "__metadata__"; and the arrays, with nothing between them. Numbers are little-endian.

// entry is what the header says of an array.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"` // where it begins and ends, after the header
}

// maxHeader is the format's limit, in bytes.
const maxHeader = 100_000_000

// The format's types. Arrays are written from the last to the first, which aligns them.
var (
	typeNames = []string{"BOOL", "U8", "I8", "I16", "U16", "F16", "BF16", "I32", "U32", "F32", "F64", "I64", "U64"}
	types     = []dtypes.DType{dtypes.Bool, dtypes.Uint8, dtypes.Int8, dtypes.Int16, dtypes.Uint16, dtypes.Float16,
		dtypes.BFloat16, dtypes.Int32, dtypes.Uint32, dtypes.Float32, dtypes.Float64, dtypes.Int64, dtypes.Uint64}
)

// readSafetensors wants more than 8 bytes.
func readSafetensors(file []byte) (map[string]*tensors.Tensor, error) {
	length, most := binary.LittleEndian.Uint64(file), min(maxHeader, uint64(len(file)-8))
	if length > most {
		return nil, fmt.Errorf("its header has %d bytes, want at most %d", length, most)
	}
	entries, err := readHeader(file[8 : 8+length])
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	arrays := make(map[string]*tensors.Tensor)
	begin, data := 0, file[8+length:]
	for _, name := range slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		return slices.Compare(entries[a].Offsets, entries[b].Offsets)
	}) {
		e := entries[name]
		i := slices.Index(typeNames, e.DType)
		if i < 0 {
			return nil, fmt.Errorf("array %q is of type %q, want one of %v", name, e.DType, typeNames)
		}
		size := byteSize(types[i].Size(), e.Shape)
		if e.Shape == nil || size < 0 || size > len(data) || !slices.Equal(e.Offsets, []int{begin, begin + size}) {
			return nil, fmt.Errorf("array %q is %s %v at %v, want as many bytes from %d on, where %d are left", name,
				e.DType, e.Shape, e.Offsets, begin, len(data))
		}
		arrays[name] = tensors.FromShape(shapes.Make(types[i], e.Shape...))
		if err := arrays[name].MutableBytes(func(bytes []byte) { copy(bytes, data) }); err != nil {
			return nil, err
		}
		begin, data = begin+size, data[size:]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%d bytes follow the arrays, want none", len(data))
	}
	return arrays, nil
}

// byteSize is how many bytes an array takes whose numbers have that size, −1 if an int cannot hold it or a dimension is
// negative.
func byteSize(size int, dims []int) int {
	for _, dim := range dims {
		if dim < 0 || size > math.MaxInt/max(dim, 1) {
			return -1
		}
		size *= dim
	}
	return size
}

// readHeader rejects a name that is used twice, of which encoding/json would take the last.
func readHeader(header []byte) (map[string]entry, error) {
	decoder := json.NewDecoder(bytes.NewReader(header))
	decoder.DisallowUnknownFields()
	if _, err := decoder.Token(); err != nil { // {
		return nil, err
	}
	entries := make(map[string]entry)
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name := token.(string)
		var e entry
		if _, twice := entries[name]; twice {
			return nil, fmt.Errorf("array %q is there twice", name)
		} else if name == "__metadata__" {
			err = decoder.Decode(&map[string]string{})
		} else if err = decoder.Decode(&e); err == nil {
			entries[name] = e
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
	}
	_, closed := decoder.Token() // }
	if _, rest := decoder.Token(); closed != nil || rest != io.EOF {
		return nil, errors.New("want one JSON object")
	}
	return entries, nil
}

// writeSafetensors writes the bytes that the format's own library does.
func writeSafetensors(file *bytes.Buffer, arrays map[string]*tensors.Tensor) error {
	typeOf := func(name string) int { return slices.Index(types, arrays[name].DType()) }
	names := slices.SortedFunc(maps.Keys(arrays), func(a, b string) int {
		return cmp.Or(typeOf(b)-typeOf(a), cmp.Compare(a, b))
	})
	var entries []string
	var data []byte
	for _, name := range names {
		array, begin := arrays[name], len(data)
		if typeOf(name) < 0 || name == "__metadata__" || !utf8.ValidString(name) { // JSON would have another character
			return fmt.Errorf("array %q is %s, want another name, or a type of %v", name, array.Shape(), typeNames)
		}
		if err := array.ConstBytes(func(bytes []byte) { data = append(data, bytes...) }); err != nil {
			return err
		}
		dims, offsets := append([]int{}, array.Shape().Dimensions...), []int{begin, len(data)}
		key, _ := json.Marshal(name)
		value, _ := json.Marshal(entry{typeNames[typeOf(name)], dims, offsets})
		entries = append(entries, fmt.Sprintf("%s:%s", key, value))
	}
	header := "{" + strings.Join(entries, ",") + "}"
	header += strings.Repeat(" ", -len(header)&7)
	file.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))
	file.WriteString(header)
	file.Write(data)
	return nil
}
