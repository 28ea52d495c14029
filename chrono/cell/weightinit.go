package cell

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/warptime/warptime/chrono/internal/given"
	"github.com/warptime/warptime/chrono/internal/require"
)

// WeightInit draws the initial weight matrices, which the papers leave open: [Orthogonal], [Uniform], [He],
// [ScaledIdentity] or [JointOrthogonal].
type WeightInit interface {
	// Draw draws a matrix [rows, columns] for one trial, row-major. A cell calls it once for each of its gates. It
	// panics with an error if it needs rng and that is nil, or if a setting is not in the range that its field names.
	Draw(rng *rand.Rand, role Role, rows, columns int) []float64
}

// Role is what a matrix does.
type Role int

// The roles of matrices.
const (
	Input     Role = iota // [inputs, hidden]: from the inputs to the hidden units
	Recurrent             // [hidden, hidden]: from the state to the next state
	Output                // [features, units]: a read-out
)

// Orthogonal draws recurrent matrices uniformly from the orthogonal group, and all others Glorot-uniform, U(−a, a) with
// a = √(6 / (rows + columns)) (Glorot & Bengio 2010), as is usual for recurrent networks: an orthogonal matrix neither
// shrinks nor stretches the state, whatever H. It is the default.
type Orthogonal struct{}

func (Orthogonal) Draw(rng *rand.Rand, role Role, rows, columns int) []float64 {
	if role == Recurrent {
		return orthonormal(rng, rows, columns)
	}
	return uniform(rng, rows*columns, math.Sqrt(6/float64(rows+columns)))
}

// Uniform draws every matrix of a layer of H units from U(−1/√H, 1/√H), and a read-out of H features likewise: the
// default of several libraries at the time of the papers. H is the number of columns of one block, or of rows of a
// read-out: N for WB and WC of [Selective], G for the network of [NetworkGated].
type Uniform struct{}

func (Uniform) Draw(rng *rand.Rand, role Role, rows, columns int) []float64 {
	hidden := columns
	if role == Output {
		hidden = rows
	}
	return uniform(rng, rows*columns, 1/math.Sqrt(float64(hidden)))
}

// He draws every matrix from N(0, 2/rows): what keeps the size of signals that go through rectified units (He et al.
// 2015).
type He struct{}

func (He) Draw(rng *rand.Rand, _ Role, rows, columns int) []float64 {
	return normal(rng, rows*columns, math.Sqrt(2/float64(rows)))
}

// ScaledIdentity makes the matrices of a cell multiples of the identity, as networks of rectified units may (Le et al.
// 2015), without drawing anything; read-outs are as [He] draws them. Every block of a cell's matrices is the same, so
// it is for cells of one block, such as [FastWeights].
type ScaledIdentity struct {
	Scale float64 // on the diagonal, finite; 0 elsewhere
}

func (d ScaledIdentity) Draw(rng *rand.Rand, role Role, rows, columns int) []float64 {
	require.That(given.Finite(d.Scale), "%#v: want a finite Scale", d)
	if role == Output {
		return He{}.Draw(rng, role, rows, columns)
	}
	values := make([]float64, rows*columns)
	for i := range min(rows, columns) {
		values[i*columns+i] = d.Scale
	}
	return values
}

// JointOrthogonal draws every matrix, read-outs too, with orthonormal rows, or with orthonormal columns if it has fewer
// columns than rows. It draws all blocks of a cell's matrix together, as the program of Cooijmans et al. 2017 does. The
// rows of an LSTM's recurrent matrix [H, 4H] then have length 1, so each gate's block has half the norm that
// [Orthogonal] gives it.
type JointOrthogonal struct{}

func (JointOrthogonal) Draw(rng *rand.Rand, _ Role, rows, columns int) []float64 {
	return orthonormal(rng, rows, columns)
}

// orthonormal draws a matrix uniformly from those with orthonormal rows, or columns where these are fewer: the narrow Q
// of a tall Gaussian matrix's QR decomposition, its columns' signs such that R's diagonal is positive (Mezzadri 2007),
// transposed if need be.
func orthonormal(rng *rand.Rand, rows, columns int) []float64 {
	long, short := max(rows, columns), min(rows, columns)
	q := normal(rng, long*short, 1) // row-major [long, short]
	matrix := blas64.General{Rows: long, Cols: short, Stride: short, Data: q}
	tau, ask := make([]float64, short), make([]float64, 1)
	lapack64.Geqrf(matrix, tau, ask, -1)
	work := make([]float64, int(ask[0]))
	lapack64.Geqrf(matrix, tau, work, len(work))
	signs := make([]float64, short)
	for i := range signs {
		signs[i] = math.Copysign(1, q[i*short+i])
	}
	lapack64.Orgqr(matrix, tau, ask, -1)
	work = make([]float64, int(ask[0]))
	lapack64.Orgqr(matrix, tau, work, len(work))
	values := make([]float64, rows*columns)
	for i := range long {
		for j := range short {
			if rows == long {
				values[i*columns+j] = signs[j] * q[i*short+j]
			} else {
				values[j*columns+i] = signs[j] * q[i*short+j]
			}
		}
	}
	return values
}

// normal draws n numbers from N(0, deviation²).
func normal(rng *rand.Rand, n int, deviation float64) []float64 {
	given.RNG(rng)
	values := make([]float64, n)
	for i := range values {
		values[i] = deviation * rng.NormFloat64()
	}
	return values
}

// uniform draws n numbers from U(−limit, limit).
func uniform(rng *rand.Rand, n int, limit float64) []float64 {
	given.RNG(rng)
	values := make([]float64, n)
	for i := range values {
		values[i] = limit * (2*rng.Float64() - 1)
	}
	return values
}
