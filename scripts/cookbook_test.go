package scripts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// The cookbook in chrono/README.md names examples that are there, that go test runs, and that are short.
func TestCookbook(t *testing.T) {
	readme := check.Read(t, "../chrono/README.md")
	_, table, _ := strings.Cut(string(readme), "<!-- cookbook: begin -->")
	table, _, ended := strings.Cut(table, "<!-- cookbook: end -->")
	entries := regexp.MustCompile("\\[`(Example\\w*)`\\]\\(([^)]+)\\)").FindAllStringSubmatch(table, -1)
	if !ended || len(entries) < 15 {
		t.Fatalf("the cookbook has %d examples", len(entries))
	}
	for _, entry := range entries {
		name, path := entry[1], filepath.Join("../chrono", entry[2])
		source, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, parser.ParseComments)
		check.OK(t, err)
		at := slices.IndexFunc(file.Decls, func(d ast.Decl) bool {
			function, ok := d.(*ast.FuncDecl)
			return ok && function.Name.Name == name
		})
		if at < 0 {
			t.Errorf("%s has no %s", entry[2], name)
			continue
		}
		body := file.Decls[at].(*ast.FuncDecl).Body
		text := string(source[files.Position(body.Lbrace).Offset:files.Position(body.Rbrace).Offset])
		if !strings.Contains(text, "// Output:") {
			t.Errorf("%s has no output to compare, so that go test does not run it", name)
		}
		text, _, _ = strings.Cut(text, "// Output:")
		text = strings.ReplaceAll(text, "\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}", "")
		if lines := strings.Count(strings.TrimSpace(text), "\n") + 1; lines > 60 {
			t.Errorf("%s has %d lines, want at most 60", name, lines)
		}
	}
}
