package claim

import (
	"fmt"
	"testing"

	"github.com/warptime/warptime/internal/check"
)

// A number in prose must be one that the named claims state, or be rounded to.
func TestCheckProse(t *testing.T) {
	judgements := []Judgement{{
		Claim:   Claim{ID: "warp/a", Says: "In copy, T = 500, it is better."},
		Finding: Finding{Found: []string{"copy, T = 500, 30000 updates: chrono 74.8 [72.3, 77.7] %", "ratio 0.00123"}},
	}}
	const from = " <!-- from: warp/a -->"
	wrong := func(number, text string) []string {
		return []string{fmt.Sprintf("no claim states the number %s of %q", number, text+from)}
	}
	for text, want := range map[string][]string{
		"It has 12 %.":                                nil, // names no claim
		"Over 500 steps it has 75 %." + from:          nil,
		"It has 74.8, in 30,000\nupdates." + from:     nil,
		"It is 0.0012." + from:                        nil,
		"See [5](fig6.png) and `-trials 7`." + from:   nil,
		"It has 76 %." + from:                         wrong("76", "It has 76 %."),
		"It has 74 %." + from:                         wrong("74", "It has 74 %."),
		"It has 74.7 %." + from:                       wrong("74.7", "It has 74.7 %."),
		"- It has 76 %.\n- It has 75 %." + from:       nil, // another paragraph
		"It has 75 %. <!-- from: warp/a warp/b -->":   {"no claim warp/b"},
		"- One\n- It has 75,\n  not 9." + from + "\n": wrong("9", "It has 75, not 9."),
	} {
		check.Equal(t, CheckProse(text, judgements), want, "%q", text)
	}
}
