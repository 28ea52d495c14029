package filesystem

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// localLocks names the option by which the file system of path keeps its locks on this machine, though others see the
// same files; empty if there is none, or where the system (not Linux) does not list what is mounted.
func localLocks(path string) string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return ""
	}
	return localLocksOf(string(mounts), dir)
}

// localLocksOf is localLocks of an absolute directory, by what /proc/self/mountinfo holds (proc_pid_mountinfo(5)).
func localLocksOf(mounts, dir string) (option string) {
	longest := ""
	for line := range strings.Lines(mounts) {
		left, right, _ := strings.Cut(line, " - ")
		place, kind := strings.Fields(left), strings.Fields(right)
		if len(place) < 5 || len(kind) < 3 {
			continue
		}
		point := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\134`, `\`).Replace(place[4])
		inside := strings.HasPrefix(dir+"/", strings.TrimSuffix(point, "/")+"/")
		if !inside || len(point) < len(longest) { // of several at one point the last one is seen
			continue
		}
		longest, option = point, ""
		for _, o := range strings.Split(kind[2], ",") {
			if slices.Contains(local[kind[0]], o) {
				option = o
			}
		}
	}
	return option
}

// local are the options, by the kind of file system, that keep flock's locks on the machine that asks for them (nfs(5),
// mount.lustre(8), mount.cifs(8)).
var local = map[string][]string{
	"nfs":    {"nolock", "local_lock=all", "local_lock=flock"},
	"nfs4":   {"local_lock=all", "local_lock=flock"},
	"lustre": {"localflock"},
	"cifs":   {"nobrl"},
	"smb3":   {"nobrl"},
}
