package kernel

import "math"

// power returns scale and p such that eˣ = scale·(1 + p), with p accurate even where it is close to 0. It computes in
// float64, whose range and precision make up for everything that the assembly needs care for; p has the error of
// its polynomial, 2⁻²⁵. |x| must be at most 1000.
func power(x float64) (scale, p float64) {
	const magic = 0x1.8p52 // leaves the integer n in a sum's lowest bits
	sum := x*math.Log2E + magic
	r := x - (sum-magic)*math.Ln2
	q := 1.39349722303450107574462890625e-3
	q = q*r + 8.36325623095035552978515625e-3
	q = q*r + 4.16664667427539825439453125e-2
	q = q*r + 0.1666657626628875732421875
	q = q*r + 0.5
	return math.Float64frombits((math.Float64bits(sum) + 1023) << 52), r + r*r*q
}

// clamp limits x to ±200, where the functions below have long reached their limits in float32. NaN stays NaN.
func clamp(x float32) float64 {
	if !(x*x <= 200*200) {
		return clampFar(x)
	}
	return float64(x)
}

// clampFar is a call of its own, so that the loops below have one jump that is hardly ever taken.
//
//go:noinline
func clampFar(x float32) float64 { return float64(max(-200, min(200, x))) }

func expGo(dst, a []float32) {
	a = a[:len(dst)]
	for i := range dst {
		scale, p := power(clamp(a[i]))
		dst[i] = float32(scale + scale*p)
	}
}

func expm1Go(dst, a []float32) {
	a = a[:len(dst)]
	for i := range dst {
		x := a[i]
		scale, p := power(clamp(x))
		if y := float32(scale - 1 + scale*p); y != 0 {
			x = y // else x is 0 of either sign
		}
		dst[i] = x
	}
}

func tanhGo(dst, a []float32) {
	a = a[:len(dst)]
	for i := range dst {
		x := a[i]
		scale, p := power(-2 * math.Abs(clamp(x)))
		e := scale - 1 + scale*p
		dst[i] = float32(math.Copysign(e/(2+e), float64(x)))
	}
}

func logisticGo(dst, a []float32) {
	a = a[:len(dst)]
	for i := range dst {
		scale, p := power(-clamp(a[i]))
		dst[i] = float32(1 / (1 + scale + scale*p))
	}
}
