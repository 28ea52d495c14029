// Package need skips tests of what a machine lacks. On a machine that must lack nothing, such as the one that runs
// .ci/run, they fail instead.
package need

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that lists what this machine must have, separated by commas:
//
//	WARPTIME_REQUIRE=xla:cpu,chromium go test ./...
const Variable = "WARPTIME_REQUIRE"

// Skip skips a test that lacks name, a word that [Variable] can list, for a reason. Where Variable lists it, the test
// fails.
func Skip(t testing.TB, name, reason string) {
	t.Helper()
	if Listed(name) {
		t.Fatalf("%s lists %s, which is missing: %s", Variable, name, reason)
	}
	t.Skipf("needs %s: %s", name, reason)
}

// Listed reports whether [Variable] lists name. A test that takes too long for everybody runs only where its own name
// is listed.
func Listed(name string) bool { return slices.Contains(strings.Split(os.Getenv(Variable), ","), name) }

// Program returns the path of a program, or skips the test if PATH has none of that name.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Skip(t, name, err.Error())
	}
	return path
}

// Git returns what git prints about this repository, or skips the test if its history is not there or not whole.
func Git(t testing.TB, arguments ...string) string {
	t.Helper()
	run := func(arguments ...string) string {
		out, err := exec.Command(Program(t, "git"), arguments...).Output()
		if err != nil {
			Skip(t, "history", fmt.Sprintf("git %q: %v", arguments, err))
		}
		return string(out)
	}
	run("ls-files", "--error-unmatch", ".") // it may lie in somebody else's repository
	if run("rev-parse", "--is-shallow-repository") != "false\n" {
		Skip(t, "history", "this clone is shallow; git fetch --unshallow gets the rest")
	}
	return run(arguments...)
}
