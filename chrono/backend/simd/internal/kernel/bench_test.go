package kernel

import (
	"fmt"
	"slices"
	"testing"
)

func BenchmarkGemm(b *testing.B) {
	eachLevel(b, func(b *testing.B) {
		for _, s := range [][3]int{ // m, k, n
			{32, 64, 64}, {32, 64, 128}, {32, 64, 256}, {32, 128, 512}, {128, 128, 512}, {128, 512, 128},
			{100, 512, 2048}, {100, 2048, 512},
			{128, 128, 10},
		} {
			m, k, n := s[0], s[1], s[2]
			x, y, c := make([]float32, m*k), slices.Repeat([]float32{1}, k*n), make([]float32, m*n)
			packed := make([]float32, PackedLen(n, k))
			vanished := slices.Repeat([]float32{0x1p-130}, m*k) // as gradients do over a long sequence
			for _, form := range []string{"AB", "ABt", "packed", "vanished"} {
				b.Run(fmt.Sprintf("%dx%dx%d/%s", m, k, n, form), func(b *testing.B) {
					x := x
					if form == "vanished" {
						x = vanished
					}
					mx, my := Matrix{x, k, 1}, Matrix{y, n, 1}
					if form == "ABt" {
						my = Matrix{y, 1, k}
					}
					for b.Loop() {
						if form == "packed" {
							GemmPacked(m, n, k, c, n, mx, packed, nil, 0, nil, nil)
						} else {
							Gemm(m, n, k, c, n, mx, my, nil, 0, packed)
						}
					}
					b.ReportMetric(2*float64(m*n*k)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFLOP/s")
				})
			}
		}
		for _, s := range [][3]int{{64, 320, 64}, {128, 320, 512}, {128, 1280, 512}, {128, 66560, 512},
			{512, 1000, 2048}} {
			m, k, n := s[0], s[1], s[2]
			x, y, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
			mx, my := Matrix{x, 1, m}, Matrix{y, n, 1}
			scratch := make([]float32, GemmScratch(m, n, k, mx, my))
			b.Run(fmt.Sprintf("%dx%dx%d/AtB", m, k, n), func(b *testing.B) {
				for b.Loop() {
					Gemm(m, n, k, c, n, mx, my, c, n, scratch)
				}
				b.ReportMetric(2*float64(m*n*k)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFLOP/s")
			})
		}
	})
}

func BenchmarkVector(b *testing.B) {
	const n = 1024 // all in the first-level cache
	x, y, z, dst, mask := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n), make([]bool,
		n)
	for i := range x {
		x[i] = float32(i%64)/16 - 2 + 1e-3
		y[i], z[i] = x[i]+3, 1
	}
	kernels := []struct {
		name string
		f    func()
	}{
		{"Exp", func() { Exp(dst, x) }},
		{"Log", func() { Log(dst, y) }},
		{"Tanh", func() { Tanh(dst, x) }},
		{"Logistic", func() { Logistic(dst, x) }},
		{"Erf", func() { Erf(dst, x) }},
		{"Add", func() { Add(dst, x, y) }},
		{"Max", func() { Max(dst, x, y) }},
		{"MulMulAdd", func() { MulMulAdd(dst, x, y, z, y) }},
		{"TanhGrad", func() { TanhGrad(dst, x, y) }},
		{"Select", func() { Select(dst, mask, x, y) }},
		{"Sum", func() { Sum(x) }},
		{"ReduceMax", func() { ReduceMax(x) }},
	}
	eachLevel(b, func(b *testing.B) {
		for _, k := range kernels {
			b.Run(k.name, func(b *testing.B) {
				for b.Loop() {
					k.f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
			})
		}
	})
}
