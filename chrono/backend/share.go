package backend

import (
	"fmt"
	"runtime"

	"github.com/warptime/warptime/chrono/backend/simd"
)

// Share returns the name to pass to New in order to run several graphs at the same time on an engine: each graph then
// uses only its share of the processor's cores, which is faster than all graphs taking turns on every core. It changes
// only the name "simd", since other engines share the cores themselves. It returns an empty name unchanged, even if New
// would choose simd for it: pass the name that [Choose] returns.
func Share(engine string, graphs int) string {
	if engine != simd.Name || graphs < 2 {
		return engine
	}
	return fmt.Sprintf("%s:threads=%d", simd.Name, max(1, runtime.GOMAXPROCS(0)/graphs))
}
