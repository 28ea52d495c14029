package cell

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// A torchBlock is one block of H rows of PyTorch's weight_ih, weight_hh, bias_ih and bias_hh, and where a cell of this
// package has it.
type torchBlock struct {
	prefix     string  // of the cell's weights "input", "bias" and "recurrent"
	block      int     // which block of H columns it is there
	sign       float64 // −1 where PyTorch's gate is 1 − ours
	hiddenBias string  // the cell's weight for bias_hh; "" where "bias" is the sum of bias_ih and bias_hh
}

// The blocks of nn.RNN, nn.LSTM and nn.GRU in PyTorch's order: of nn.LSTM i, f, g, o, of nn.GRU r, z, n.
func (RNN) torchBlocks() []torchBlock { return []torchBlock{{"", 0, 1, ""}} }
func (LSTM) torchBlocks() []torchBlock {
	return []torchBlock{{"", 0, 1, ""}, {"", 1, 1, ""}, {"", 2, 1, ""}, {"", 3, 1, ""}}
}
func (n GRU) torchBlocks() []torchBlock {
	if !n.ResetAfter {
		return nil
	}
	return []torchBlock{{"gate ", 0, 1, ""}, {"gate ", 1, -1, ""}, {"", 0, 1, "recurrent bias"}}
}

// torchBlocks are those of a cell; nil if PyTorch has no such cell.
func torchBlocks(cell Cell) []torchBlock {
	if cell, ok := cell.(interface{ torchBlocks() []torchBlock }); ok {
		return cell.torchBlocks()
	}
	return nil
}

// torchPairs visits each number of PyTorch's arrays, and the number of the cell's weights for it: their names without
// suffix, places and sign.
func torchPairs(cell Cell, inputs int, visit func(theirs string, i int, ours string, j int, sign float64)) {
	hidden, blocks := StateDims(cell)[0][0], torchBlocks(cell)
	blocksOf := make(map[string]int) // by prefix
	for _, b := range blocks {
		blocksOf[b.prefix]++
	}
	for k, b := range blocks {
		for unit := range hidden {
			row, column, width := k*hidden+unit, b.block*hidden+unit, blocksOf[b.prefix]*hidden
			for i := range inputs {
				visit("weight_ih", row*inputs+i, b.prefix+"input", i*width+column, b.sign)
			}
			for i := range hidden {
				visit("weight_hh", row*hidden+i, b.prefix+"recurrent", i*width+column, b.sign)
			}
			visit("bias_ih", row, b.prefix+"bias", column, b.sign)
			if b.hiddenBias == "" {
				visit("bias_hh", row, b.prefix+"bias", column, b.sign)
			} else {
				visit("bias_hh", row, b.hiddenBias, unit, b.sign)
			}
		}
	}
}

// FromTorch sets the variables of a cell under scope, which it creates if necessary, to weights from PyTorch: for one
// model the arrays of a state_dict of one direction of one layer, float32 or float64, or those of each of R trials.
// [New] under this scope then runs the cell with them. The suffix is PyTorch's: "_l0" is the first layer,
// "_l1_reverse" the backward direction of the second.
//
//	PyTorch              here
//	nn.LSTM, nn.RNN      LSTM, RNN (nn.RNN with tanh)
//	  weight_ih_l0         "input", transposed
//	  weight_hh_l0         "recurrent", transposed
//	  bias_ih_l0 + bias_hh_l0  "bias"
//	nn.GRU               GRU{ResetAfter: true}
//	  rows r, z            "gate input", "gate recurrent", "gate bias": likewise, z with its sign changed
//	  rows n               "input", "recurrent", "bias" = bias_ih_l0, "recurrent bias" = bias_hh_l0
//
// To save PyTorch's arrays, call numpy.savez("lstm.npz", **{k: v.numpy() for k, v in lstm.state_dict().items()});
// GoMLX's package core/tensors/numpy reads the file. You must trust the file: it says how much memory is taken. For the
// layers around the cell: the weight of nn.Linear is the transpose of [Dense]'s "weights", and that of nn.Embedding is
// [Embedding]'s "table".
//
// It returns a one-line error that names an array or variable that is missing or has a wrong shape or type. Then no
// variable is changed. A state_dict without both biases is that of a layer with bias=False: they are zero.
func FromTorch(scope *model.Scope, cell Cell, suffix string, trials ...map[string]*tensors.Tensor) error {
	if err := checkTorch(scope, cell); err != nil {
		return err
	}
	var first *tensors.Tensor
	if len(trials) > 0 {
		first = trials[0]["weight_ih"+suffix]
	}
	if first == nil || first.Rank() != 2 {
		return fmt.Errorf("%#v: there is no matrix %q, want the arrays of a state_dict", cell, "weight_ih"+suffix)
	}
	inputs, dtype := first.Shape().Dimensions[1], first.DType()
	values := make(map[string][]float64)
	layer, err := cell.Layer(inputs)
	if err != nil {
		return err
	}
	list := layer.Weights
	for _, trial := range trials {
		theirs, err := torchArrays(cell, inputs, dtype, suffix, trial)
		if err != nil {
			return err
		}
		ours := make(map[string][]float64)
		for _, w := range list {
			ours[w.Name] = make([]float64, elements(w.Dims))
		}
		torchPairs(cell, inputs, func(from string, i int, to string, j int, sign float64) {
			ours[to][j] += sign * theirs[from][i]
		})
		for _, w := range list {
			values[w.Name] = append(values[w.Name], ours[w.Name]...)
		}
	}
	made := make(map[string]*tensors.Tensor)
	for _, w := range list {
		v, dims := scope.GetVariable(w.Name), w.Dims
		if len(trials) > 1 || v != nil && v.Shape().Rank() > len(dims) {
			dims = slices.Insert(slices.Clone(dims), 0, len(trials))
		}
		made[w.Name] = tensorOf(dtype, values[w.Name], dims)
		if v != nil && !v.Shape().Equal(made[w.Name].Shape()) {
			return fmt.Errorf("%#v: variable %s is %s, PyTorch's arrays make %s", cell, v.Path(), v.Shape(),
				made[w.Name].Shape())
		}
	}
	for _, w := range list {
		if v := scope.GetVariable(w.Name); v != nil {
			err = v.SetValue(made[w.Name])
		} else {
			_, err = scope.CreateVariable(w.Name, made[w.Name])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ToTorch is the reverse of [FromTorch]: it returns the variables of a cell under scope as PyTorch's arrays, for each
// trial its own; one model is one trial. Where bias_ih and bias_hh have one sum here, all of it is in bias_ih, and
// bias_hh is zero. The error is one line.
func ToTorch(scope *model.Scope, cell Cell, suffix string) (trials []map[string]*tensors.Tensor, err error) {
	if err := checkTorch(scope, cell); err != nil {
		return nil, err
	}
	prefix := torchBlocks(cell)[0].prefix
	first := scope.GetVariable(prefix + "input")
	if first == nil || first.Shape().Rank() != 2 && first.Shape().Rank() != 3 {
		return nil, fmt.Errorf("%#v: scope %s has no variable %q of two or three axes, want a cell's weights", cell,
			scope.Scope(), prefix+"input")
	}
	ofTrials := first.Shape().Dimensions[:first.Shape().Rank()-2] // [R], or none for one model
	inputs, dtype := first.Shape().Dim(-2), first.DType()
	ours := make(map[string][]float64)
	sizes := make(map[string]int)
	layer, err := cell.Layer(inputs)
	if err != nil {
		return nil, err
	}
	for _, w := range layer.Weights {
		v := scope.GetVariable(w.Name)
		if v == nil {
			return nil, fmt.Errorf("%#v: scope %s has no variable %q", cell, scope.Scope(), w.Name)
		}
		want := shapes.Make(dtype, slices.Concat(ofTrials, w.Dims)...)
		if !v.Shape().Equal(want) || !dtype.IsFloat() || dtype.Size() < 4 {
			return nil, fmt.Errorf("%#v: variable %s is %s, want %s, in float32 or float64", cell, v.Path(), v.Shape(),
				want)
		}
		value, err := v.Value()
		if err != nil {
			return nil, err
		}
		ours[w.Name], sizes[w.Name] = numbersOf(value), elements(w.Dims)
	}
	for trial := range elements(ofTrials) {
		arrays, taken := make(map[string]*tensors.Tensor), make(map[string]bool)
		theirs := make(map[string][]float64)
		for name, dims := range torchDims(cell, inputs) {
			theirs[name] = make([]float64, elements(dims))
		}
		torchPairs(cell, inputs, func(to string, i int, from string, j int, sign float64) {
			if place := fmt.Sprint(from, " ", j); !taken[place] { // bias_ih comes before bias_hh
				taken[place] = true
				theirs[to][i] = sign * ours[from][trial*sizes[from]+j]
			}
		})
		for name, dims := range torchDims(cell, inputs) {
			arrays[name+suffix] = tensorOf(dtype, theirs[name], dims)
		}
		trials = append(trials, arrays)
	}
	return trials, nil
}

func checkTorch(scope *model.Scope, cell Cell) error {
	if scope == nil || cell == nil {
		return fmt.Errorf("cell: scope or cell is nil, want both")
	}
	if _, err := cell.Layer(1); err != nil {
		return err
	}
	if torchBlocks(cell) == nil {
		return fmt.Errorf("%#v: PyTorch has no such cell, want an RNN, an LSTM or a GRU with ResetAfter", cell)
	}
	return nil
}

// torchDims are the shapes of PyTorch's arrays.
func torchDims(cell Cell, inputs int) map[string][]int {
	hidden := StateDims(cell)[0][0]
	rows := len(torchBlocks(cell)) * hidden
	return map[string][]int{
		"weight_ih": {rows, inputs}, "weight_hh": {rows, hidden}, "bias_ih": {rows}, "bias_hh": {rows},
	}
}

// torchArrays are the numbers of one state_dict. A layer with bias=False has zeros.
func torchArrays(cell Cell, inputs int, dtype dtypes.DType, suffix string, arrays map[string]*tensors.Tensor) (
	map[string][]float64, error) {
	numbers := make(map[string][]float64)
	dimsOf := torchDims(cell, inputs)
	noBias := arrays["bias_ih"+suffix] == nil && arrays["bias_hh"+suffix] == nil
	for _, name := range []string{"weight_ih", "weight_hh", "bias_ih", "bias_hh"} { // errors name the first
		array, dims := arrays[name+suffix], dimsOf[name]
		if noBias && len(dims) == 1 {
			numbers[name] = make([]float64, dims[0])
			continue
		}
		if array == nil {
			return nil, fmt.Errorf("%#v: there is no %q, want %v", cell, name+suffix, dims)
		}
		if dtype != dtypes.Float32 && dtype != dtypes.Float64 || array.DType() != dtype ||
			!slices.Equal(array.Shape().Dimensions, dims) {
			return nil, fmt.Errorf("%#v: %q is %v, want float32 or float64 %v, all of one type", cell, name+suffix,
				array.Shape(), dims)
		}
		numbers[name] = numbersOf(array)
	}
	return numbers, nil
}

// numbersOf copies a tensor of float32 or float64.
func numbersOf(t *tensors.Tensor) []float64 {
	if t.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](t)
	}
	var wide []float64
	for _, v := range tensors.MustCopyFlatData[float32](t) {
		wide = append(wide, float64(v))
	}
	return wide
}
