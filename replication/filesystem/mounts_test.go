package filesystem

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Which disk a directory is on, and whether its locks are seen by other machines.
func TestLocalLocks(t *testing.T) {
	const mounts = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
31 22 0:27 / /home rw,relatime shared:2 - nfs4 server:/home rw,vers=4.2,local_lock=none,addr=10.0.0.1
32 22 0:28 / /old rw,relatime shared:3 - nfs server:/old rw,vers=3,nolock,local_lock=all,addr=10.0.0.1
33 22 0:29 / /scratch rw - lustre mgs:/scratch rw,flock,lazystatfs
34 33 0:30 / /scratch/my\040own rw - lustre mgs:/own rw,localflock
35 32 0:31 / /old/inner rw - ext4 /dev/vdb rw
36 22 0:32 / /twice rw - lustre mgs:/twice rw,localflock
37 36 0:33 / /twice rw - tmpfs tmpfs rw
38 22 0:34 / /share rw,relatime - cifs //server/share rw,vers=3.1.1,serverino,mapposix,nobrl,rsize=4194304
39 38 0:35 / /share/locked rw,relatime - smb3 //server/other rw,vers=3.1.1,serverino,mapposix,rsize=4194304
`
	for dir, want := range map[string]string{
		"/": "", "/home/me": "", "/old": "local_lock=all", "/old/out": "local_lock=all", "/older": "",
		"/old/inner/out": "", "/scratch/out": "", "/scratch/my own/out": "localflock", "/twice/out": "",
		"/share/out": "nobrl", "/share/locked/out": "",
	} {
		check.Equal(t, localLocksOf(mounts, dir), want, "%s", dir)
	}
}
