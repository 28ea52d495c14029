package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/internal/check"
)

func TestBadInputIsOneLine(t *testing.T) {
	for _, c := range []struct{ arguments, want string }{
		{"-only lstm", `unknown name "lstm": choose from lstm128,`},
		{"-contenders simd,tensorflow", `unknown name "tensorflow": choose from pytorch,`},
		{"-rounds 0", "0 rounds"},
		{"-seconds 0", "0 seconds"},
		{"-seconds NaN", "NaN seconds"},
		{"-seconds Inf", "+Inf seconds"},
		{"-seconds 1e300", "1e+300 seconds"},
		{"-rounds 1000000000", "1000000000 rounds: want 1 to 1000"},
		{"lstm128", `unexpected argument "lstm128"`},
	} {
		var out bytes.Buffer
		err := bench(context.Background(), strings.Fields(c.arguments), &out, &out)
		check.Rejected(t, c.arguments, err, c.want)
	}
}

// By default everything is timed but GoMLX's own engine, which takes the longest.
func TestChoose(t *testing.T) {
	for names, want := range map[string]string{
		"":             "pytorch, torch.compile, jax, xla:cpu, simd",
		"simd, go,jax": "jax, go, simd",
	} {
		chosen, err := choose(contenders, names)
		if got := list(chosen); err != nil || got != want {
			t.Errorf("%q chooses %s, %v, want %s", names, got, err, want)
		}
	}

	// What is left out says so itself: another name that begins like it does not lose its beginning.
	all := []contender{{name: "go", named: true}, {name: "simd"}, {name: "gonum"}}
	if chosen, err := choose(all, ""); err != nil || list(chosen) != "simd, gonum" {
		t.Errorf("by default %s, %v, want simd, gonum", list(chosen), err)
	}
}

func TestTimeHere(t *testing.T) {
	w := workload{"tiny", "tiny", cell.LSTM{Hidden: 4}, "lstm", 4, 4, 3, 5, 2, nil, false}
	var out bytes.Buffer
	check.OK(t, timeHere(t.Context(), w, "go", 0.001, &out))
	var got timing
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || !(got.MS > 0) || !(got.First > 0) {
		t.Errorf("%q gives %+v, %v, want positive times", out.String(), got, err)
	}
}

func TestFastest(t *testing.T) {
	ways := []way{{name: "slow", times: []float64{9, 1, 8}}, {name: "fast", times: []float64{5, 3, 4}}, {name: "failed"}}
	ms, how := fastest(ways)
	check.Equal(t, milliseconds(ms, how), "4.0 (fast)", "the fastest")
	ms, how = fastest(ways[2:])
	check.Equal(t, milliseconds(ms, how), "–", "the fastest where nothing was timed")
}
