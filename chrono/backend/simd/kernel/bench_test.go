package kernel

import (
	"fmt"
	"testing"
	"time"
)

// eachLevelB runs f as a sub-benchmark at every level that this machine has, the highest first.
func eachLevelB(b *testing.B, f func(b *testing.B)) {
	defer Use(Current())
	for l := Best(); l >= Portable; l-- {
		Use(l)
		b.Run(l.String(), f)
	}
}

func BenchmarkPeak(b *testing.B) {
	eachLevelB(b, func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(PeakGFLOPS(50*time.Millisecond), "GFLOP/s")
		}
	})
}

func BenchmarkGemm(b *testing.B) {
	eachLevelB(b, func(b *testing.B) {
		for _, s := range [][3]int{ // m, k, n
			{32, 64, 64}, {32, 64, 128}, {32, 64, 256}, {32, 128, 512}, {128, 128, 512}, {128, 512, 128}, {100, 512, 2048}, {100, 2048, 512},
			{128, 128, 10},
		} {
			m, k, n := s[0], s[1], s[2]
			x, y, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
			packed := make([]float32, PackedLen(n, k))
			for _, form := range []string{"AB", "ABt", "packed"} {
				b.Run(fmt.Sprintf("%dx%dx%d/%s", m, k, n, form), func(b *testing.B) {
					mx, my := Matrix{x, k, 1}, Matrix{y, n, 1}
					if form == "ABt" {
						my = Matrix{y, 1, k}
					}
					for b.Loop() {
						if form == "packed" {
							GemmPacked(m, n, k, c, n, mx, packed, nil, 0)
						} else {
							Gemm(m, n, k, c, n, mx, my, nil, 0, packed)
						}
					}
					b.ReportMetric(2*float64(m*n*k)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFLOP/s")
				})
			}
		}
		for _, s := range [][3]int{{64, 320, 64}, {128, 320, 512}, {128, 1280, 512}, {512, 1000, 2048}} {
			m, k, n := s[0], s[1], s[2]
			x, y, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
			b.Run(fmt.Sprintf("%dx%dx%d/AtB", m, k, n), func(b *testing.B) {
				for b.Loop() {
					Gemm(m, n, k, c, n, Matrix{x, 1, m}, Matrix{y, n, 1}, c, n, nil)
				}
				b.ReportMetric(2*float64(m*n*k)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFLOP/s")
			})
		}
	})
}
