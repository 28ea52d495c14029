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

// bit is 1 for true, without a jump.
func bit(b bool) (x uint8) {
	if b {
		x = 1
	}
	return x
}

// sumGo adds in eight interleaved chains: more accurate and faster than one.
func sumGo(a []float32) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for ; len(a) >= 8; a = a[8:] {
		s0 += a[0]
		s1 += a[1]
		s2 += a[2]
		s3 += a[3]
		s4 += a[4]
		s5 += a[5]
		s6 += a[6]
		s7 += a[7]
	}
	s := [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	for i, x := range a {
		s[i] += x
	}
	return (s[0] + s[4]) + (s[2] + s[6]) + ((s[1] + s[5]) + (s[3] + s[7]))
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
