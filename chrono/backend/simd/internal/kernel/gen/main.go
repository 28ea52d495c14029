// Command gen writes package kernel's assembly for one instruction set, or, without -isa, what is the same for all: the
// exported functions, plain Go's loops, and the tables that choose between instruction sets. go generate runs it for
// each. The kernels stand in kernels.go.
package main

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("isa", "", "instruction set: avx2, avx512, neon, or none")
	flag.Parse()
	switch *name {
	case "":
		generateTables()
		return
	case "avx2":
		set = isa{suffix: "AVX2", lanes: 8, registers: 16, tileRows: 6, leastCopying: 5}
	case "avx512":
		set = isa{suffix: "AVX512", lanes: 16, registers: 32, tileRows: 14, leastCopying: 12}
	case "neon":
		generateNEON()
		return
	default:
		fmt.Fprintf(os.Stderr, "-isa=%s: want avx2, avx512 or neon\n", *name)
		os.Exit(2)
	}
	build.ConstraintExpr("amd64")
	for _, k := range kernels {
		k.generate()
	}
	for _, r := range reductions {
		r.generate()
	}
	tile()
	if *name == "avx2" {
		transpose()
		accumulate()
	}
	copyRows()
	build.Generate()
}

// write writes a Go file or assembly into the kernels' folder. (avo has flags of its own for avx2 and avx512.)
func write(name, text string) {
	source := []byte(text)
	if strings.HasSuffix(name, ".go") {
		var err error
		if source, err = format.Source(source); err != nil {
			panic(fmt.Sprintf("%s: %v\n%s", name, err, text))
		}
	}
	if err := os.WriteFile(filepath.Join("..", name), source, 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
