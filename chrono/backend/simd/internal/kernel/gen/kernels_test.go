package main

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/mmcloughlin/avo/reg"
)

// TestHalfFilled checks that an entry of the table that lacks something is refused by name.
func TestHalfFilled(t *testing.T) {
	body := func(x []Register) Register { return x[0] }
	for lacks, k := range map[string]kernel{
		"an exported name":               {name: "half", in: "a", formula: "a", amd64: body},
		"a formula":                      {name: "Half", in: "a", amd64: body},
		"inputs":                         {name: "Half", formula: "a", amd64: body},
		"a body for any instruction set": {name: "Half", in: "a", formula: "a", portable: "a[i]"},
	} {
		func() {
			defer func() {
				got := fmt.Sprint(recover())
				if !strings.Contains(got, lacks) || !strings.Contains(got, k.name) {
					t.Errorf("a kernel without %s: %q", lacks, got)
				}
			}()
			k.check()
		}()
	}
}

// TestFallback checks that an instruction set without a body for a kernel gets plain Go's loop.
func TestFallback(t *testing.T) {
	none := func(kernel) bool { return false }
	got := table("neon", "NEON", 4, none)
	if !strings.Contains(got, "Add: addGo,") || strings.Contains(got, "addNEON") {
		t.Errorf("the table of an instruction set without kernels is\n%s", got)
	}
}
