package backend

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"github.com/warptime/warptime/chrono/backend/simd"
)

// sequential makes GoMLX's Go backend run a graph's nodes one after another, large products still on all cores.
//
// Its default, nodes in parallel on a bounded pool, deadlocks (compute v0.1.2): every worker of the pool can hold a product
// that waits in the same pool for workers to split it among. Four independent products on two cores are enough. With
// sequential nodes the waiting one is no worker of the pool, so the pool always drains. The other way round it, "parallelism=-1",
// is no faster on recurrent networks, and prints a line on stdout.
const sequential = "ops_sequential"

func goEngines() []Engine {
	return []Engine{
		{Name: simd.Name, open: func() (compute.Backend, error) { return simd.New("") }},
		{Name: "go", open: func() (compute.Backend, error) { return newGo(sequential) }},
	}
}

func newGo(options string) (compute.Backend, error) {
	return gobackend.New(options)
}
