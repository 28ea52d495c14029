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

// The pages that say which Go one needs say what go.mod says.
func TestGoVersion(t *testing.T) {
	needed := regexp.MustCompile(`(?m)^go (.*)$`).FindSubmatch(check.Read(t, "../go.mod"))[1]
	for _, path := range []string{"../README.md", "../notebooks/README.md"} {
		named := regexp.MustCompile(`\bGo[ -](1\.[0-9.]*[0-9])`).FindAllSubmatch(check.Read(t, path), -1)
		for _, version := range named {
			check.Equal(t, string(version[1]), string(needed), "%s: the version of Go", path)
		}
		if len(named) == 0 {
			t.Errorf("%s names no version of Go", path)
		}
	}
}
