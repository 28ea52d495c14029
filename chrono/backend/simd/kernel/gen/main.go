// Command gen writes the assembly of package kernel for one instruction set; go generate runs it for each.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("isa", "", "instruction set: avx2, avx512 or neon")
	dir := flag.String("dir", "..", "where neon_arm64.s and neon_arm64.go go; avo has flags of its own for the others")
	flag.Parse()
	switch *name {
	case "avx2":
		set = isa{suffix: "AVX2", lanes: 8, registers: 16, tileRows: 6, tileVectors: 2}
	case "avx512":
		set = isa{suffix: "AVX512", lanes: 16, registers: 32, tileRows: 14, tileVectors: 2}
	case "neon":
		if err := generateNEON(*dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	default:
		fmt.Fprintf(os.Stderr, "-isa=%s: want avx2, avx512 or neon\n", *name)
		os.Exit(2)
	}
	build.ConstraintExpr("amd64")
	vectors()
	reductions()
	tile()
	if *name == "avx2" {
		transpose()
	}
	peak()
	build.Generate()
}
