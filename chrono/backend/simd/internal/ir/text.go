package ir

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
)

// A Text writes graphs, one line a node, such as
//
//	v7 f32[1,32,512] = dot v3 v5
//
// Values are numbered as they are met. A function inside an operation follows it, indented.
type Text struct {
	strings.Builder
	numbers map[*Node]int
	// Note and NoteEnd, if given, return what else is to be said of a node, and of what a function returns.
	Note    func(n *Node) []string
	NoteEnd func(fn *Function) []string
}

// String returns the text of a graph.
func (fn *Function) String() string {
	var t Text
	t.Function(fn, "")
	return t.String()
}

// Value is what a node is called.
func (t *Text) Value(n *Node) string {
	if t.numbers == nil {
		t.numbers = make(map[*Node]int)
	}
	if _, ok := t.numbers[n]; !ok {
		t.numbers[n] = len(t.numbers)
	}
	return fmt.Sprint("v", t.numbers[n])
}

// typed is a value with its type.
func (t *Text) typed(n *Node) string { return t.Value(n) + " " + TypeText(n.Shape) }

func join(nodes []*Node, name func(n *Node) string, separator string) string {
	return strings.Join(xslices.Map(nodes, name), separator)
}

// Function writes the nodes of a function.
func (t *Text) Function(fn *Function, indent string) {
	for _, n := range fn.Nodes {
		if n.Op == OpOutput {
			continue
		}
		results := []*Node{n}
		if len(n.Outs) > 0 {
			results = n.Outs
		}
		line := indent + join(results, t.typed, ", ") + " = " + OpText(n.Op)
		for _, i := range n.In {
			line += " " + t.Value(i)
		}
		fmt.Fprint(t, line, dataText(n), note(t.Note, n))
		for i, inner := range n.Inner {
			fmt.Fprintf(t, "%s  %s\n", indent, innerNames[n.Op][i])
			t.Function(inner, indent+"    ")
		}
	}
	fmt.Fprint(t, indent, "return ", join(fn.Outputs, t.Value, " "), note(t.NoteEnd, fn))
}

// innerNames are those of Node.Inner.
var innerNames = map[compute.OpType][]string{compute.OpTypeWhile: {"while", "do"}, compute.OpTypeIf: {"then", "else"},
	compute.OpTypeSort: {"before"}}

// note ends a line.
func note[T any](notes func(of T) []string, of T) string {
	if notes == nil {
		return "\n"
	}
	if list := notes(of); len(list) > 0 {
		return "  # " + strings.Join(list, "; ") + "\n"
	}
	return "\n"
}

// OpText is how an operation is called in a text.
func OpText(op compute.OpType) string {
	name := []rune(Name(op))
	name[0] = unicode.ToLower(name[0])
	return string(name)
}

// shortTypes makes the names of data types in texts of GoMLX's.
var shortTypes = strings.NewReplacer("BFloat", "bf", "Float", "f", "Uint", "u", "Int", "i", "Bool", "bool")

// TypeText is the type and dimensions of a value: f32[2,3].
func TypeText(s shapes.Shape) string {
	name := shortTypes.Replace(s.DType.String())
	if s.Rank() == 0 {
		return name
	}
	return name + strings.ReplaceAll(fmt.Sprint(s.Dimensions), " ", ",")
}

// dataText is what else defines an operation.
func dataText(n *Node) string {
	if n.Op == compute.OpTypeParameter {
		return ""
	}
	switch d := n.Data.(type) {
	case nil, *Function:
		return ""
	case *ConstantData:
		return " " + constantText(n, d.Bytes)
	case SliceData:
		var cuts []string
		for a, start := range d.Starts {
			cut := fmt.Sprintf("%d:%d", start, d.Limits[a])
			if d.Strides[a] != 1 {
				cut += fmt.Sprintf(":%d", d.Strides[a])
			}
			cuts = append(cuts, cut)
		}
		return fmt.Sprint(" ", cuts)
	case []compute.PadAxis:
		var pads []string
		for _, p := range d {
			pads = append(pads, fmt.Sprintf("%d:%d:%d", p.Start, p.End, p.Interior))
		}
		return fmt.Sprint(" ", pads)
	case SortData:
		return fmt.Sprintf(" axis %d stable %t", d.Axis, d.Stable)
	case DotData:
		return fmt.Sprintf(" contract %v %v batch %v %v", d.LhsContract, d.RhsContract, d.LhsBatch, d.RhsBatch)
	case int, []int:
		return fmt.Sprintf(" %v", d)
	default:
		return fmt.Sprintf(" %+v", d)
	}
}

// constantText is the one value of all elements, or the first few.
func constantText(n *Node, bytes []byte) string {
	size, count := n.Shape.DType.Size(), n.Shape.Size()
	if s := Splat(n); s != nil {
		count = 1
	} else if count == 0 {
		return "[]"
	}
	shown := min(count, 4)
	flat := dtypes.UnsafeAnySliceFromBytes(unsafe.Pointer(&slices.Clone(bytes[:shown*size])[0]), n.Shape.DType, shown)
	text := fmt.Sprint(flat)
	switch {
	case count == 1:
		return strings.Trim(text, "[]")
	case shown < count:
		return strings.TrimSuffix(text, "]") + " …]"
	}
	return text
}
