package kernel

import "math"

// implementation holds one level's kernels. Lengths are checked before they are called.
type implementation struct {
	neg, abs, sign, floor, ceil, round, sqrt, rsqrt, exp, expm1, log, log1p, tanh, logistic func(dst, a []float32)

	add, sub, mul, div, max, min, tanhGrad, logisticGrad func(dst, a, b []float32)

	addScalar, scalarSub, mulScalar, divScalar, scalarDiv, maxScalar, minScalar func(dst, a []float32, s float32)

	mulAdd, mulSub, subMul func(dst, a, b, c []float32)
	mulMulAdd              func(dst, a, b, c, d []float32)

	fill      func(dst []float32, s float32)
	selectVec func(dst []float32, cond []bool, a, b []float32)
	fromBool  func(dst []float32, cond []bool)

	compare [LessEqual + 1]func(dst []bool, a, b []float32)

	sum, reduceMax, reduceMin func(a []float32) float32
}

func negGo(dst, a []float32) {
	for i := range dst {
		dst[i] = -a[i]
	}
}

func absGo(dst, a []float32) {
	for i := range dst {
		dst[i] = math.Float32frombits(math.Float32bits(a[i]) &^ (1 << 31))
	}
}

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

func floorGo(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(math.Floor(float64(a[i])))
	}
}

func ceilGo(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(math.Ceil(float64(a[i])))
	}
}

func roundGo(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(math.RoundToEven(float64(a[i])))
	}
}

func sqrtGo(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(math.Sqrt(float64(a[i])))
	}
}

func logGo(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(math.Log(float64(a[i])))
	}
}

func log1pGo(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(math.Log1p(float64(a[i])))
	}
}

func rsqrtGo(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(1 / math.Sqrt(float64(a[i])))
	}
}

func addGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func subGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

func mulGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func divGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

func maxGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
}

func minGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = min(a[i], b[i])
	}
}

func tanhGradGo(dst, g, y []float32) {
	for i := range dst {
		dst[i] = g[i] * (1 - y[i]*y[i])
	}
}

func logisticGradGo(dst, g, y []float32) {
	for i := range dst {
		dst[i] = g[i] * (y[i] * (1 - y[i]))
	}
}

func addScalarGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = a[i] + s
	}
}

func scalarSubGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = s - a[i]
	}
}

func mulScalarGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = a[i] * s
	}
}

func divScalarGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = a[i] / s
	}
}

func scalarDivGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = s / a[i]
	}
}

func maxScalarGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = max(a[i], s)
	}
}

func minScalarGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] = min(a[i], s)
	}
}

func mulAddGo(dst, a, b, c []float32) {
	for i := range dst {
		dst[i] = a[i]*b[i] + c[i]
	}
}

func mulSubGo(dst, a, b, c []float32) {
	for i := range dst {
		dst[i] = a[i]*b[i] - c[i]
	}
}

func subMulGo(dst, a, b, c []float32) {
	for i := range dst {
		dst[i] = c[i] - a[i]*b[i]
	}
}

func mulMulAddGo(dst, a, b, c, d []float32) {
	for i := range dst {
		dst[i] = a[i]*b[i] + c[i]*d[i]
	}
}

func fillGo(dst []float32, s float32) {
	for i := range dst {
		dst[i] = s
	}
}

func selectVecGo(dst []float32, cond []bool, a, b []float32) {
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

func equalGo(dst []bool, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] == b[i]
	}
}

func notEqualGo(dst []bool, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] != b[i]
	}
}

func lessGo(dst []bool, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] < b[i]
	}
}

func lessEqualGo(dst []bool, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] <= b[i]
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
	m := a[0]
	for _, x := range a {
		m = max(m, x)
	}
	return m
}

func reduceMinGo(a []float32) float32 {
	m := a[0]
	for _, x := range a {
		m = min(m, x)
	}
	return m
}

var portable = implementation{
	neg:      negGo,
	abs:      absGo,
	sign:     signGo,
	floor:    floorGo,
	ceil:     ceilGo,
	round:    roundGo,
	sqrt:     sqrtGo,
	rsqrt:    rsqrtGo,
	exp:      expGo,
	expm1:    expm1Go,
	log:      logGo,
	log1p:    log1pGo,
	tanh:     tanhGo,
	logistic: logisticGo,

	add:          addGo,
	sub:          subGo,
	mul:          mulGo,
	div:          divGo,
	max:          maxGo,
	min:          minGo,
	tanhGrad:     tanhGradGo,
	logisticGrad: logisticGradGo,

	addScalar: addScalarGo,
	scalarSub: scalarSubGo,
	mulScalar: mulScalarGo,
	divScalar: divScalarGo,
	scalarDiv: scalarDivGo,
	maxScalar: maxScalarGo,
	minScalar: minScalarGo,

	mulAdd:    mulAddGo,
	mulSub:    mulSubGo,
	subMul:    subMulGo,
	mulMulAdd: mulMulAddGo,

	fill:      fillGo,
	selectVec: selectVecGo,
	fromBool:  fromBoolGo,

	sum:       sumGo,
	reduceMax: reduceMaxGo,
	reduceMin: reduceMinGo,

	compare: [...]func(dst []bool, a, b []float32){
		Equal: equalGo, NotEqual: notEqualGo, Less: lessGo, LessEqual: lessEqualGo,
	},
}
