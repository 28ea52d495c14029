// Package check has what tests of all packages ask: each function fails the test unless something is as it should be.
package check

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// OK ends the test if there is an error. The rest, such as what a program said, is printed with it.
func OK(t testing.TB, err error, said ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append([]any{err}, said...)...)
	}
}

// Got is the value of a call that may also return an error, which ends the test: check.Got(os.ReadFile(path))(t).
func Got[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return value
	}
}

// That wants something to be so, and else says what is wrong, as fmt.Sprintf.
func That(t testing.TB, so bool, wrong string, args ...any) {
	t.Helper()
	if !so {
		t.Errorf(wrong, args...)
	}
}

// Must is That, and ends the test.
func Must(t testing.TB, so bool, wrong string, args ...any) {
	t.Helper()
	if !so {
		t.Fatalf(wrong, args...)
	}
}

// Equal compares two values, deeply. The rest says what they are, as for fmt.Sprintf.
func Equal[T any](t testing.TB, got, want T, what string, args ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", fmt.Sprintf(what, args...), got, want)
	}
}

// Near compares two lists of numbers, which may differ by rounding. NaN is near NaN.
func Near(t testing.TB, got, want []float64, within float64, what string, args ...any) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float64) bool {
		return a == b || math.Abs(a-b) <= within || math.IsNaN(a) && math.IsNaN(b)
	}) {
		t.Errorf("%s: got %v, want %v within %g", fmt.Sprintf(what, args...), got, want, within)
	}
}

// Close compares several lists of numbers, which may each be off by a part of the largest number of their list. NaN and
// infinities must be at the same places.
func Close[L ~[]float64](t testing.TB, got, want []L, part float64, what string, args ...any) {
	t.Helper()
	Must(t, len(got) == len(want), "%s: %d lists, want %d", fmt.Sprintf(what, args...), len(got), len(want))
	for i, list := range want {
		largest := 0.
		for _, w := range list {
			if !math.IsNaN(w) && !math.IsInf(w, 0) {
				largest = max(largest, math.Abs(w))
			}
		}
		Near(t, got[i], list, part*largest, what+", list %d", slices.Concat(args, []any{i})...)
	}
}

// Contains looks for parts of a text.
func Contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// Rejected wants a one-line error that has some words, in this order, which are separated by "…".
func Rejected(t testing.TB, what any, err error, words string) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v: error %v, want one of one line with %q", what, err, words)
		return
	}
	rest := err.Error()
	for word := range strings.SplitSeq(words, "…") {
		_, after, found := strings.Cut(rest, word)
		if !found {
			t.Errorf("%v: error %v, want one with %q", what, err, words)
			return
		}
		rest = after
	}
}

// Panics wants a function to panic with such an error: GoMLX waits for ever after another value, in a graph-building
// function.
func Panics(t testing.TB, what any, f func(), words string) {
	t.Helper()
	defer func() {
		t.Helper()
		err, _ := recover().(error)
		Rejected(t, what, err, words)
	}()
	f()
}

// Entries wants a number of files and directories in a directory, which need not be there if it is 0.
func Entries(t testing.TB, dir string, n int) {
	t.Helper()
	if entries, _ := os.ReadDir(dir); len(entries) != n {
		t.Errorf("in %s there are %v, want %d", dir, entries, n)
	}
}

// Read returns what is in a file.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	OK(t, err)
	return data
}

// Write writes a file, and makes its directory if it is missing.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
	OK(t, os.WriteFile(path, data, 0o666))
}
