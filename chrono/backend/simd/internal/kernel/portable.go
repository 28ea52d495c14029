package kernel

import (
	"cmp"
	"math"
)

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

// bit is 1 for true, without a jump.
func bit(b bool) (x uint8) {
	if b {
		x = 1
	}
	return x
}

func sumGo(a []float32) float32 { return sumInEight(a) }

// sumInEight adds numbers in eight interleaved chains: more accurate and faster than one.
func sumInEight[T cmp.Ordered](a []T) T {
	var s0, s1, s2, s3, s4, s5, s6, s7 T
	i := 0
	for ; i <= len(a)-8; i += 8 {
		b := a[i : i+8 : i+8]
		s0 += b[0]
		s1 += b[1]
		s2 += b[2]
		s3 += b[3]
		s4 += b[4]
		s5 += b[5]
		s6 += b[6]
		s7 += b[7]
	}
	for _, x := range a[i:] {
		s0 += x
	}
	return (s0 + s4) + (s2 + s6) + ((s1 + s5) + (s3 + s7))
}

// In WebAssembly max and min are calls, which these loops save where an element changes nothing.

func reduceMaxGo(a []float32) float32 {
	m := float32(math.Inf(-1))
	for _, x := range a {
		if !(x < m) {
			m = max(m, x)
		}
	}
	return m
}

func reduceMinGo(a []float32) float32 {
	m := float32(math.Inf(1))
	for _, x := range a {
		if !(x > m) {
			m = min(m, x)
		}
	}
	return m
}
