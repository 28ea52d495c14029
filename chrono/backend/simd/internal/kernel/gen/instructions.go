package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// instruction is an instruction on vectors, and its form with one number from memory for all lanes, which AVX-512 has.
// That form keeps constants small: whole vectors of them would straddle cache lines, since Go aligns data to 32 bytes
// only, and halve the speed.
type instruction struct{ plain, broadcast func(...Op) }

var (
	addps       = instruction{VADDPS, VADDPS_BCST}
	subps       = instruction{VSUBPS, VSUBPS_BCST}
	mulps       = instruction{VMULPS, VMULPS_BCST}
	divps       = instruction{VDIVPS, VDIVPS_BCST}
	sqrtps      = instruction{plain: VSQRTPS}
	andps       = instruction{VANDPS, VANDPS_BCST}
	orps        = instruction{VORPS, VORPS_BCST}
	xorps       = instruction{VXORPS, VXORPS_BCST}
	minps       = instruction{VMINPS, VMINPS_BCST}
	maxps       = instruction{VMAXPS, VMAXPS_BCST}
	rangeps     = instruction{plain: VRANGEPS}
	cmpps       = instruction{VCMPPS, VCMPPS_BCST}
	fmadd231ps  = instruction{VFMADD231PS, VFMADD231PS_BCST}
	fmadd213ps  = instruction{VFMADD213PS, VFMADD213PS_BCST}
	fmsub231ps  = instruction{plain: VFMSUB231PS}
	fnmadd231ps = instruction{VFNMADD231PS, VFNMADD231PS_BCST}
	fnmsub231ps = instruction{VFNMSUB231PS, VFNMSUB231PS_BCST}
	paddd       = instruction{VPADDD, VPADDD_BCST}
	psubd       = instruction{VPSUBD, VPSUBD_BCST}
	pslld       = instruction{plain: VPSLLD}
	psrad       = instruction{plain: VPSRAD}
	pternlogd   = instruction{VPTERNLOGD, VPTERNLOGD_BCST}
	pmovd2m     = instruction{plain: func(ops ...Op) { VPMOVD2M(ops[0], ops[1]) }}
	blendmps    = instruction{VBLENDMPS, VBLENDMPS_BCST}
	blendvps    = instruction{plain: func(ops ...Op) { VBLENDVPS(ops[0], ops[1], ops[2], ops[3]) }}
	scalefps    = instruction{plain: VSCALEFPS}
	getmantps   = instruction{plain: VGETMANTPS}
	getexpps    = instruction{plain: VGETEXPPS}
	cvtdq2ps    = instruction{plain: VCVTDQ2PS}
	cvtps2dq    = instruction{plain: VCVTPS2DQ}
	movups      = instruction{VMOVUPS, func(ops ...Op) { VBROADCASTSS(ops[0], ops[1]) }}
	permilps    = instruction{plain: VPERMILPS}
	perm2f128   = instruction{plain: func(ops ...Op) { VPERM2F128(ops[0], ops[1], ops[2], ops[3]) }}
	shuff32x4   = instruction{plain: func(ops ...Op) { VSHUFF32X4(ops[0], ops[1], ops[2], ops[3]) }}
)
