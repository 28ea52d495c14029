package weights_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/warptime/warptime/chrono/weights"
	"github.com/warptime/warptime/internal/check"
)

// of makes a file of safetensors.
func of(header, data string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+data...)
}

// zipped makes a file of npz, with all arrays under one name.
func zipped(method uint16, arrays ...string) []byte {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for _, array := range arrays {
		to, _ := archive.CreateHeader(&zip.FileHeader{Name: "a.npy", Method: method})
		io.WriteString(to, array)
	}
	archive.Close()
	return file.Bytes()
}

// npy makes an array of npz, of version 2 of that format.
func npy(dtype, shape, data string) string {
	header := "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (" + shape + "), }\n"
	return "\x93NUMPY\x02\x00" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(header)))) + header + data
}

// fortran is such an array in Fortran's order.
func fortran(array string) string {
	return strings.NewReplacer("False", "True", "), }", "), } ").Replace(array) // of the same length
}

// equal compares arrays by name.
func equal(t *testing.T, got, want map[string]*tensors.Tensor) {
	t.Helper()
	check.Equal(t, len(got), len(want), "arrays")
	for name, array := range want {
		check.That(t, got[name] != nil && got[name].Equal(array), "%s is %v, want %v", name, got[name], array)
	}
}

// What PyTorch and the library of safetensors have written is read, and written again to the same bytes. An npz file
// has the same arrays.
func TestPyTorchsFile(t *testing.T) {
	const path = "../cell/testdata/packed.safetensors"
	arrays := check.Got(weights.Read(path))(t)
	ours := filepath.Join(t.TempDir(), "ours.safetensors")
	check.OK(t, weights.Write(ours, arrays))
	check.That(t, string(check.Read(t, ours)) == string(check.Read(t, path)),
		"what is written differs from what was read")
	all := check.Got(weights.Read("../cell/testdata/packed.npz"))(t)
	inNPZ := make(map[string]*tensors.Tensor)
	for name := range arrays {
		inNPZ[name] = all[strings.Replace(name, ".", "/", 1)]
	}
	equal(t, inNPZ, arrays)
}

// Arrays of several types are in the order in which the library of safetensors 0.8.0 writes them, aligned.
func TestTypesAreInOrder(t *testing.T) {
	header := `{"c":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"a":{"dtype":"F64","shape":[3],` +
		`"data_offsets":[8,32]},"b":{"dtype":"F32","shape":[2],"data_offsets":[32,40]}}      `
	want := of(header, "\x01\x00\x00\x00\x00\x00\x00\x00"+strings.Repeat("\x00\x00\x00\x00\x00\x00\xf0?", 3)+
		strings.Repeat("\x00", 8))
	path := filepath.Join(t.TempDir(), "types.safetensors")
	check.OK(t, weights.Write(path, map[string]*tensors.Tensor{
		"a": tensors.FromValue([]float64{1, 1, 1}), "b": tensors.FromValue([]float32{0, 0}),
		"c": tensors.FromScalar(int64(1)),
	}))
	check.Equal(t, string(check.Read(t, path)), string(want), "file")
}

// Arrays in Fortran's order, which NumPy writes of those that are transposed.
func TestFortranOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	array := npy("|u1", "2, 3, 2", "\x00\x06\x02\x08\x04\x0a\x01\x07\x03\x09\x05\x0b")
	check.Write(t, path, zipped(zip.Store, fortran(array)))
	got := check.Got(weights.Read(path))(t)
	equal(t, got, map[string]*tensors.Tensor{
		"a": tensors.FromValue([][][]uint8{{{0, 1}, {2, 3}, {4, 5}}, {{6, 7}, {8, 9}, {10, 11}}}),
	})
}

// Every type, a scalar and an empty array come back as they were, names with any characters, and no arrays at all.
func TestThereAndBack(t *testing.T) {
	arrays := make(map[string]*tensors.Tensor)
	for _, dtype := range []dtypes.DType{dtypes.Bool, dtypes.Int8, dtypes.Uint8, dtypes.Int16, dtypes.Uint16,
		dtypes.Int32, dtypes.Uint32, dtypes.Int64, dtypes.Uint64, dtypes.Float16, dtypes.Float32, dtypes.Float64} {
		for _, dims := range [][]int{{}, {2, 3}, {0, 3}} {
			array := tensors.FromShape(shapes.Make(dtype, dims...))
			check.OK(t, array.MutableBytes(func(data []byte) {
				for i := range data {
					data[i] = byte(i & 1)
				}
			}))
			arrays[array.Shape().String()+` "<ü>"`] = array
		}
	}
	for _, name := range []string{"a.safetensors", "a.npz"} {
		if name == "a.safetensors" {
			arrays["half"] = tensors.FromShape(shapes.Make(dtypes.BFloat16, 2))
		}
		path := filepath.Join(t.TempDir(), name)
		check.OK(t, weights.Write(path, arrays))
		got := check.Got(weights.Read(path))(t)
		equal(t, got, arrays)
		delete(arrays, "half") // no npz has it
		check.OK(t, weights.Write(path, nil))
		equal(t, check.Got(weights.Read(path))(t), nil)
	}
}

// forged are files that are wrong in one part, by words of the error.
var forged = map[string][]byte{
	`begins with ""`:         nil,
	`begins with "\x80\x02`:  []byte("\x80\x02 torch.save, long ago"),
	"header has 100 bytes":   append([]byte{100, 0, 0, 0, 0, 0, 0, 0}, "{}"...),
	"header has 18446744":    append([]byte{255, 255, 255, 255, 255, 255, 255, 255}, "{}"...),
	"one JSON object":        of("{} {}", ""),
	`header: "a": EOF`:       of(`{"a":`, ""),
	`"F8_E4M3", want one of`: of(`{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}`, "1"),
	`"a" is there twice`: of(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},`+
		`"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "1"),
	"unknown field":           of(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"more":1}}`, "1"),
	"from 0 on…0 are left":    of(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, ""),
	"F32 [2] at [0 4]":        of(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, "1234"),
	"U8 [-1]":                 of(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,-1]}}`, ""),
	"U8 [] at [0 1]":          of(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, "1"),
	"at []":                   of(`{"a":{"dtype":"U8","shape":[1]}}`, "1"),
	"[4294967296 4294967296]": of(`{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, ""),
	"cannot unmarshal":        of(`{"a":{"dtype":"U8","shape":[18446744073709551617],"data_offsets":[0,1]}}`, "1"),
	"1 bytes follow":          of(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "12"),
	"[2 3]…from 1 on": of(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},`+ // a hole
		`"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, "123"),
	"[1 3]…from 2 on": of(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},`+ // an overlap
		`"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, "123"),
	"0 are left":          of(`{"a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,-1]}}`, ""),
	"__metadata__":        of(`{"__metadata__":{"format":1}}`, ""),
	"no arrays":           bytes.ReplaceAll(zipped(zip.Store, "torch.save"), []byte("a.npy"), []byte("a.pkl")),
	"not a valid zip":     []byte("PK\x03\x04 and so on"),
	"checksum":            bytes.Replace(zipped(zip.Store, npy("|u1", "1,", "7")), []byte("\n7"), []byte("\n8"), 1),
	`array "a" is there`:  zipped(zip.Store, npy("|u1", "", "1"), npy("|u1", "", "1")),
	"has more than 13":    zipped(zip.Deflate, npy("|u1", "3000000,", strings.Repeat("0", 3e6))),
	"2 bytes":             zipped(zip.Store, "\x93N"),
	"header of 117":       zipped(zip.Store, "\x93NUMPY\x01\x00u\x00{'descr'"),
	"header \"more":       zipped(zip.Store, "\x93NUMPY\x01\x00\x04\x00more"),
	"invalid .npy":        zipped(zip.Store, strings.Replace(npy("|u1", "", "1"), "N", "n", 1)),
	"8 bytes, want [3]":   zipped(zip.Store, npy("<f4", "3,", "12345678")),
	"want [1000000000000": zipped(zip.Store, npy("<f4", "1000000000000, 1", "12345678")),
	"out of range":        zipped(zip.Store, npy("<f4", "18446744073709551617", "1234")),
	"[4294967296 4294967": zipped(zip.Store, npy("<f4", "4294967296, 4294967296", "")),
	"header…-1":           zipped(zip.Store, npy("<f4", "-1,", "1234")),
	"header…>f4":          zipped(zip.Store, npy(">f4", "1,", "1234")),
	"NumPy dtype: <q4":    zipped(zip.Store, npy("<q4", "1,", "1234")),
}

func TestForgedFilesAreRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	for words, file := range forged {
		check.Write(t, path, file)
		_, err := weights.Read(path)
		check.Rejected(t, words, err, words)
	}
	_, err := weights.Read(path + "s")
	check.Rejected(t, "no file", err, "models")
}

// What cannot be written leaves the file that was there.
func TestUnwritable(t *testing.T) {
	half := tensors.FromShape(shapes.Make(dtypes.BFloat16, 1))
	for name, arrays := range map[string]map[string]*tensors.Tensor{
		"a.bin": {"a": half}, "a.npz": {"a": half}, "a.safetensors": {"__metadata__": half},
		"b.safetensors": {"a": tensors.FromScalar(complex64(1))}, "c.safetensors": {"\xff": half},
		"nil.npz": {"a": nil}, "nil.safetensors": {"a": nil},
	} {
		path := filepath.Join(t.TempDir(), name)
		check.Write(t, path, []byte("before"))
		check.Rejected(t, name, weights.Write(path, arrays), name)
		check.Equal(t, string(check.Read(t, path)), "before", "%s", name)
	}
}

// Whatever a file contains, it is rejected with one line, or what is read is read again after writing it; and it takes
// no more memory than a multiple of its size.
func FuzzRead(f *testing.F) {
	for _, file := range forged {
		f.Add(file)
	}
	f.Add(of(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, "1234"))
	f.Add(of(`{"a":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]},"b":{"dtype":"I64","shape":[0],`+
		`"data_offsets":[4,4]}}  `, "1234"))
	for dtype, size := range map[string]int{"?": 1, "<i2": 2, "<f4": 4, "<c16": 16} {
		array := npy(dtype, "2, 3", strings.Repeat("1", 6*size))
		f.Add(zipped(zip.Store, array))
		f.Add(zipped(zip.Deflate, fortran(array)))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte) {
		path, most := filepath.Join(dir, "a.safetensors"), uint64(100)
		if strings.HasPrefix(string(file), "PK") {
			path, most = filepath.Join(dir, "a.npz"), 600 // may be packed
		}
		check.OK(t, os.WriteFile(path, file, 0o666))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		arrays, err := weights.Read(path)
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		check.That(t, used <= 10<<20+most*uint64(len(file)), "%d bytes of memory for %d bytes of data", used, len(file))
		if err != nil {
			check.Rejected(t, file, err, "")
			return
		}
		check.OK(t, weights.Write(path, arrays))
		again := check.Got(weights.Read(path))(t)
		check.Equal(t, len(again), len(arrays), "arrays")
		for name, array := range arrays {
			check.Equal(t, again[name].Shape().String(), array.Shape().String(), "%q", name)
		}
	})
}
