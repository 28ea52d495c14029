package kernel

var avx512 = implementation{
	neg:      negAVX512,
	abs:      absAVX512,
	sign:     signAVX512,
	floor:    floorAVX512,
	ceil:     ceilAVX512,
	round:    roundAVX512,
	sqrt:     sqrtAVX512,
	rsqrt:    rsqrtAVX512,
	exp:      expAVX512,
	expm1:    expm1AVX512,
	log:      logAVX512,
	log1p:    log1pAVX512,
	tanh:     tanhAVX512,
	logistic: logisticAVX512,

	add:          addAVX512,
	sub:          subAVX512,
	mul:          mulAVX512,
	div:          divAVX512,
	max:          maxAVX512,
	min:          minAVX512,
	tanhGrad:     tanhGradAVX512,
	logisticGrad: logisticGradAVX512,

	addScalar: addScalarAVX512,
	scalarSub: scalarSubAVX512,
	mulScalar: mulScalarAVX512,
	divScalar: divScalarAVX512,
	scalarDiv: scalarDivAVX512,
	maxScalar: maxScalarAVX512,
	minScalar: minScalarAVX512,

	mulAdd:    mulAddAVX512,
	mulSub:    mulSubAVX512,
	subMul:    subMulAVX512,
	mulMulAdd: mulMulAddAVX512,

	fill: fillAVX512,

	sum:       sumAVX512,
	reduceMax: reduceMaxAVX512,
	reduceMin: reduceMinAVX512,

	selectVec: selectVecAVX512,
	fromBool:  fromBoolAVX512,

	compare: [...]func(dst []bool, a, b []float32){
		Equal: equalAVX512, NotEqual: notEqualAVX512, Less: lessAVX512, LessEqual: lessEqualAVX512,
	},
}

// AVX2 cannot load or store some of eight bytes: its kernels with []bool leave the last elements to plain Go, which
// gives the same results, since they only compare and choose.
var avx2 = implementation{
	neg:      negAVX2,
	abs:      absAVX2,
	sign:     signAVX2,
	floor:    floorAVX2,
	ceil:     ceilAVX2,
	round:    roundAVX2,
	sqrt:     sqrtAVX2,
	rsqrt:    rsqrtAVX2,
	exp:      expAVX2,
	expm1:    expm1AVX2,
	log:      logAVX2,
	log1p:    log1pAVX2,
	tanh:     tanhAVX2,
	logistic: logisticAVX2,

	add:          addAVX2,
	sub:          subAVX2,
	mul:          mulAVX2,
	div:          divAVX2,
	max:          maxAVX2,
	min:          minAVX2,
	tanhGrad:     tanhGradAVX2,
	logisticGrad: logisticGradAVX2,

	addScalar: addScalarAVX2,
	scalarSub: scalarSubAVX2,
	mulScalar: mulScalarAVX2,
	divScalar: divScalarAVX2,
	scalarDiv: scalarDivAVX2,
	maxScalar: maxScalarAVX2,
	minScalar: minScalarAVX2,

	mulAdd:    mulAddAVX2,
	mulSub:    mulSubAVX2,
	subMul:    subMulAVX2,
	mulMulAdd: mulMulAddAVX2,

	fill: fillAVX2,

	sum:       sumAVX2,
	reduceMax: reduceMaxAVX2,
	reduceMin: reduceMinAVX2,

	selectVec: func(dst []float32, cond []bool, a, b []float32) {
		selectVecAVX2(dst, cond, a, b)
		n := whole(len(dst))
		selectVecGo(dst[n:], cond[n:], a[n:], b[n:])
	},
	fromBool: func(dst []float32, cond []bool) {
		fromBoolAVX2(dst, cond)
		n := whole(len(dst))
		fromBoolGo(dst[n:], cond[n:])
	},

	compare: [...]func(dst []bool, a, b []float32){
		Equal:     compareAVX2(equalAVX2, equalGo),
		NotEqual:  compareAVX2(notEqualAVX2, notEqualGo),
		Less:      compareAVX2(lessAVX2, lessGo),
		LessEqual: compareAVX2(lessEqualAVX2, lessEqualGo),
	},
}

// whole returns how many of n elements make up whole vectors of AVX2.
func whole(n int) int { return n &^ 7 }

func compareAVX2(vectors, rest func(dst []bool, a, b []float32)) func(dst []bool, a, b []float32) {
	return func(dst []bool, a, b []float32) {
		vectors(dst, a, b)
		n := whole(len(dst))
		rest(dst[n:], a[n:], b[n:])
	}
}
