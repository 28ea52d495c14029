package task

import "testing"

func TestUniformWarpsAreUniform(t *testing.T) {
	const low, high = 2, 9
	counts := make([]int, high-low+1)
	for k := range 4000 {
		in, _ := sample(UniformWarp{2 * high, low, high}, k)
		counts[runs(in)[0].steps-low]++
	}
	uniformly(t, "steps of the characters of a sequence", counts)
}
