package run

import (
	"debug/buildinfo"
	"runtime/debug"
	"sync"
)

const module = "github.com/warptime/warptime"

// Commit returns what this program was built from, as its build information has it: the commit, and "+changes" if files
// were edited or added; or the version of a release; or "unknown".
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

// CommitOf returns what the program in a file was built from: what [Commit] returns in that program.
func CommitOf(file string) string {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return unknown
	}
	return builtFrom(info)
}

const unknown = "unknown"

func builtFrom(info *debug.BuildInfo) string {
	for _, dependency := range info.Deps {
		if dependency.Path == module && dependency.Replace == nil {
			return dependency.Version // it was built from a release, in somebody else's program
		}
	}
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
