package main

import (
	"fmt"
	"strings"
)

// Go's assembler knows few of NEON's instructions on floats: they are written as words, each beside its text as GNU's
// assembler has it. TestNEONWords compares both, by way of binutils' disassembler.

// neonInstruction is the encoding of an instruction, with zeros for registers, and how its operands are written:
// %[1]d is the destination, register fields are at bits 0, 5 and 16.
type neonInstruction struct {
	word     uint32
	operands string
}

const (
	neonUnary    = "v%[1]d.4s, v%[2]d.4s"
	neonBinary   = "v%[1]d.4s, v%[2]d.4s, v%[3]d.4s"
	neonBitwise  = "v%[1]d.16b, v%[2]d.16b, v%[3]d.16b"
	neonToScalar = "s%[1]d, v%[2]d.4s"
	neonPairs    = "v%[1]d.2d, v%[2]d.2d, v%[3]d.2d"
)

// The names are GNU's; where one has several forms, what follows the dot tells them apart.
var neonInstructions = map[string]neonInstruction{
	"fadd":  {0x4e20d400, neonBinary},
	"fsub":  {0x4ea0d400, neonBinary},
	"fmul":  {0x6e20dc00, neonBinary},
	"fdiv":  {0x6e20fc00, neonBinary},
	"fmla":  {0x4e20cc00, neonBinary}, // d + n·m
	"fmls":  {0x4ea0cc00, neonBinary}, // d − n·m
	"fmax":  {0x4e20f400, neonBinary}, // NaN if an operand is, and +0 > −0: Go's max
	"fmin":  {0x4e20f400 | 1<<23, neonBinary},
	"fcmeq": {0x4e20e400, neonBinary},
	"fcmge": {0x6e20e400, neonBinary},
	"fcmgt": {0x6ea0e400, neonBinary},
	"facgt": {0x6ea0ec00, neonBinary}, // |n| > |m|
	"faddp": {0x6e20d400, neonBinary},
	"add":   {0x4ea08400, neonBinary},
	"sub":   {0x6ea08400, neonBinary},

	"fmla.lane": {0x4f801000, "v%[1]d.4s, v%[2]d.4s, v%[3]d.s[0]"},

	"and": {0x4e201c00, neonBitwise},
	"orr": {0x4ea01c00, neonBitwise},
	"bit": {0x6ea01c00, neonBitwise}, // n where m is set, else d
	"bsl": {0x6e601c00, neonBitwise}, // n where d is set, else m

	"fabs":     {0x4ea0f800, neonUnary},
	"fneg":     {0x6ea0f800, neonUnary},
	"fsqrt":    {0x6ea1f800, neonUnary},
	"fcvtns":   {0x4e21a800, neonUnary},
	"scvtf":    {0x4e21d800, neonUnary},
	"neg":      {0x6ea0b800, neonUnary},
	"fcmlt":    {0x4ea0e800, neonUnary + ", #0.0"},
	"mvn":      {0x6e205800, "v%[1]d.16b, v%[2]d.16b"},
	"dup":      {0x4e040400, "v%[1]d.4s, v%[2]d.s[0]"},
	"xtn.4h":   {0x0e612800, "v%[1]d.4h, v%[2]d.4s"},
	"xtn.8b":   {0x0e212800, "v%[1]d.8b, v%[2]d.8h"},
	"uxtl.8b":  {0x2f08a400, "v%[1]d.8h, v%[2]d.8b"},
	"uxtl.4h":  {0x2f10a400, "v%[1]d.4s, v%[2]d.4h"},
	"fmaxv":    {0x6e30f800, neonToScalar},
	"fminv":    {0x6eb0f800, neonToScalar},
	"faddp.2s": {0x7e30d800, "s%[1]d, v%[2]d.2s"},
	"movi":     {0x4f000400, "v%[1]d.4s, #0x0"},

	// Shifts: the distance is encoded above the registers.
	"shl":     {0x4f005400, neonUnary + ", #%[3]d"},
	"sshr":    {0x4f000400, neonUnary + ", #%[3]d"},
	"ushr.8b": {0x2f000400, "v%[1]d.8b, v%[2]d.8b, #%[3]d"},

	"trn1":    {0x4e802800, neonBinary},
	"trn2":    {0x4e806800, neonBinary},
	"trn1.2d": {0x4ec02800, neonPairs},
	"trn2.2d": {0x4ec06800, neonPairs},
}

// neonWord returns a line for an instruction; n is the distance of a shift.
func neonWord(name string, n int, registers ...int) string {
	in, ok := neonInstructions[name]
	if !ok {
		panic("unknown NEON instruction " + name)
	}
	word, operands := in.word, []any{}
	for i, r := range registers {
		word |= uint32(r) << []int{0, 5, 16}[i]
		operands = append(operands, r)
	}
	switch name {
	case "shl":
		word |= uint32(32+n) << 16
		operands = append(operands, n)
	case "sshr":
		word |= uint32(64-n) << 16
		operands = append(operands, n)
	case "ushr.8b":
		word |= uint32(16-n) << 16
		operands = append(operands, n)
	}
	name, _, _ = strings.Cut(name, ".")
	return fmt.Sprintf("WORD $0x%08x // %s ", word, name) + fmt.Sprintf(in.operands, operands...)
}
