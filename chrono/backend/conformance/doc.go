// Package conformance is one suite of tests for all engines: each computes what the others do.
//
// The reference is GoMLX's own Go backend in float64, and for loops over time the same steps unrolled into the graph,
// differentiated by GoMLX. The suite runs on every engine of backend.List that is present, skips the absent ones and
// says why. In WARPTIME_REQUIRE stand engines whose absence is an error, separated by commas:
//
//	WARPTIME_REQUIRE=xla:cpu go test -v ./chrono/backend/conformance
//
// [OnEach] is for tests of other packages that have to run on every engine too: scripts trains the papers' figures so,
// which the library knows nothing of.
package conformance
