package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/warptime/warptime/replication/record"
)

// fullDisk trains on a disk of its own that is full but for a little, again and again with another little room, until
// there is enough. What each try says goes to try.<number>.<room in KiB>, and the records to the directory records.
const fullDisk = `
mkdir disk && mount -t tmpfs -o size=128k tmpfs disk || exit 77
program=$1
shift
n=0
for room; do
	head -c $((128 - room))k /dev/zero >disk/filler 2>/dev/null
	n=$((n + 1))
	"$program" >try.$n.$room 2>&1
	rm disk/filler
done
"$program" >/dev/null && cp -r disk/records .
`

func TestFullDiskLosesNothing(t *testing.T) {
	c := child{Task: warping, Engine: engine, Dir: "disk/records", Checkpoint: 1}
	want, program := c.reference(t), c.command()
	t.Chdir(t.TempDir())
	words := []string{"--mount", "--map-root-user", "sh", "-c", fullDisk, "sh", program.Path}
	for n := range max(10, *faults/5) {
		words = append(words, strconv.Itoa(4+n*7%40))
	}
	cmd := exec.Command("unshare", words...)
	cmd.Env = program.Env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 77 || strings.Contains(string(out), "unshare") {
		t.Skipf("needs a disk of its own: %v %s", err, out)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	full := 0
	tries, _ := filepath.Glob("try.*")
	for _, try := range tries {
		out, err := os.ReadFile(try)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		last := lines[len(lines)-1]
		if last == "" || strings.HasPrefix(last, "update ") {
			continue // there was room enough, now or before
		}
		full++
		reason := strings.Contains(last, "no space left on device") || strings.Contains(last, "is the disk full?")
		if !reason || len(lines) > 1 && !strings.HasPrefix(lines[len(lines)-2], "update ") {
			t.Errorf("%s KiB: %q, want one line that says why", try, lines)
		}
	}
	t.Logf("the disk was full %d times in %d tries", full, len(tries))
	if full < 2 {
		t.Error("the test is no test")
	}
	got, err := record.Read(record.Path("records", want.Header))
	if err != nil {
		t.Fatal(err)
	}
	if !record.Equal(got, want) {
		t.Errorf("the record differs: %v", record.Compare(want, got))
	}
}
