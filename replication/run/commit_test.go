package run

import (
	"runtime/debug"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func TestCommitIsWhatWasBuilt(t *testing.T) {
	stamp := func(main string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Path: main}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	for what, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"a stamped one":            {stamp(module, "vcs.revision", "1"), "1"},
		"of edited files":          {stamp(module, "vcs.revision", "1", "vcs.modified", "true"), "1+changes"},
		"one that was not stamped": {stamp(module), unknown},
		"somebody else's":          {stamp("example.org/theirs", "vcs.revision", "theirs"), unknown},
	} {
		check.Equal(t, builtFrom(c.info), c.want, "%s: commit", what)
	}
}
