// Package weights reads and writes files of named arrays, safetensors and NumPy's npz: the state_dict of a PyTorch
// module, for example, which cell.FromTorch puts into a model. In Python, either of
//
//	safetensors.torch.save_file(module.state_dict(), "model.safetensors")
//	numpy.savez("model.npz", **{name: array.numpy() for name, array in module.state_dict().items()})
//
// writes it, and either of
//
//	module.load_state_dict(safetensors.torch.load_file("model.safetensors"))
//	module.load_state_dict({name: torch.from_numpy(array) for name, array in numpy.load("model.npz").items()})
//
// reads it.
package weights

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"
)

// Read returns the arrays of a file by name. The content decides whether it is safetensors or npz. A file that is wrong
// in any part is rejected, and none takes more memory than a multiple of its size. The error is one line.
func Read(path string) (map[string]*tensors.Tensor, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var arrays map[string]*tensors.Tensor
	switch {
	case bytes.HasPrefix(file, []byte("PK")):
		arrays, err = readNPZ(file)
	case len(file) > 8 && file[8] == '{':
		arrays, err = readSafetensors(file)
	default:
		err = fmt.Errorf("it begins with %q, want a file of safetensors or npz", file[:min(16, len(file))])
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return arrays, nil
}

// Write writes arrays to a file: safetensors if path ends in ".safetensors", npz if it ends in ".npz". The error is one
// line. Arrays that are nil or of a type that the format lacks, and other endings, are rejected before anything is
// written.
func Write(path string, arrays map[string]*tensors.Tensor) error {
	for name, array := range arrays {
		if array == nil {
			return fmt.Errorf("%s: array %q is nil, want a tensor", path, name)
		}
	}
	var file bytes.Buffer
	var err error
	switch extension := filepath.Ext(path); extension {
	case ".safetensors":
		err = writeSafetensors(&file, arrays)
	case ".npz":
		err = numpy.ToNpzWriter(arrays, &file)
	default:
		err = fmt.Errorf("it ends in %q, want .safetensors or .npz", extension)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, file.Bytes(), 0o666)
}
