package filesystem

import (
	"fmt"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// Whether the locks of the disk that a directory is on are seen by other machines.
func TestLocalLocks(t *testing.T) {
	const mounts = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
2 22 0:27 / /home rw,relatime shared:2 - nfs4 server:/home rw,vers=4.2,local_lock=none,addr=10.0.0.1
32 22 0:28 / /old rw,relatime shared:3 - nfs server:/old rw,vers=3,nolock,local_lock=all,addr=10.0.0.1
33 22 0:29 / /scratch rw - lustre mgs:/scratch rw,flock,lazystatfs
34 33 0:30 / /scratch/own - lustre mgs:/own rw,localflock
38 22 0:34 / /share rw,relatime - cifs //server/share rw,vers=3.1.1,serverino,mapposix,nobrl,rsize=4194304
39 38 0:35 / /share/locked rw,relatime - smb3 //server/other rw,vers=3.1.1,serverino,mapposix,rsize=4194304
`
	for id, want := range map[int]string{22: "", 2: "", 32: "nolock", 33: "", 34: "localflock", 38: "nobrl", 39: ""} {
		opened := fmt.Sprintf("pos:\t0\nflags:\t0200000\nmnt_id:\t%d\nino:\t5\n", id)
		check.Equal(t, localLocksOf(opened, mounts), want, "mount %d", id)
	}
	check.Equal(t, localLocksOf("", mounts), "", "without /proc")
}
