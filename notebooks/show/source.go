package show

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source displays declarations of a file of this repository, as the file has them: the lines that compute an equation,
// below the equation. A method is named with its receiver, "Gated.Step".
func Source(file string, names ...string) {
	Markdown(Must(Listing(root(Must(os.Getwd())), file, names...)))
}

// Listing is what Source displays: Markdown with a link to the file and its code. It is an error if the file below root
// lacks one of the declarations.
func Listing(root, file string, names ...string) (string, error) {
	const repository = "https://github.com/warptime/warptime/blob/main/"
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return "", err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", data, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var listed []string
	for _, name := range names {
		i := slices.IndexFunc(parsed.Decls, func(d ast.Decl) bool { return slices.Contains(declared(d), name) })
		if i < 0 {
			return "", fmt.Errorf("%s declares no %s", file, name)
		}
		from, to := files.Position(parsed.Decls[i].Pos()).Offset, files.Position(parsed.Decls[i].End()).Offset
		if end := strings.IndexByte(string(data[to:]), '\n'); end > 0 {
			to += end // a comment behind the declaration
		}
		var lines []string
		for line := range strings.SplitSeq(strings.ReplaceAll(string(data[from:to]), "\t", "    "), "\n") {
			lines = append(lines, folded(line)...)
		}
		listed = append(listed, strings.Join(lines, "\n"))
	}
	code := strings.Join(listed, "\n\n")
	return fmt.Sprintf("[%[1]s](%[2]s%[1]s)\n\n```go\n%[3]s\n```\n", file, repository, code), nil
}

// columns is how many characters of a line of code a page of the book can show.
const columns = 86

// folded breaks a line that is too long before its comment, or else behind a comma or a plus.
func folded(line string) []string {
	runes := []rune(line)
	if len(runes) <= columns {
		return []string{line}
	}
	indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " ")))
	if code, comment, found := strings.Cut(line, " // "); found && strings.TrimSpace(code) != "" {
		return append(folded(strings.TrimRight(code, " ")), indent+"    // "+comment)
	}
	room := string(runes[:columns+1])
	at := max(strings.LastIndex(room, ", "), strings.LastIndex(room, " + ")+1) + 1
	if at <= len(indent)+1 {
		return []string{line}
	}
	return append([]string{line[:at]}, folded(indent+"    "+line[at+1:])...)
}

// declared are the names of a declaration.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			receiver := d.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			if generic, ok := receiver.(*ast.IndexExpr); ok {
				receiver = generic.X
			}
			name = receiver.(*ast.Ident).Name + "." + name
		}
		return []string{name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}
