package show

import (
	"fmt"
	"strings"
)

// A Table is shown below the cell, its first column aligned to the left and the others to the right; make one with
// NewTable.
type Table struct{ text strings.Builder }

// NewTable returns a table without rows.
func NewTable(columns ...string) *Table {
	t := &Table{}
	fmt.Fprintf(&t.text, "| %s |\n|:--|%s\n", strings.Join(columns, " | "), strings.Repeat("--:|", len(columns)-1))
	return t
}

// Row adds a row: its name, and a number for each further column, written by the format.
func (t *Table) Row(name, format string, numbers ...any) {
	fmt.Fprintf(&t.text, "| %s |", name)
	for _, n := range numbers {
		fmt.Fprintf(&t.text, " "+format+" |", n)
	}
	t.text.WriteString("\n")
}

// Display shows it.
func (t *Table) Display() { Markdown(t.text.String()) }
