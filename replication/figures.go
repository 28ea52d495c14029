package replication

import (
	"fmt"
	"strings"
)

// Figures returns every figure that is trained, in the paper's order. (Figure 2 shows a task and needs no training.)
func Figures() []Figure { return []Figure{fig1, fig3, fig4, fig5} }

// FindFigure returns a figure by its name: "fig3", or "3".
func FindFigure(name string) (Figure, error) {
	var names []string
	for _, f := range Figures() {
		if name == f.Name || "fig"+name == f.Name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Figure{}, fmt.Errorf("unknown figure %q: choose from %s", name, strings.Join(names, ", "))
}
