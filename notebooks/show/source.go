package show

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source displays declarations of a file of this repository, as the file has them: the lines that compute an equation,
// below the equation. A method is named with its receiver, "Gated.Step".
func Source(file string, names ...string) {
	const repository = "https://github.com/warptime/warptime/blob/main/"
	data := Must(os.ReadFile(filepath.Join(root(Must(os.Getwd())), file)))
	files := token.NewFileSet()
	parsed := Must(parser.ParseFile(files, "", data, parser.SkipObjectResolution))
	var listed []string
	for _, name := range names {
		i := slices.IndexFunc(parsed.Decls, func(d ast.Decl) bool { return slices.Contains(declared(d), name) })
		Assert(i >= 0, "%s declares no %s", file, name)
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
	Markdown(fmt.Sprintf("[%[1]s](%[2]s%[1]s)\n\n```go\n%[3]s\n```\n", file, repository, code))
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
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		receiver, _, _ := strings.Cut(types.ExprString(d.Recv.List[0].Type), "[")
		return []string{strings.TrimPrefix(receiver, "*") + "." + d.Name.Name}
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
