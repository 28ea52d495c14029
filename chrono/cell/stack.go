package cell

import (
	"fmt"

	"github.com/gomlx/gomlx/ml/model"
)

// stack is how many layers and directions a [Builder] runs.
type stack struct{ layers, directions int }

// scopes are those of the weights under root, by layer and direction.
func (s stack) scopes(root *model.Scope) [][]*model.Scope {
	scopes := make([][]*model.Scope, s.layers)
	for k := range scopes {
		layer := root
		if s.layers > 1 {
			layer = root.At("layer %d", k)
		}
		scopes[k] = []*model.Scope{layer}
		if s.directions > 1 {
			scopes[k] = []*model.Scope{layer.At("forwards"), layer.At("backwards")}
		}
	}
	return scopes
}

// stackUnder is the stack that has a weight of that name under root, of no layers if there is none.
func stackUnder(root *model.Scope, name string) stack {
	has := func(s stack, layer int) bool { return s.scopes(root)[layer][0].GetVariable(name) != nil }
	for _, s := range []stack{{1, 1}, {1, 2}, {2, 1}, {2, 2}} {
		if has(s, 0) {
			for s.layers > 1 && has(stack{s.layers + 1, s.directions}, s.layers) {
				s.layers++
			}
			return s
		}
	}
	return stack{}
}

// String is how a Builder is told of it.
func (s stack) String() string {
	return fmt.Sprintf("Layers(%d)%s", s.layers, []string{"", ".Bidirectional()"}[s.directions-1])
}
