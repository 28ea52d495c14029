package run

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// An unfinished run, file by file.
type unfinished struct {
	task  experiment.Task
	dir   string            // of the records
	path  string            // of the record
	files map[string][]byte // by path: the partial record, state.json, and GoMLX's two
}

// stopped returns a tiny run that was stopped after so many updates.
func stopped(t testing.TB, after int) unfinished {
	t.Helper()
	u := unfinished{task: tinyTask(t, copying), dir: t.TempDir(), files: map[string][]byte{}}
	b, err := backend.New(engine)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize() // its threads would confuse fuzzing, which looks at what runs
	stop(t, &Runner{Backend: b, Name: engine, Dir: u.dir}, u.task, after)
	u.path = record.Path(u.dir, u.task.Header(engine))
	for _, pattern := range []string{"*.partial", "*.checkpoint/*"} {
		paths, _ := filepath.Glob(filepath.Join(filepath.Dir(u.path), pattern))
		for _, path := range paths {
			u.files[path] = read(t, path)
		}
	}
	if len(u.files) != 4 {
		t.Fatalf("it left %v, want 4 files", slices.Collect(maps.Keys(u.files)))
	}
	return u
}

// restore puts all files back as they were, and takes away what came since.
func (u unfinished) restore(t testing.TB) {
	t.Helper()
	if err := os.RemoveAll(u.dir); err != nil {
		t.Fatal(err)
	}
	for path, data := range u.files {
		write(t, path, data)
	}
}

// find returns the file whose name ends so.
func (u unfinished) find(t testing.TB, end string) string {
	t.Helper()
	for path := range u.files {
		if strings.HasSuffix(path, end) && (end != ".json" || filepath.Base(path) != stateFile) {
			return path
		}
	}
	t.Fatalf("no file that ends with %s", end)
	return ""
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666) // emptied first, some disks would sync it: too slow
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(int64(len(data))); err != nil {
		t.Fatal(err)
	}
}

// refused tries to go on and reports whether that was refused with one line and nothing changed. If it was not, it must
// end in the wanted record: the damage did no harm.
func (u unfinished) refused(t *testing.T, what string, want *record.Record) bool {
	t.Helper()
	before := tree(t, u.dir)
	got, err := newRunner(t, engine, u.dir).Train(context.Background(), u.task)
	if err == nil {
		if !record.Equal(got, want) {
			t.Errorf("%s: used without a word, and the record differs: %v", what, record.Compare(want, got))
		}
		return false
	}
	if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), u.path) {
		t.Errorf("%s: error %q, want one line that names the place", what, err)
	}
	if !reflect.DeepEqual(tree(t, u.dir), before) {
		t.Errorf("%s: refused, but something was changed", what)
	}
	return true
}

// tree is the contents of all files in a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = string(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every prefix of every file, and every file with any one byte changed in two ways, is refused; or it is as good as the
// file itself, and the record ends the same.
func TestDamageIsRefused(t *testing.T) {
	u := stopped(t, 4)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), u.task)
	prefixes, flips, harmless := 0, 0, 0
	for path, data := range u.files {
		try := func(what string, damaged []byte) {
			write(t, path, damaged)
			if _, err := readCheckpoint(checkpointDir(u.path)); err != nil { // nothing was touched yet
				if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), checkpointDir(u.path)) {
					t.Errorf("%s: error %q, want one line that names the place", what, err)
				}
			} else if !u.refused(t, what, want) {
				t.Logf("harmless: %s", what)
				if harmless++; harmless > 20 || t.Failed() {
					t.Fatal("and so on")
				}
				u.restore(t)
			}
			write(t, path, data)
		}
		name := filepath.Base(path)
		for n := range data {
			try(name+" cut off", data[:n])
			prefixes++
			for _, flip := range []byte{1 << (n % 8), 0xFF} {
				damaged := slices.Clone(data)
				damaged[n] ^= flip
				try(name+" with a byte changed: "+string(damaged[max(0, n-9):n+1]), damaged)
				flips++
			}
		}
	}
	t.Logf("%d prefixes and %d changed bytes tried; %d were harmless, all others refused", prefixes, flips, harmless)
	if flips < 5000 {
		t.Errorf("%d changed bytes: the test is no test", flips)
	}
	if u.refused(t, "nothing damaged", want) {
		t.Error("without any damage it is refused")
	}
}

// Files that are whole, but not of one moment, or not there.
func TestMixedCheckpointIsRefused(t *testing.T) {
	early, late := stopped(t, 4), stopped(t, 8)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), early.task)
	mix := func(path, end string) { write(t, path, late.files[late.find(t, end)]) }
	for what, c := range map[string]struct {
		change   func()
		harmless bool
	}{
		"state of another moment":  {func() { mix(early.find(t, stateFile), stateFile) }, false},
		"values of another moment": {func() { mix(early.find(t, ".bin"), ".bin") }, false},
		"a later record": {func() { // it is cut off
			path := early.find(t, ".partial")
			head, _, _ := bytes.Cut(early.files[path], []byte("\n")) // the other may have started a second later
			_, rest, _ := bytes.Cut(late.files[late.find(t, ".partial")], []byte("\n"))
			write(t, path, slices.Concat(head, []byte("\n"), rest))
		}, true},
		"a record's beginning of another seed": {func() {
			path := early.find(t, ".partial")
			write(t, path, []byte(strings.Replace(string(early.files[path]), "7001", "7002", 1)))
		}, false},
		"bytes after the record": {func() {
			path := early.find(t, ".partial")
			write(t, path, append(slices.Clone(early.files[path]), `{"kind":"poi`...))
		}, true},
		"bytes after the state": {func() {
			path := early.find(t, stateFile)
			write(t, path, append(slices.Clone(early.files[path]), "{}"...))
		}, false},
		"files that no state names": {func() {
			for _, end := range []string{".bin", ".json"} {
				path := early.find(t, end)
				later := strings.Replace(path, "-n0000000-", "-n0000009-", 1)
				if later == path {
					t.Fatalf("GoMLX has other names now: %s", path)
				}
				write(t, later, late.files[late.find(t, end)])
			}
			write(t, filepath.Join(checkpointDir(early.path), "."+stateFile+"-123"), []byte("half of it"))
		}, true},
		"no state":  {func() { os.Remove(early.find(t, stateFile)) }, true}, // it starts anew
		"no values": {func() { os.Remove(early.find(t, ".bin")) }, false},
		"no list":   {func() { os.Remove(early.find(t, ".json")) }, false},
		"no record": {func() { os.Remove(early.find(t, ".partial")) }, false},
	} {
		early.restore(t)
		c.change()
		if early.refused(t, what, want) == c.harmless {
			t.Errorf("%s: refused %v, want %v", what, !c.harmless, c.harmless)
		}
	}
}

// A state that is well signed but does not fit, as one of another version of this program might, is refused.
func TestStateThatDoesNotFitIsRefused(t *testing.T) {
	u := stopped(t, 4)
	want := mustTrain(t, newRunner(t, engine, t.TempDir()), u.task)
	for what, change := range map[string]func(s *saved){
		"an update later":     func(s *saved) { s.State.Update++; s.State.Count++ },
		"beyond the end":      func(s *saved) { s.State.Update, s.State.Count = 14, 2 },
		"before the start":    func(s *saved) { s.State.Update, s.State.Count = -3, 0 },
		"too few sums":        func(s *saved) { s.State.Sum = s.State.Sum[:3] },
		"no sums":             func(s *saved) { s.State.Sum = nil },
		"another count":       func(s *saved) { s.State.Count = 2 },
		"a longer record":     func(s *saved) { s.Prefix.Length++ },
		"a negative length":   func(s *saved) { s.Prefix.Length = -1 },
		"another record":      func(s *saved) { s.Prefix.SHA256 = strings.Repeat("0", 64) },
		"a file that is none": func(s *saved) { s.Files["checkpoint-n0000003.bin"] = digest(nil) },
	} {
		u.restore(t)
		s, err := readCheckpoint(checkpointDir(u.path))
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		write(t, u.find(t, stateFile), sign(t, s))
		if !u.refused(t, what, want) {
			t.Errorf("%s: accepted", what)
		}
	}
	u.restore(t)
	write(t, u.find(t, stateFile), signText([]byte(`{"State":{},"Prefix":{},"Files":{},"Rates":[1]}`)))
	if !u.refused(t, "a field more", want) {
		t.Error("a state of another version was accepted")
	}
}

func sign(t testing.TB, s *saved) []byte {
	t.Helper()
	content, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return signText(content)
}

// signText puts content into state.json's envelope, with the checksum that belongs to it.
func signText(content []byte) []byte {
	return []byte(`{"saved":` + string(content) + `,"sha256":"` + digest(content) + `"}`)
}

// Whatever state.json holds, it is what was saved, or refused.
func FuzzReadCheckpoint(f *testing.F) {
	dir := f.TempDir()
	good := &saved{
		State:  state{Update: 4, Seconds: 0.5, Sum: record.Values{0.1, math.Inf(1)}, Count: 1},
		Prefix: prefix{7, digest([]byte("record\n"))},
		Files:  map[string]string{"checkpoint.json": digest([]byte("{}")), "checkpoint.bin": digest([]byte("values"))},
	}
	write(f, filepath.Join(dir, "checkpoint.json"), []byte("{}"))
	write(f, filepath.Join(dir, "checkpoint.bin"), []byte("values"))
	f.Add(sign(f, good))
	f.Add([]byte(`{"saved":{},"sha256":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		write(t, filepath.Join(dir, stateFile), data)
		s, err := readCheckpoint(dir)
		if err == nil && !reflect.DeepEqual(s, good) {
			t.Errorf("accepted as %+v", s)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line", err)
		}
	})
}

// Whatever content is signed, going on from it is refused, or works; it never panics.
func FuzzSignedState(f *testing.F) {
	u := stopped(f, 4)
	path := u.find(f, stateFile)
	var envelope signed
	if err := json.Unmarshal(u.files[path], &envelope); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(envelope.Saved))
	f.Add([]byte(`{"State":{"Sum":[]},"Files":{"../x":""}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		write(t, path, signText(content))
		h := u.task.Header(engine)
		w, err := record.Open(u.path, h)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		training := &training{task: u.task, store: model.NewStore(), record: w, series: map[string][][]float64{},
			diverged: make([]bool, len(u.task.Trials))}
		if err := training.load(u.path); err == nil {
			u.restore(t)
		} else if strings.Contains(oneLine(err).Error(), "\n") {
			t.Errorf("error %q, want one line", err)
		}
	})
}
