// Package conformance is one test suite for all engines: it checks that they compute the same results.
//
// The reference is GoMLX's own Go backend in float64. For loops over time, it is the same steps unrolled into the graph
// and differentiated by GoMLX. The suite runs on every engine of backend.List that is available, and skips the others
// with the reason. WARPTIME_REQUIRE lists engines, separated by commas, that must not be skipped: a missing one fails.
//
//	WARPTIME_REQUIRE=xla:cpu go test -v ./chrono/backend/conformance
//
// Tests of other packages that must run on every engine use [OnEach]. The tests in scripts use it to train the papers'
// figures, on which this library does not depend.
package conformance
