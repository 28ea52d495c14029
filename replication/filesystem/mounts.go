package filesystem

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// localLocks names the option by which the file system of path keeps its locks on this machine, though others see the
// same files; empty if there is none, or where the system (not Linux) does not list what is mounted.
func localLocks(path string) string {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return ""
	}
	defer dir.Close()
	opened, _ := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", dir.Fd())) // proc_pid_fdinfo(5)
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	return localLocksOf(string(opened), string(mounts))
}

// localLocksOf is localLocks of a directory by what the system says of it and of what is mounted
// (proc_pid_mountinfo(5)).
func localLocksOf(opened, mounts string) string {
	_, id, _ := strings.Cut(opened, "mnt_id:\t")
	id, _, _ = strings.Cut(id, "\n")
	for line := range strings.Lines(mounts) {
		_, after, _ := strings.Cut(line, " - ")
		kind := strings.Fields(after)
		if !strings.HasPrefix(line, id+" ") || len(kind) < 3 {
			continue
		}
		for option := range strings.SplitSeq(kind[2], ",") {
			if slices.Contains(local[kind[0]], option) {
				return option
			}
		}
	}
	return ""
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
