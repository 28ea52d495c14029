package plan_test

import (
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plantest"
)

func init() { plan.Check = plantest.Check }
