package scripts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// oldNames are words that exported names had before, and the field's words for them.
var oldNames = map[string]string{
	`FirstState|FirstStates`:                "InitialState",
	`Free`:                                  "Learned",
	`JoinedOrthogonal|JoinedStart`:          "JointOrthogonal, JointWeightInit",
	`Within|Shaped|Summed`:                  "what it is: UniformWithin, SizedData, SumOverSteps",
	`Rule|Halving|Division`:                 "Schedule, ReduceOnPlateau, ExponentialDecay",
	`LastStep|AtEnd|EveryStep|Numbers`:      "what a read-out outputs: ScalarAtEnd, ClassAtEnd, ClassAtEachStep, AsIs",
	`Seen|Undecided`:                        "Reproduced, Inconclusive",
	`Contest|Contestant|Duel|Race|Regime`:   "comparison, arm, threshold time, size",
	`Course|Trainee|Exercise|Fan`:           "training set-up, trajectories",
	`Past|Worth|Alike|Held|Promise`:         "timings, cost, key, locked",
	`Safe|Gates|Plain|Pixels|Order|Warping`: "a figure of our own begins with Beyond",
}

// Exported names at the top of a package are the field's; the words that they had before do not come back.
func TestOldNamesStayAway(t *testing.T) {
	packages := map[string]bool{"warp": true, "contextual": true}
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range topLevel(file) {
			for words, instead := range oldNames {
				if strings.HasPrefix(words, "Safe|") && !packages[file.Name.Name] {
					continue // elsewhere these words are names as good as others
				}
				if name.IsExported() && regexp.MustCompile("^("+words+")$").MatchString(name.Name) {
					t.Errorf("%s: %s.%s: want %s", path, file.Name.Name, name.Name, instead)
				}
			}
		}
	}
}

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
