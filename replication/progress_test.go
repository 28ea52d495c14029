package replication

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, false)
	p.every = 0 // every step
	run := &Run{Figure: "fig3", Panel: "copy500", Scale: "quick", Settings: Settings{Steps: 10},
		Models: []Model{{Arm: "standard"}, {Arm: "standard"}, {Arm: "chrono"}, {Arm: "chrono"}}}
	p.Observe(Status{Run: run, Step: 8, First: 8})
	time.Sleep(time.Millisecond) // so that there is a rate
	p.Observe(Status{Run: run, Step: 9, First: 8, Losses: []float64{1, 2, 0.25, 0.5}})
	p.Observe(Status{Run: run, Step: 10, First: 8, Losses: []float64{0, 1, 0, 0.5}})
	p.Observe(Status{Run: run, Step: 10, First: 8, Done: true})
	for _, want := range []string{
		"fig3 copy500 quick: 4 models, 10 steps, from step 8\n",
		"fig3 copy500 quick: step 9/10, standard 1.5000 chrono 0.3750, ", " steps/s, ", " left\n",
		"fig3 copy500 quick: step 10/10, standard 0.5000 chrono 0.2500, ", "0s left\n",
		"fig3 copy500 quick: done in ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestProgressBar(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, true)
	p.every = 0
	run := &Run{Figure: "fig4", Panel: "adding200", Scale: "quick", Settings: Settings{Steps: 3}, Models: []Model{{Arm: "chrono"}}}
	p.Observe(Status{Run: run})
	for step := 1; step <= 3; step++ {
		p.Observe(Status{Run: run, Step: step, Losses: []float64{0.5}})
	}
	p.Observe(Status{Run: run, Step: 3, Done: true})
	for _, want := range []string{"fig4 adding200 quick", "chrono 0.5000", "(3/3", "steps/s", "100%"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}
