package kernel

// neon has plain Go's kernels where NEON has none of its own.
var neon = func() implementation {
	t := portable
	t.neg = negNEON
	t.abs = absNEON
	t.sign = signNEON
	t.floor = floorNEON
	t.ceil = ceilNEON
	t.round = roundNEON
	t.sqrt = sqrtNEON
	t.rsqrt = rsqrtNEON
	t.exp = expNEON
	t.expm1 = expm1NEON
	t.log = logNEON
	t.log1p = log1pNEON
	t.tanh = tanhNEON
	t.logistic = logisticNEON

	t.add = addNEON
	t.sub = subNEON
	t.mul = mulNEON
	t.div = divNEON
	t.max = maxNEON
	t.min = minNEON
	t.tanhGrad = tanhGradNEON
	t.logisticGrad = logisticGradNEON

	t.addScalar = addScalarNEON
	t.scalarSub = scalarSubNEON
	t.mulScalar = mulScalarNEON
	t.divScalar = divScalarNEON
	t.scalarDiv = scalarDivNEON
	t.maxScalar = maxScalarNEON
	t.minScalar = minScalarNEON

	t.mulAdd = mulAddNEON
	t.mulSub = mulSubNEON
	t.subMul = subMulNEON
	t.mulMulAdd = mulMulAddNEON

	t.fill = fillNEON
	t.sum = sumNEON
	t.reduceMax = reduceMaxNEON
	t.reduceMin = reduceMinNEON

	// Kernels with []bool leave the last elements to plain Go, which gives the same results, since they only compare
	// and choose.
	t.selectVec = func(dst []float32, cond []bool, a, b []float32) {
		selectVecNEON(dst, cond, a, b)
		n := len(dst) &^ 3
		selectVecGo(dst[n:], cond[n:], a[n:], b[n:])
	}
	t.fromBool = func(dst []float32, cond []bool) {
		fromBoolNEON(dst, cond)
		n := len(dst) &^ 3
		fromBoolGo(dst[n:], cond[n:])
	}
	compare := func(vectors, rest func(dst []bool, a, b []float32)) func(dst []bool, a, b []float32) {
		return func(dst []bool, a, b []float32) {
			vectors(dst, a, b)
			n := len(dst) &^ 3
			rest(dst[n:], a[n:], b[n:])
		}
	}
	t.compare = [...]func(dst []bool, a, b []float32){
		Equal:     compare(equalNEON, equalGo),
		NotEqual:  compare(notEqualNEON, notEqualGo),
		Less:      compare(lessNEON, lessGo),
		LessEqual: compare(lessEqualNEON, lessEqualGo),
	}
	return t
}()
