// Command gen writes the assembly of package kernel for one instruction set; go generate runs it for each.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("isa", "", "instruction set: avx2 or avx512")
	flag.Parse()
	switch *name {
	case "avx2":
		set = isa{suffix: "AVX2", lanes: 8, registers: 16, tileRows: 6, tileVectors: 2}
	case "avx512":
		set = isa{suffix: "AVX512", lanes: 16, registers: 32, tileRows: 14, tileVectors: 2}
	default:
		log.Fatalf("-isa=%s: want avx2 or avx512", *name)
	}
	build.ConstraintExpr("amd64")
	tile()
	peak()
	build.Generate()
}
