package weights

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"
)

// A file of npz is a zip archive with a file of npy for each array: a header and its bytes. GoMLX's reader takes as
// much memory as the header says, so that is checked first.

// maxUnpacked is how many bytes all arrays of a file may have. Packed, they could have a thousand times its size.
func maxUnpacked(file []byte) uint64 { return 1<<20 + 100*uint64(len(file)) }

// npyHeader finds how many bytes a number has, "" for one, and the shape, such as "2, 3" or "2,".
var npyHeader = regexp.MustCompile(
	`^\{'descr': '[<|]?[?a-z](\d*)', 'fortran_order': (?:True|False), 'shape': \(([\d, ]*)\), \}\s*$`)

func readNPZ(file []byte) (map[string]*tensors.Tensor, error) {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	arrays, left := make(map[string]*tensors.Tensor), maxUnpacked(file)
	for _, packed := range archive.File {
		name, isArray := strings.CutSuffix(packed.Name, ".npy")
		if !isArray {
			continue
		}
		if arrays[name] != nil {
			return nil, fmt.Errorf("array %q is there twice", name)
		}
		if packed.UncompressedSize64 > left {
			return nil, fmt.Errorf("unpacked it has more than %d bytes, want fewer, or a file of numpy.savez, which "+
				"packs nothing", maxUnpacked(file))
		}
		left -= packed.UncompressedSize64
		if arrays[name], err = readNPY(packed); err != nil {
			return nil, fmt.Errorf("array %q: %w", name, err)
		}
	}
	if len(arrays) == 0 && len(archive.File) > 0 {
		return nil, errors.New("it has no arrays, want those of numpy.savez; files of torch.save are not read")
	}
	return arrays, nil
}

func readNPY(packed *zip.File) (*tensors.Tensor, error) {
	unpacked, err := packed.Open()
	if err != nil {
		return nil, err
	}
	defer unpacked.Close()
	file, err := io.ReadAll(unpacked) // no more than the archive says it has
	if err != nil {
		return nil, err
	}
	if len(file) < 12 {
		return nil, fmt.Errorf("%d bytes, want a file of numpy.save", len(file))
	}
	begin, length := 10, int64(binary.LittleEndian.Uint16(file[8:]))
	if file[6] > 1 { // the version
		begin, length = 12, int64(binary.LittleEndian.Uint32(file[8:]))
	}
	data := file[begin:]
	if length > int64(len(data)) {
		return nil, fmt.Errorf("a header of %d bytes, want at most %d", length, len(data))
	}
	header, data := data[:length], data[length:]
	parts := npyHeader.FindSubmatch(header)
	if parts == nil {
		return nil, fmt.Errorf("header %q, want one of numpy.save", header)
	}
	size, _ := strconv.Atoi(cmp.Or(string(parts[1]), "1")) // without an error as large as an int can be
	var dims []int
	for _, number := range strings.FieldsFunc(string(parts[2]), func(c rune) bool { return c == ',' || c == ' ' }) {
		dim, err := strconv.Atoi(number)
		if err != nil {
			return nil, err
		}
		dims = append(dims, dim)
	}
	if byteSize(size, dims) != len(data) {
		return nil, fmt.Errorf("%d bytes, want %v times %d", len(data), dims, size)
	}
	return numpy.FromNpyReader(bytes.NewReader(file))
}
