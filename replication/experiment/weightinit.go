package experiment

import (
	"math"
	"math/rand/v2"

	"github.com/warptime/warptime/chrono/cell"
)

// UniformWithin draws every matrix, read-outs too, from U(−Limit, Limit), whatever its size: 0.04 in Zilly et al. 2017.
type UniformWithin struct {
	Limit float64 // finite and not negative
}

func (w UniformWithin) Validate() error {
	return Check(w.Limit >= 0 && !math.IsInf(w.Limit, 0), "%#v: want a finite Limit of 0 or more", w)
}

func (w UniformWithin) Draw(rng *rand.Rand, _ cell.Role, rows, columns int) []float64 {
	values := make([]float64, rows*columns)
	for i := range values {
		values[i] = w.Limit * (2*rng.Float64() - 1)
	}
	return values
}

// NormalInputs draws input matrices from N(0, Deviation²), and all others as Others does. With one-hot inputs and a
// deviation of 1, symbols are read as through a table whose rows are added to the sums of each gate, which Lua Torch's
// nn.LookupTable starts from N(0, 1).
type NormalInputs struct {
	Deviation float64
	Others    cell.WeightInit // any but cell.JointOrthogonal
}

func (n NormalInputs) Validate() error {
	return Check(n.Deviation > 0 && !math.IsInf(n.Deviation, 0) && n.Others != nil &&
		n.Others != (cell.JointOrthogonal{}),
		"%#v: want a finite Deviation above 0, and Others that is not JointOrthogonal", n)
}

func (n NormalInputs) Draw(rng *rand.Rand, role cell.Role, rows, columns int) []float64 {
	if role != cell.Input {
		return n.Others.Draw(rng, role, rows, columns)
	}
	values := make([]float64, rows*columns)
	for i := range values {
		values[i] = n.Deviation * rng.NormFloat64()
	}
	return values
}
