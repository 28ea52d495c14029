package cell

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// The papers do not say how weights other than the gates' biases start. Here input weights are Glorot-uniform and
// recurrent weights orthogonal, one block for each gate, as is usual for recurrent networks: an orthogonal matrix neither
// shrinks nor stretches the state, whatever H.

// glorot draws a matrix [in, out] from U(−a, a) with a = √(6 / (in + out)) (Glorot & Bengio 2010).
func glorot(rng *rand.Rand, in, out int) []float64 {
	limit := math.Sqrt(6 / float64(in+out))
	values := make([]float64, in*out)
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

// beside joins matrices of the same number of rows, given row-major, into one.
func beside(rows int, blocks ...[]float64) []float64 {
	var out []float64
	for row := range rows {
		for _, block := range blocks {
			width := len(block) / rows
			out = append(out, block[row*width:(row+1)*width]...)
		}
	}
	return out
}
