package scripts_test

import (
	"regexp"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// The first test command that a reader of README.md meets is the one that .ci/run runs.
func TestCIRunsTheREADMEsTests(t *testing.T) {
	command := func(path, pattern string) string {
		text := check.Read(t, path)
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no line like %s", path, pattern)
		}
		return string(found[1])
	}
	readme := command("../README.md", `(?m)^    (go test .*)$`)
	ci := command("../.ci/run", `(?m)^tests\(\) \{\n\t(.*)\n\}$`)
	check.Equal(t, ci, readme, ".ci/run, which README.md quotes")
}
