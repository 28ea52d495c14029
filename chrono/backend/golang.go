package backend

import (
	"runtime"
	"strings"

	"github.com/gomlx/compute"

	"github.com/warptime/warptime/chrono/backend/simd"
)

// sequential makes GoMLX's Go backend run a graph's nodes one after another, large products still on all cores.
//
// Its default, nodes in parallel on a bounded pool, deadlocks, still in compute v0.1.6: every worker of the pool can
// hold a product that waits in the same pool for workers to split it among. Four independent products on two cores are
// enough. With sequential nodes the waiting one is no worker of the pool, so the pool always drains. The other way
// round it, "parallelism=-1", is no faster on recurrent networks, and prints a line on stdout.
const sequential = "ops_sequential"

// instructions are those that simd has for this processor; a variable for tests.
var instructions = simd.Instructions

// processor tells whether simd has instructions of this processor to use, and names them or what is missing.
func processor() (fast bool, names string) {
	switch names = instructions(); {
	case names != "portable":
		return true, strings.Replace(strings.ToUpper(names), "AVX512", "AVX-512", 1)
	case runtime.GOARCH == "amd64":
		return false, "this processor has no AVX2"
	default:
		return false, "simd has no kernels for " + runtime.GOARCH + " yet"
	}
}

func simdEngine() Engine {
	fast, names := processor()
	why := "pure Go, made for recurrent networks with this processor's " + names + ": the fastest on it"
	if !fast {
		why = "pure Go, made for recurrent networks; slow here, since " + names
	}
	return Engine{Name: simd.Name, Why: why, open: func() (compute.Backend, error) { return simd.New("") }}
}

// simdWith is the engine of "simd:<options>".
func simdWith(options string) Engine {
	e := Engine{Name: simd.Name + ":" + options, open: func() (compute.Backend, error) { return simd.New(options) }}
	if _, err := simd.Threads(options); err != nil {
		e.Missing = err.Error()
	}
	return e
}

func goEngine() Engine {
	return Engine{Name: "go", Why: "GoMLX's own, in pure Go; slow, for comparison",
		open: func() (compute.Backend, error) { return newGo(sequential) }}
}
