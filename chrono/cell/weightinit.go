package cell

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// WeightInit draws the initial weight matrices, which the papers leave open: [Orthogonal], [Uniform], [He],
// [ScaledIdentity], [UniformWithin] or [JointOrthogonal]. Each matrix is that of one gate of one trial, row-major. An
// initialization with settings may have a method Validate, as cells do; an error that it returns stops the build before
// anything is drawn.
type WeightInit interface {
	// Input draws the matrix [inputs, hidden] from the inputs to the hidden units.
	Input(rng *rand.Rand, inputs, hidden int) []float64

	// Recurrent draws the matrix [hidden, hidden] from the state to the next state.
	Recurrent(rng *rand.Rand, hidden int) []float64

	// Output draws the matrix [features, units] of a read-out.
	Output(rng *rand.Rand, features, units int) []float64
}

// Orthogonal draws recurrent matrices orthogonal, and all others Glorot-uniform, as is usual for recurrent networks: an
// orthogonal matrix neither shrinks nor stretches the state, whatever H. It is the default.
type Orthogonal struct{}

// Input implements WeightInit: U(−a, a) with a = √(6 / (inputs + hidden)) (Glorot & Bengio 2010).
func (Orthogonal) Input(rng *rand.Rand, inputs, hidden int) []float64 {
	return glorot(rng, inputs, hidden)
}

// Recurrent implements WeightInit: uniform on the orthogonal group.
func (Orthogonal) Recurrent(rng *rand.Rand, hidden int) []float64 { return orthogonal(rng, hidden) }

// Output implements WeightInit: U(−a, a) with a = √(6 / (features + units)).
func (Orthogonal) Output(rng *rand.Rand, features, units int) []float64 {
	return glorot(rng, features, units)
}

// Uniform draws every matrix of a layer of H units from U(−1/√H, 1/√H), and a read-out of H features likewise: the
// default of several libraries at the time of the papers.
type Uniform struct{}

// Input implements WeightInit: U(−1/√hidden, 1/√hidden).
func (Uniform) Input(rng *rand.Rand, inputs, hidden int) []float64 {
	return uniform(rng, inputs*hidden, 1/math.Sqrt(float64(hidden)))
}

// Recurrent implements WeightInit: U(−1/√hidden, 1/√hidden).
func (Uniform) Recurrent(rng *rand.Rand, hidden int) []float64 {
	return uniform(rng, hidden*hidden, 1/math.Sqrt(float64(hidden)))
}

// Output implements WeightInit: U(−1/√features, 1/√features).
func (Uniform) Output(rng *rand.Rand, features, units int) []float64 {
	return uniform(rng, features*units, 1/math.Sqrt(float64(features)))
}

// He draws every matrix from N(0, 2/n), where n is the number of its rows: what keeps the size of signals that go
// through rectified units (He et al. 2015).
type He struct{}

// Input implements WeightInit: N(0, 2/inputs).
func (He) Input(rng *rand.Rand, inputs, hidden int) []float64 { return he(rng, inputs, hidden) }

// Recurrent implements WeightInit: N(0, 2/hidden).
func (He) Recurrent(rng *rand.Rand, hidden int) []float64 { return he(rng, hidden, hidden) }

// Output implements WeightInit: N(0, 2/features).
func (He) Output(rng *rand.Rand, features, units int) []float64 { return he(rng, features, units) }

// ScaledIdentity makes the matrices of a cell multiples of the identity, as networks of rectified units may (Le et
// al. 2015); read-outs as [He] does. Every block of a cell's matrices is the same, so it is for cells of one block,
// such as [FastWeights].
type ScaledIdentity struct {
	Scale float64 // on the diagonal; 0 elsewhere
}

// Validate returns an error of one line unless the scale is finite.
func (d ScaledIdentity) Validate() error {
	if math.IsNaN(d.Scale) || math.IsInf(d.Scale, 0) {
		return fmt.Errorf("%#v: want a finite Scale", d)
	}
	return nil
}

// Input implements WeightInit: Scale where row and column are the same, and nothing is drawn.
func (d ScaledIdentity) Input(_ *rand.Rand, inputs, hidden int) []float64 {
	values := make([]float64, inputs*hidden)
	for i := range min(inputs, hidden) {
		values[i*hidden+i] = d.Scale
	}
	return values
}

// Recurrent implements WeightInit: Scale times the identity, and nothing is drawn.
func (d ScaledIdentity) Recurrent(rng *rand.Rand, hidden int) []float64 {
	return d.Input(rng, hidden, hidden)
}

// Output implements WeightInit: N(0, 2/features).
func (ScaledIdentity) Output(rng *rand.Rand, features, units int) []float64 {
	return he(rng, features, units)
}

// validateInit returns the error of an initialization's Validate, if it has one.
func validateInit(init WeightInit) error {
	if init, ok := init.(interface{ Validate() error }); ok {
		return init.Validate()
	}
	return nil
}

func he(rng *rand.Rand, in, out int) []float64 {
	values := make([]float64, in*out)
	for i := range values {
		values[i] = math.Sqrt(2/float64(in)) * rng.NormFloat64()
	}
	return values
}

func glorot(rng *rand.Rand, in, out int) []float64 {
	return uniform(rng, in*out, math.Sqrt(6/float64(in+out)))
}

// uniform draws n numbers from U(−limit, limit).
func uniform(rng *rand.Rand, n int, limit float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = limit * (2*rng.Float64() - 1)
	}
	return values
}

// orthogonal draws a matrix [n, n] uniformly from the orthogonal group: the Q of a Gaussian matrix's QR decomposition,
// its columns' signs such that R's diagonal is positive (Mezzadri 2007).
func orthogonal(rng *rand.Rand, n int) []float64 {
	gaussian := make([]float64, n*n)
	for i := range gaussian {
		gaussian[i] = rng.NormFloat64()
	}
	var qr mat.QR
	qr.Factorize(mat.NewDense(n, n, gaussian))
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	values := make([]float64, n*n)
	for row := range n {
		for column := range n {
			values[row*n+column] = math.Copysign(q.At(row, column), q.At(row, column)*r.At(column, column))
		}
	}
	return values
}
