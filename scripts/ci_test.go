package scripts_test

import (
	"regexp"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

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

// An action is named by its commit, an image by its digest: whoever moves a tag must not run in our CI.
func TestActionsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v[0-9.]+$|^"?[\w.:-]+@sha256:[0-9a-f]{64}"?,?$`)
	for path, least := range map[string]int{"../.github/workflows/ci.yml": 2, "../.devcontainer/devcontainer.json": 1} {
		named := regexp.MustCompile(`(?:uses|image"?): *(.*)`).FindAllSubmatch(check.Read(t, path), -1)
		for _, match := range named {
			if !pinned.Match(match[1]) {
				t.Errorf("%s: %s, want action@commit # version or image@sha256:digest", path, match[1])
			}
		}
		if len(named) < least {
			t.Errorf("%s names %d actions and images", path, len(named))
		}
	}
}
