package run

import (
	"runtime/debug"
	"sync"
)

const module = "github.com/warptime/warptime"

// Commit returns what this program was built from, as its build information has it: the commit, and "+changes" if files
// were edited or added; or "unknown", also in somebody else's program.
//
// Git cannot be asked when the program runs: files may have been edited while it was compiled, and restored since.
// So go build names a commit, and go run does with -buildvcs=true. Go asks git before it compiles. A program that is
// to train evidence is therefore built in a clone where nobody edits.
var Commit = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	return builtFrom(info)
})

const unknown = "unknown"

func builtFrom(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	commit := settings["vcs.revision"]
	switch {
	case commit == "" || info.Main.Path != module:
		return unknown
	case settings["vcs.modified"] == "true":
		return commit + "+changes"
	}
	return commit
}
