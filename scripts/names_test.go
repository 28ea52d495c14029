package scripts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// oldNames are words that exported names had before, and the field's words for them. Where a package is named, the
// words are old in it alone.
var oldNames = []struct{ packages, words, instead string }{
	{"", "FirstState|FirstStates", "InitialState"},
	{"cell", "Free|Start|Within", "Learned, WeightInit, UniformWithin"},
	{"", "JoinedOrthogonal|JoinedStart", "JointOrthogonal, JointWeightInit"},
	{"trial", "Rule|Halving|Division", "Schedule, ReduceOnPlateau, ExponentialDecay"},
	{"trial", "Shaped|Summed", "SizedData, SumOverSteps"},
	{"experiment", "LastStep|AtEnd|EveryStep|Numbers", "ScalarAtEnd, ClassAtEnd, ClassAtEachStep, AsIs"},
	{"", "Seen|Undecided", "Reproduced, Inconclusive"},
	{"", "Contest|Contestant|Duel|Race|Regime", "comparison, arm, threshold time, size"},
	{"", "Course|Trainee|Exercise|Fan", "training set-up, trajectories"},
	{"", "Past|Worth|Alike|Held|Promise", "timings, cost, key, locked"},
	{"warp|contextual", "Safe|Gates|Plain|Pixels|Order|Warping", "a figure of our own begins with Beyond"},
}

// Exported names at the top of a package are the field's; the words that they had before do not come back.
func TestOldNamesStayAway(t *testing.T) {
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		check.OK(t, err)
		for _, name := range topLevel(file) {
			for _, old := range oldNames {
				if is(old.words, name.Name) && (old.packages == "" || is(old.packages, file.Name.Name)) {
					t.Errorf("%s: %s.%s: want %s", path, file.Name.Name, name.Name, old.instead)
				}
			}
		}
	}
}

// is tells whether a word is one of several, separated by bars.
func is(words, word string) bool { return slices.Contains(strings.Split(words, "|"), word) }

// topLevel returns the names that a file declares outside of functions, methods among them.
func topLevel(file *ast.File) []*ast.Ident {
	var names []*ast.Ident
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name)
				case *ast.ValueSpec:
					names = append(names, s.Names...)
				}
			}
		}
	}
	return names
}
