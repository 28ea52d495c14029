package need

import (
	"fmt"
	"testing"
)

// ended is a test that only remembers how it ended.
type ended struct {
	testing.TB
	how string
}

func (e *ended) Helper()                       {}
func (e *ended) Skipf(format string, a ...any) { e.how = "skipped: " + fmt.Sprintf(format, a...) }
func (e *ended) Fatalf(format string, a ...any) {
	e.how = "failed: " + fmt.Sprintf(format, a...)
	panic(e)
}

func TestSkip(t *testing.T) {
	for listed, want := range map[string]string{
		"":               "skipped: needs a tool: not found",
		"another":        "skipped: needs a tool: not found",
		"another,a tool": "failed: WARPTIME_REQUIRE lists a tool, which is missing: not found",
	} {
		t.Setenv(Variable, listed)
		e := &ended{TB: t}
		func() {
			defer func() { recover() }() // a test that fails does not go on
			Skip(e, "a tool", "not found")
		}()
		if e.how != want {
			t.Errorf("%s=%q: %s, want %s", Variable, listed, e.how, want)
		}
	}
}
