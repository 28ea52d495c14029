package cell

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/gomlx/gomlx/core/tensors"
)

// A torchModule is a recurrent module among the arrays of a state_dict.
type torchModule struct {
	stack
	prefix   string
	numbered bool // as of nn.LSTM; nn.LSTMCell has no layers
}

// name is what an array of a layer is called.
func (m torchModule) name(array string, layer, direction int) string {
	if !m.numbered {
		return m.prefix + array
	}
	return fmt.Sprintf("%s%s_l%d%s", m.prefix, array, layer, []string{"", "_reverse"}[direction])
}

// torchName matches such names: "weight_hh" of a cell, and "encoder.bias_ih_l1_reverse".
var torchName = regexp.MustCompile(`^(.*?)(?:weight|bias)_(?:ih|hh)(?:_l(\d{1,4})(_reverse)?)?$`)

// torchModuleIn finds the module of that prefix. The empty prefix may also stand for that of the only module.
func torchModuleIn(arrays map[string]*tensors.Tensor, prefix string) (torchModule, error) {
	modules := make(map[string]torchModule)
	for name := range arrays {
		parts := torchName.FindStringSubmatch(name)
		if parts == nil {
			continue
		}
		m := modules[parts[1]]
		layer, _ := strconv.Atoi(parts[2]) // 0 without a number
		m.prefix, m.numbered = parts[1], m.numbered || parts[2] != ""
		m.layers, m.directions = max(m.layers, layer+1), max(m.directions, 1)
		if parts[3] != "" {
			m.directions = 2
		}
		modules[m.prefix] = m
	}
	prefixes := slices.Sorted(maps.Keys(modules))
	if prefix == "" && len(prefixes) == 1 {
		prefix = prefixes[0]
	}
	if m, found := modules[prefix]; found {
		return m, nil
	}
	if len(prefixes) > 0 {
		return torchModule{}, fmt.Errorf("the arrays have the prefixes %q, not %q, want one of these", prefixes, prefix)
	}
	names := slices.Sorted(maps.Keys(arrays))
	return torchModule{}, fmt.Errorf("%d arrays such as %q, want weights of PyTorch's such as %q", len(names),
		names[:min(3, len(names))], prefix+"weight_ih_l0")
}
