package kernel

import "math"

// The loops of plain Go that gen does not write, because they are more than an expression.

func signGo(dst, a []float32) {
	for i := range dst {
		switch x := a[i]; {
		case x > 0:
			dst[i] = 1
		case x < 0:
			dst[i] = -1
		default:
			dst[i] = x
		}
	}
}

func selectGo(dst []float32, cond []bool, a, b []float32) {
	for i := range dst {
		if cond[i] {
			dst[i] = a[i]
		} else {
			dst[i] = b[i]
		}
	}
}

func fromBoolGo(dst []float32, cond []bool) {
	for i := range dst {
		if cond[i] {
			dst[i] = 1
		} else {
			dst[i] = 0
		}
	}
}

// sumGo adds in eight interleaved chains: more accurate and faster than one.
func sumGo(a []float32) float32 {
	var s [8]float32
	for i, x := range a {
		s[i%8] += x
	}
	return (s[0] + s[4]) + (s[2] + s[6]) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func reduceMaxGo(a []float32) float32 {
	m := float32(math.Inf(-1))
	for _, x := range a {
		m = max(m, x)
	}
	return m
}

func reduceMinGo(a []float32) float32 {
	m := float32(math.Inf(1))
	for _, x := range a {
		m = min(m, x)
	}
	return m
}
