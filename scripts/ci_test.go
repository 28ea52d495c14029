package scripts_test

import (
	"os"
	"regexp"
	"testing"
)

// The first test command that a reader of README.md meets is the one that .ci/run runs.
func TestCIRunsTheREADMEsTests(t *testing.T) {
	command := func(path, pattern string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no line like %s", path, pattern)
		}
		return string(found[1])
	}
	readme := command("../README.md", `(?m)^    (go test .*)$`)
	ci := command("../.ci/run", `(?m)^tests\(\) \{\n\t(.*)\n\}$`)
	if readme != ci {
		t.Errorf("README.md tests by %q, .ci/run by %q", readme, ci)
	}
}
