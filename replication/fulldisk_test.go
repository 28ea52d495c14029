package replication

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fullDisk trains on a disk of its own that is full but for a little, again and again with a little more room, until there is
// enough. What each try says goes to try.<room>, and the record to the file record.
const fullDisk = `
mkdir disk && mount -t tmpfs -o size=128k tmpfs disk || exit 77
for room in 4 8 12 16 24 32 40 48 64 96; do
	head -c $((128 - room))k /dev/zero >disk/filler 2>/dev/null
	REPLICATION_TEST_TRAIN=disk/records "$0" >try.$room
	rm disk/filler
done
REPLICATION_TEST_TRAIN=disk/records "$0" >/dev/null && cp -r disk/records .
`

func TestFullDiskLosesNothing(t *testing.T) {
	run := tinyRun(t, 2)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), run)

	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	cmd := exec.Command("unshare", "--mount", "--map-root-user", "sh", "-c", fullDisk, program)
	cmd.Env = append(os.Environ(), "REPLICATION_TEST_CHECKPOINT=1ns", "REPLICATION_TEST_ENGINE="+engine)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 77 || strings.Contains(string(out), "unshare") {
		t.Skipf("needs a disk of its own: %v %s", err, out)
	} else if err != nil {
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
		if last == "" || strings.HasPrefix(last, "step ") {
			continue // there was room enough, now or before
		}
		t.Log(filepath.Ext(try)[1:]+" KiB:", last)
		full++
		if !strings.Contains(last, "no space left on device") || len(lines) > 1 && !strings.HasPrefix(lines[len(lines)-2], "step ") {
			t.Errorf("%s: %q, want one line that says why", try, lines)
		}
	}
	if full < 2 {
		t.Errorf("the disk was full %d times in %d tries: the test is no test", full, len(tries))
	}
	got, err := Read(RecordPath("records", run.Header(engine)))
	if err != nil {
		t.Fatal(err)
	}
	if !Equal(got, want) {
		t.Error("the record differs")
	}
}
