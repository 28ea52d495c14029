package cell

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

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
