package backend

import (
	"slices"

	"github.com/gomlx/compute"
)

// Return implements compute.Function, with a defect of compute v0.1.6 got round: a closure that returns a value twice
// fails when it runs, because the second output is “not computed”. GoMLX returns copies of a node that is returned
// twice, but the Go backend makes one value of two nodes that compute the same, such as two states of a loop, or their
// gradients.
func (f goFunction) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	outputs = slices.Clone(outputs)
	for i, output := range outputs {
		if !slices.Contains(outputs[:i], output) {
			continue
		}
		same, err := f.Identity(output)
		if err != nil {
			return err
		}
		outputs[i] = same
	}
	return f.Function.Return(outputs, shardings)
}
