// Mutants changes the code in one place at a time, as .ci/mutants.txt says, and runs the tests that should notice:
//
//	go run .ci/mutants.go                 # all: about ten minutes on two cores
//	go run .ci/mutants.go chrono/scan     # those whose "file: text" matches a regular expression
//
// It prints which mutants were killed (a test failed) and which survived, and exits with 1 if one survived or could not
// be made: its text is not, or not only once, in its file, or does not compile any more. The compiler reads the changed
// file from elsewhere (go test -overlay), so the working tree stays as it is.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	check(err)
	check(os.Chdir(strings.TrimSpace(string(root))))
	chosen := regexp.MustCompile(strings.Join(os.Args[1:], "|"))
	data, err := os.ReadFile(".ci/mutants.txt")
	check(err)
	dir, err := os.MkdirTemp("", "mutants")
	check(err)
	defer os.RemoveAll(dir)

	count := map[string]int{}
	var tests []string
	var file, old string
	for line := range strings.Lines(string(data)) {
		kind, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "test":
			tests = strings.Fields(text)
		case "file":
			file = text
		case "-":
			old = text
		case "+":
			if chosen.MatchString(file + ": " + old) {
				result := mutate(dir, file, old, text, tests)
				count[result]++
				fmt.Printf("%-9s %s: %s  →  %s\n", result, file, old, text)
			}
		}
	}
	fmt.Println(count)
	if count["killed"] == 0 || len(count) > 1 {
		os.RemoveAll(dir)
		os.Exit(1)
	}
}

// mutate says what becomes of one mutant: killed, survived, missing or broken.
func mutate(dir, file, old, text string, tests []string) string {
	source, err := os.ReadFile(file)
	check(err)
	if strings.Count(string(source), old) != 1 {
		return "missing"
	}
	path, err := filepath.Abs(file)
	check(err)
	mutant, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	check(os.WriteFile(mutant, []byte(strings.Replace(string(source), old, text, 1)), 0o644))
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutant}})
	check(err)
	check(os.WriteFile(overlay, replace, 0o644))
	arguments := append([]string{"test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout=5m"}, tests...)
	out, err := exec.Command("go", arguments...).CombinedOutput()
	switch {
	case err == nil:
		return "survived"
	case strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]"):
		return "broken"
	}
	return "killed"
}

func check(err error) {
	if err != nil {
		log.Fatal("mutants: ", err)
	}
}
