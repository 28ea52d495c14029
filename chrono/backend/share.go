package backend

import (
	"fmt"
	"runtime"

	"github.com/warptime/warptime/chrono/backend/simd"
)

// Share returns the name under which New starts an engine for several graphs that run at the same time: each then keeps
// to its share of the processor's cores, which is faster than all of them taking turns on every core. Only simd can be
// told; other engines share by themselves. An empty name is returned as it is, though New may take it for simd: give
// Share the name that [Choose] returns.
func Share(engine string, graphs int) string {
	if engine != simd.Name || graphs < 2 {
		return engine
	}
	return fmt.Sprintf("%s:threads=%d", simd.Name, max(1, runtime.GOMAXPROCS(0)/graphs))
}
