// Package filesystem is what records and downloads need beyond package os: a lock that one process at a time holds, and
// a file that is replaced whole or not at all.
package filesystem

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked is returned by Lock where another holds the lock.
var ErrLocked = errors.New("another process is writing it")

// Step, if not nil, is called with the name of each change to a file before it is made. Tests end the process there.
var Step func(name string)

func step(name string) {
	if Step != nil {
		Step(name)
	}
}

// Lock makes a lock file and locks it, without waiting. The lock is held until it is unlocked or the process ends. Who
// removes the file does so before unlocking it. On a shared disk the lock keeps out processes on other machines too; it
// is a one-line error if the file system has no locks, or none that other machines see.
func Lock(path string) (*flock.Flock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock %s is not a regular file: move it away", path)
	}
	if mounted := localLocks(path); mounted != "" {
		return nil, fmt.Errorf("lock %s would keep out no other machine: the disk is mounted with %s; use another "+
			"directory, or have it mounted with locks", path, mounted)
	}
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	taken, err := l.TryLock()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
		return nil, fmt.Errorf("the disk of %s has no locks, so that two processes could write one file: use another "+
			"directory, or have it mounted with locks", path)
	}
	if err != nil {
		return nil, err
	}
	if !taken {
		return nil, ErrLocked
	}
	if !Holds(l) { // the last owner removed the file after we opened it; the next makes another
		l.Unlock()
		return nil, ErrLocked
	}
	return l, nil
}

// Holds reports whether the file of a lock that was taken is still the one at its path.
func Holds(l *flock.Flock) bool {
	mine, err := l.Stat()
	there, err2 := os.Lstat(l.Path())
	return err == nil && err2 == nil && os.SameFile(mine, there)
}

// Replace writes a file whole or not at all, even if the machine loses power: it writes a new file beside it, and
// renames that. Of several that replace one file at once, the last one's stays. What killed processes have left there,
// and nobody has written to for some time, is removed; so if only one process at a time replaces a file, that is 0.
func Replace(path string, data []byte, left time.Duration) error {
	dir, begins, ends := filepath.Dir(path), "."+filepath.Base(path)+".", ".tmp"
	step("create")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, ours := strings.CutPrefix(e.Name(), begins)
		number, whole := strings.CutSuffix(name, ends)
		_, err := strconv.ParseUint(number, 10, 32)
		if info, gone := e.Info(); ours && whole && err == nil && gone == nil && time.Since(info.ModTime()) >= left {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	file, err := os.CreateTemp(dir, begins+"*"+ends)
	if err != nil {
		return err
	}
	step("write")
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err == nil {
		step("sync")
		err = file.Sync()
	}
	err = cmp.Or(err, file.Close())
	if err == nil {
		step("rename")
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
		return err
	}
	step("sync directory")
	return syncDir(dir)
}

// syncDir returns once a directory's names are on the disk, such as that of a file that was renamed. Where the system
// cannot sync directories there is nothing to wait for, and no error.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// Remove removes a file, if it is there.
func Remove(path string) error {
	step("remove")
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

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
