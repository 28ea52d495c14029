package kernel

import (
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// TestAVX2Only checks that the AVX2 kernels keep to what AVX2 has: a processor with AVX-512, on which tests may run,
// would not notice.
func TestAVX2Only(t *testing.T) {
	source := check.Read(t, "avx2_amd64.s")
	for _, pattern := range []string{`AVX512\w*`, `BMI2`, `\b[XY](1[6-9]|[23][0-9])\b`, `\b[ZK][0-9]+\b`} {
		found := regexp.MustCompile(pattern).Find(source)
		check.That(t, found == nil, "avx2_amd64.s has %s", found)
	}
}

// TestGenerated checks that the assembly, its declarations and the tables are what the generator writes. avo, which it
// needs, must be in Go's cache of modules already: nothing is downloaded.
func TestGenerated(t *testing.T) {
	need.Program(t, "go")
	dir := t.TempDir()
	check.OK(t, os.CopyFS(filepath.Join(dir, "gen"), os.DirFS("gen")))
	run := func(arguments ...string) ([]byte, error) {
		command := exec.Command("go", arguments...)
		command.Dir = filepath.Join(dir, "gen")
		command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod", "GOOS=", "GOARCH=")
		return command.CombinedOutput()
	}
	if _, err := run("list", "-deps", "."); err != nil {
		need.Skip(t, "avo", "not found")
	}
	source := check.Read(t, "level.go")
	for _, line := range regexp.MustCompile(`(?m)^//go:generate go run -C gen (.*)$`).FindAllSubmatch(source, -1) {
		out, err := run(append([]string{"run"}, strings.Fields(string(line[1]))...)...)
		check.Must(t, err == nil, "%s: %v\n%s", line[0], err, out)
	}
	written, err := fs.Glob(os.DirFS(dir), "*.*")
	check.Must(t, err == nil && len(written) == 9,
		"the generator wrote %d files (%v), want kernels.go, two tables and two for each instruction set",
		len(written), err)
	for _, name := range written {
		want := check.Read(t, filepath.Join(dir, name))
		got := check.Read(t, name)
		check.That(t, string(got) == string(want),
			"%s is not what the generator writes: run go generate ./chrono/backend/simd/internal/kernel", name)
	}
}

// TestNEONWords checks the encodings that Go's assembler does not know: binutils must read every word as the text
// beside it says.
func TestNEONWords(t *testing.T) {
	objdump := need.Program(t, "aarch64-linux-gnu-objdump")
	source := check.Read(t, "neon_arm64.s")
	var code []byte
	var texts []string
	for _, line := range strings.Split(string(source), "\n") {
		word, text, ok := strings.Cut(strings.TrimPrefix(line, "\tWORD $"), " // ")
		if !strings.Contains(line, "WORD") {
			continue
		}
		value, err := strconv.ParseUint(word, 0, 32)
		check.Must(t, ok && err == nil, "%q: want WORD $number // text", line)
		code = binary.LittleEndian.AppendUint32(code, uint32(value))
		texts = append(texts, text)
	}
	file := filepath.Join(t.TempDir(), "words")
	check.OK(t, os.WriteFile(file, code, 0o666))
	out, err := exec.Command(objdump, "-D", "-z", "-b", "binary", "-m", "aarch64", file).Output()
	check.OK(t, err)
	// A line is "address:", the word, and the instruction, separated by tabs.
	lines := regexp.MustCompile(`(?m)^ *[0-9a-f]+:\t[0-9a-f]{8} *\t(.*)$`).FindAllStringSubmatch(string(out), -1)
	check.Must(t, len(lines) == len(texts) && len(texts) != 0, "%s read %d instructions of %d words", objdump,
		len(lines), len(texts))
	for i, line := range lines {
		if got := strings.Join(strings.Fields(line[1]), " "); got != texts[i] {
			t.Errorf("word %#08x is %q, and stands beside %q", binary.LittleEndian.Uint32(code[4*i:]), got, texts[i])
		}
	}
}
