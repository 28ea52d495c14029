package cell

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/internal/numeric"
)

// A torchBlock is one block of H rows of PyTorch's weight_ih, weight_hh, bias_ih and bias_hh, and where a cell of this
// package has it.
type torchBlock struct {
	prefix     string  // of the cell's weights "input", "bias" and "recurrent"
	block      int     // which block of H columns it is there
	sign       float64 // −1 where PyTorch's gate is 1 − ours
	hiddenBias string  // the cell's weight for bias_hh; "" where "bias" is the sum of bias_ih and bias_hh
}

// torchBlocks are those of nn.RNN, nn.LSTM and nn.GRU in PyTorch's order: of nn.LSTM i, f, g, o, of nn.GRU r, z, n.
// They are nil if PyTorch has no such cell, as of a cell of your own that embeds one of these.
func torchBlocks(cell Cell) []torchBlock {
	switch cell := cell.(type) {
	case RNN:
		return []torchBlock{{"", 0, 1, ""}}
	case LSTM:
		return []torchBlock{{"", 0, 1, ""}, {"", 1, 1, ""}, {"", 2, 1, ""}, {"", 3, 1, ""}}
	case GRU:
		if cell.ResetAfter {
			return []torchBlock{{"gate ", 0, 1, ""}, {"gate ", 1, -1, ""}, {"", 0, 1, "recurrent bias"}}
		}
	}
	return nil
}

// torchPairs visits each number of PyTorch's arrays, and the number of the cell's weights for it: their names without
// suffix, places and sign.
func torchPairs(cell Cell, inputs int, visit func(theirs string, i int, ours string, j int, sign float64)) {
	hidden, blocks := layerFor(cell, 1).StateDims[0][0], torchBlocks(cell)
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

// FromTorch sets the variables of a network under scope, which it creates if necessary, to the weights of an nn.LSTM,
// nn.GRU or nn.RNN of PyTorch, of all its layers and directions. [New] under this scope then runs them; it must have as
// many Layers, and be Bidirectional if the module is. For one model, give the arrays of a state_dict, as weights.Read
// returns them; for R trials, those of each. Their names begin with a prefix, such as "encoder." in
// "encoder.weight_ih_l0". If prefix is "" and all such arrays have the same one, that is used.
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
// Arrays are float32 or float64; float16 and bfloat16 become float32. Without any biases (bias=False) they are zero.
// An nn.LSTMCell, nn.GRUCell or nn.RNNCell is a network of one layer. For the layers around the network: the weight of
// nn.Linear is the transpose of [Dense]'s "weights", and that of nn.Embedding is [Embedding]'s "table".
//
// It returns a one-line error that names an array or variable that is missing or has a wrong shape or type, or the
// prefixes if there are several; then no variable is changed.
func FromTorch(scope *model.Scope, cell Cell, prefix string, trials ...map[string]*tensors.Tensor) error {
	existing, err := checkTorch(scope, cell)
	if err != nil {
		return err
	}
	if len(trials) == 0 {
		return fmt.Errorf("%#v: no arrays, want those of a state_dict", cell)
	}
	var module torchModule
	for r, trial := range trials {
		found, err := torchModuleIn(trial, prefix)
		if err != nil {
			return fmt.Errorf("%#v: %w", cell, err)
		}
		if r > 0 && found != module {
			return fmt.Errorf("%#v: trial %d has %s as %q, want %s as %q, as trial 0", cell, r, found,
				found.name("*", 0, 0), module, module.name("*", 0, 0))
		}
		module, prefix = found, found.prefix
	}
	if existing.layers > 0 && existing != module.stack {
		return fmt.Errorf("%#v: scope %s holds the weights of %s, PyTorch's arrays are those of %s", cell,
			scope.Scope(), existing, module.stack)
	}
	first := trials[0][module.name("weight_ih", 0, 0)]
	if first == nil || first.Rank() != 2 || first.Shape().Dim(1) < 1 {
		return fmt.Errorf("%#v: there is no matrix %q", cell, module.name("weight_ih", 0, 0))
	}
	var settings []func() error
	inputs := first.Shape().Dim(1)
	for k, scopes := range module.scopes(scope) {
		for i, under := range scopes {
			name := func(array string) string { return module.name(array, k, i) }
			for _, trial := range trials {
				if one := module.name("bias_ih", 0, 0); (trial[one] == nil) != (trial[name("bias_ih")] == nil) {
					return fmt.Errorf("%#v: of %q and %q there is one, want both or none", cell, one, name("bias_ih"))
				}
			}
			set, err := fromTorch(under, cell, inputs, first.DType(), name, trials)
			if err != nil {
				return fmt.Errorf("%#v: %w", cell, err)
			}
			settings = append(settings, set...)
		}
		inputs = layerFor(cell, 1).StateDims[0][0] * module.directions // of the next layer
	}
	for _, set := range settings {
		if err := set(); err != nil {
			return err
		}
	}
	return nil
}

// fromTorch returns what sets the variables of one layer in one direction. Name has PyTorch's names of its arrays.
func fromTorch(scope *model.Scope, cell Cell, inputs int, dtype dtypes.DType, name func(array string) string,
	trials []map[string]*tensors.Tensor) (settings []func() error, err error) {
	layer, err := torchLayer(scope, cell, inputs)
	if err != nil {
		return nil, err
	}
	values := make(map[string][]float64) // of all trials
	for _, w := range layer.Weights {
		values[w.Name] = make([]float64, len(trials)*elements(w.Dims))
	}
	for r, trial := range trials {
		theirs, err := torchArrays(cell, inputs, dtype, name, trial)
		if err != nil {
			return nil, err
		}
		torchPairs(cell, inputs, func(from string, i int, to string, j int, sign float64) {
			values[to][r*len(values[to])/len(trials)+j] += sign * theirs[from][i]
		})
	}
	if dtype != dtypes.Float64 {
		dtype = dtypes.Float32
	}
	for _, w := range layer.Weights {
		v, dims := scope.GetVariable(w.Name), w.Dims
		if len(trials) > 1 || v != nil && v.Shape().Rank() > len(dims) {
			dims = slices.Insert(slices.Clone(dims), 0, len(trials))
		}
		made := numeric.Tensor(dtype, values[w.Name], dims)
		if v != nil && !v.Shape().Equal(made.Shape()) {
			return nil, fmt.Errorf("variable %s is %s, PyTorch's arrays make %s", v.Path(), v.Shape(), made.Shape())
		}
		settings = append(settings, func() (err error) {
			if v != nil {
				return v.SetValue(made)
			}
			_, err = scope.CreateVariable(w.Name, made)
			return err
		})
	}
	return settings, nil
}

// ToTorch is the reverse of [FromTorch]: it returns the weights under scope as the arrays of a PyTorch module, for each
// trial its own; one model is one trial. Their names begin with the prefix. Where bias_ih and bias_hh have one sum
// here, all of it is in bias_ih, and bias_hh is zero. Of a module with bias=False, load_state_dict takes them with
// strict=False. The error is one line.
func ToTorch(scope *model.Scope, cell Cell, prefix string) (trials []map[string]*tensors.Tensor, err error) {
	existing, err := checkTorch(scope, cell)
	if err != nil {
		return nil, err
	}
	existing = stack{max(existing.layers, 1), max(existing.directions, 1)} // if there is none, toTorch says so
	module := torchModule{stack: existing, prefix: prefix, numbered: true}
	for k, scopes := range module.scopes(scope) {
		for i, under := range scopes {
			name := func(array string) string { return module.name(array, k, i) }
			if trials, err = toTorch(under, cell, name, trials); err != nil {
				return nil, fmt.Errorf("%#v: %w", cell, err)
			}
		}
	}
	return trials, nil
}

// toTorch adds the arrays of one layer in one direction to those of each trial.
func toTorch(scope *model.Scope, cell Cell, name func(array string) string, trials []map[string]*tensors.Tensor) (
	[]map[string]*tensors.Tensor, error) {
	first := scope.GetVariable(firstWeight(cell))
	if first == nil || first.Shape().Rank() != 2 && first.Shape().Rank() != 3 {
		return nil, fmt.Errorf("scope %s has no variable %q of two or three axes, want a cell's weights", scope.Scope(),
			firstWeight(cell))
	}
	ofTrials := first.Shape().Dimensions[:first.Shape().Rank()-2] // [R], or none for one model
	inputs, dtype := first.Shape().Dim(-2), first.DType()
	ours := make(map[string][]float64) // of all trials
	layer, err := torchLayer(scope, cell, inputs)
	if err != nil {
		return nil, err
	}
	for _, w := range layer.Weights {
		v := scope.GetVariable(w.Name)
		if v == nil {
			return nil, fmt.Errorf("scope %s has no variable %q", scope.Scope(), w.Name)
		}
		want := shapes.Make(dtype, slices.Concat(ofTrials, w.Dims)...)
		if !v.Shape().Equal(want) || !dtype.IsFloat() || dtype.Size() < 4 {
			return nil, fmt.Errorf("variable %s is %s, want %s, in float32 or float64", v.Path(), v.Shape(), want)
		}
		value, err := v.Value()
		if err != nil {
			return nil, err
		}
		ours[w.Name] = numeric.Of(value)
	}
	count := elements(ofTrials)
	for r := range count {
		theirs := make(map[string][]float64)
		for array, dims := range torchDims(cell, inputs) {
			theirs[array] = make([]float64, elements(dims))
		}
		torchPairs(cell, inputs, func(to string, i int, from string, j int, sign float64) {
			if to != "bias_hh" || from == "recurrent bias" { // else bias_ih has the sum
				theirs[to][i] = sign * ours[from][r*len(ours[from])/count+j]
			}
		})
		if r == len(trials) {
			trials = append(trials, make(map[string]*tensors.Tensor))
		}
		for array, dims := range torchDims(cell, inputs) {
			trials[r][name(array)] = numeric.Tensor(dtype, theirs[array], dims)
		}
	}
	return trials, nil
}

// torchLayer is the cell's layer. It rejects a scope whose weights are those of another cell.
func torchLayer(scope *model.Scope, cell Cell, inputs int) (Layer, error) {
	layer, err := cell.Layer(inputs)
	if other := layer.foreign(scope); err == nil && other != "" {
		err = fmt.Errorf("scope %s holds %q, too: its weights are another cell's, or have layer normalization, which "+
			"PyTorch lacks", scope.Scope(), other)
	}
	return layer, err
}

// firstWeight is a variable that a cell of PyTorch's has.
func firstWeight(cell Cell) string { return torchBlocks(cell)[0].prefix + "input" }

// checkTorch rejects a cell that PyTorch lacks, and returns which of its weights there are under scope.
func checkTorch(scope *model.Scope, cell Cell) (existing stack, err error) {
	if scope == nil || cell == nil {
		return stack{}, fmt.Errorf("cell: scope or cell is nil, want both")
	}
	if _, err := cell.Layer(1); err != nil {
		return stack{}, err
	}
	if torchBlocks(cell) == nil {
		return stack{}, fmt.Errorf("%#v: PyTorch has no such cell, want an RNN, an LSTM or a GRU with ResetAfter", cell)
	}
	return stackUnder(scope, firstWeight(cell)), nil
}

// torchDims are the shapes of PyTorch's arrays.
func torchDims(cell Cell, inputs int) map[string][]int {
	hidden := layerFor(cell, 1).StateDims[0][0]
	rows := len(torchBlocks(cell)) * hidden
	return map[string][]int{
		"weight_ih": {rows, inputs}, "weight_hh": {rows, hidden}, "bias_ih": {rows}, "bias_hh": {rows},
	}
}

// torchArrays are the numbers of one state_dict. A layer with bias=False has zeros.
func torchArrays(cell Cell, inputs int, dtype dtypes.DType, name func(array string) string,
	arrays map[string]*tensors.Tensor) (map[string][]float64, error) {
	numbers := make(map[string][]float64)
	dimsOf := torchDims(cell, inputs)
	noBias := arrays[name("bias_ih")] == nil && arrays[name("bias_hh")] == nil
	for _, short := range []string{"weight_ih", "weight_hh", "bias_ih", "bias_hh"} { // errors name the first
		array, dims := arrays[name(short)], dimsOf[short]
		if noBias && len(dims) == 1 {
			numbers[short] = make([]float64, dims[0])
			continue
		}
		if array == nil {
			return nil, fmt.Errorf("there is no %q, want %v", name(short), dims)
		}
		if !dtype.IsFloat() || array.DType() != dtype || !slices.Equal(array.Shape().Dimensions, dims) {
			return nil, fmt.Errorf("%q is %v, want %v, and floating-point numbers of one type", name(short),
				array.Shape(), dims)
		}
		numbers[short] = numeric.Of(array)
	}
	return numbers, nil
}
