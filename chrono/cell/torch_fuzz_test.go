package cell_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

// Whatever arrays a state_dict has, they are rejected with one line, or come back with the same shapes.
func FuzzTorch(f *testing.F) {
	names := []string{"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"}
	// A byte is a type, and of each array whether it is there, its rank and its dimensions.
	f.Add([]byte{0, 1, 2, 8, 3, 1, 2, 8, 2, 1, 1, 8, 1, 1, 8})
	f.Add([]byte{1, 1, 2, 8, 3, 1, 2, 8, 2, 0, 0})
	f.Add([]byte{2, 1, 2, 8, 3, 1, 2, 8, 2, 1, 1, 8, 1, 1, 8})
	f.Add([]byte{2, 1, 2, 0, 3, 1, 2, 8, 2, 1, 1, 8, 1, 1, 8})
	f.Add([]byte{0, 1, 2, 8, 0, 1, 2, 8, 2, 1, 0, 1, 3, 2, 2, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func() int {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return int(b)
		}
		dtype := []dtypes.DType{dtypes.Float32, dtypes.Float64, dtypes.Float16, dtypes.Int32}[next()%4]
		arrays := map[string]*tensors.Tensor{}
		for _, name := range names {
			if next()%2 == 0 {
				continue
			}
			dims := make([]int, next()%4)
			for i := range dims {
				dims[i] = next() % 16
			}
			arrays[name] = tensors.FromShape(shapes.Make(dtype, dims...))
		}
		scope := model.NewStore().RootScope()
		lstm := cell.LSTM{Hidden: 2}
		if err := cell.FromTorch(scope, lstm, "", arrays); err != nil {
			check.Rejected(t, arrays, err, "")
			return
		}
		back, err := cell.ToTorch(scope, lstm, "")
		check.OK(t, err)
		check.Equal(t, slices.Sorted(maps.Keys(back[0])), slices.Sorted(slices.Values(names)), "arrays")
		for name, array := range arrays {
			check.Equal(t, back[0][name].Shape().Dimensions, array.Shape().Dimensions, "%s", name)
		}
	})
}
