// Package irtest makes graphs of the texts that package ir writes, for tests.
package irtest

import (
	"encoding/binary"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono/backend/simd/internal/element"
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
)

// Parse returns the graph of a text. It panics if that has a mistake.
func Parse(text string) *ir.Function {
	p := &parser{values: make(map[string]*ir.Node)}
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) != "" {
			p.lines = append(p.lines, strings.TrimRight(line, " "))
		}
	}
	return p.function(&ir.Graph{}, ir.Main, nil)
}

type parser struct {
	lines  []string
	values map[string]*ir.Node
}

func (p *parser) next() string {
	line := p.lines[0]
	p.lines = p.lines[1:]
	return strings.TrimSpace(line)
}

// function reads lines up to one that returns.
func (p *parser) function(g *ir.Graph, kind ir.Kind, parent *ir.Function) *ir.Function {
	fn := &ir.Function{Graph: g, Kind: kind, Parent: parent}
	for {
		line := p.next()
		if rest, ok := strings.CutPrefix(line, "return"); ok {
			for _, name := range strings.Fields(rest) {
				fn.Outputs = append(fn.Outputs, p.value(name))
			}
			return fn
		}
		results, operation, ok := strings.Cut(line, " = ")
		if !ok {
			panic("no operation in: " + line)
		}
		var names []string
		var shapesOf []shapes.Shape
		for _, r := range strings.Split(results, ", ") {
			name, of, _ := strings.Cut(r, " ")
			names, shapesOf = append(names, name), append(shapesOf, typeOf(of))
		}
		p.operation(fn, names, shapesOf, operation)
	}
}

func (p *parser) value(name string) *ir.Node {
	if p.values[name] == nil {
		panic("no value " + name)
	}
	return p.values[name]
}

func (p *parser) operation(fn *ir.Function, names []string, types []shapes.Shape, text string) {
	name, rest, _ := strings.Cut(text, " ")
	var in []*ir.Node
	for rest != "" {
		word, after, _ := strings.Cut(rest, " ")
		if p.values[word] == nil {
			break
		}
		in, rest = append(in, p.value(word)), after
	}
	if name == "while" {
		var inner []*ir.Function
		for range 2 {
			p.next()
			inner = append(inner, p.function(fn.Graph, ir.Loop, fn))
		}
		n := fn.Add(compute.OpTypeWhile, shapes.Invalid(), nil, in...)
		n.Inner = inner
		for i, s := range types {
			o := fn.Add(ir.OpOutput, s, i, n)
			n.Outs = append(n.Outs, o)
			p.values[names[i]] = o
		}
		return
	}
	op, ok := operations[name]
	if !ok {
		panic("no operation " + name)
	}
	n := fn.Add(op, types[0], data(op, types[0], rest), in...)
	if op == compute.OpTypeParameter {
		n.Data, fn.Params = len(fn.Params), append(fn.Params, n)
	}
	p.values[names[0]] = n
}

// operations are those of the names in texts.
var operations = make(map[string]compute.OpType)

func init() {
	for op := range element.End {
		if op != compute.OpTypeInvalid && (op < compute.OpTypeLast || ir.Name(op) != op.String()) {
			operations[ir.OpText(op)] = op
		}
	}
}

// types are those that graphs of tests have.
var types = map[string]dtypes.DType{"f32": dtypes.Float32, "f64": dtypes.Float64, "i32": dtypes.Int32,
	"bool": dtypes.Bool}

func typeOf(text string) shapes.Shape {
	name, dims, _ := strings.Cut(text, "[")
	d, ok := types[name]
	if !ok {
		panic("no type " + text)
	}
	return shapes.Make(d, numbers(strings.ReplaceAll(dims, ",", " "))...)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// numbers are those of a list such as [1 2], with or without its brackets.
func numbers(text string) []int { return xslices.Map(strings.Fields(strings.Trim(text, "[]")), number) }

var lists = regexp.MustCompile(`\[[^]]*\]`)

// data is what else defines an operation.
func data(op compute.OpType, s shapes.Shape, text string) any {
	words := strings.Fields(strings.Trim(text, "[]"))
	triple := func(word string, last int) [3]int {
		t := [3]int{0, 0, last}
		for i, w := range strings.Split(word, ":") {
			t[i] = number(w)
		}
		return t
	}
	switch op {
	case compute.OpTypeConstant:
		return &ir.ConstantData{Bytes: constant(s, words)}
	case compute.OpTypeSlice:
		var d ir.SliceData
		for _, w := range words {
			t := triple(w, 1)
			d.Starts, d.Limits, d.Strides = append(d.Starts, t[0]), append(d.Limits, t[1]), append(d.Strides, t[2])
		}
		return d
	case compute.OpTypePad:
		var d []compute.PadAxis
		for _, w := range words {
			t := triple(w, 0)
			d = append(d, compute.PadAxis{Start: t[0], End: t[1], Interior: t[2]})
		}
		return d
	case compute.OpTypeDotGeneral:
		l := xslices.Map(lists.FindAllString(text, -1), numbers)
		return ir.DotData{LhsContract: l[0], RhsContract: l[1], LhsBatch: l[2], RhsBatch: l[3]}
	case compute.OpTypeConcatenate:
		return number(text)
	}
	if text != "" {
		return numbers(text) // perhaps of none
	}
	return nil
}

// constant is the bytes of elements, float32 or int32; one word, if all are alike.
func constant(s shapes.Shape, words []string) (bytes []byte) {
	for i := range s.Size() {
		x, err := strconv.ParseFloat(words[min(i, len(words)-1)], 32)
		if err != nil {
			panic(err)
		}
		bits := math.Float32bits(float32(x))
		if s.DType == dtypes.Int32 {
			bits = uint32(int32(x))
		}
		bytes = binary.NativeEndian.AppendUint32(bytes, bits)
	}
	return bytes
}
