package worlds

import (
	"fmt"
	"math"
	"strings"

	"github.com/warptime/warptime/replication/warp"
)

func init() {
	warpFigures[warp.Fig1.Name] = figure{warpFig1, memoryless, fig1Early, fig1Reverse}
	warpFigures[warp.BeyondGates.Name] = figure{gatesPaper, memoryless, lstmEarly, gatesReverse}
	warpFigures[warp.BeyondPlain.Name] = figure{plainPaper, memoryless, memoryless, memoryless}
}

func warpFig1(q Question) float64 {
	switch {
	case q.Name == "leak_bias":
		return q.jitter() * (2 + q.Sweep)
	case q.Name == "gate_at_change":
		return q.jitter() * 0.9
	case q.Name == "gate_elsewhere":
		return q.jitter() * 0.9 / (1 + q.Sweep/2)
	case q.Sweep > 1 && q.Is("rnn"), q.Sweep > 1 && q.Is("leaky") && strings.HasPrefix(q.Panel, "variable"):
		return q.jitter() * 0.6
	}
	return q.jitter() * 0.01
}

func fig1Early(q Question) float64 {
	if strings.HasSuffix(q.Name, "_loss") {
		return 0.2 + 0.01*float64(q.Number)
	}
	return warpFig1(q)
}

func fig1Reverse(q Question) float64 {
	uniform := strings.HasPrefix(q.Panel, "uniform")
	switch {
	case q.Name == "leak_bias":
		return q.jitter() * (2 + 100/q.Sweep)
	case strings.HasPrefix(q.Name, "gate_"):
		return q.jitter() * 0.5
	case q.Is("rnn") && q.Sweep == 1 && strings.HasPrefix(q.Panel, "uniform-warp"),
		q.Is("gated") && q.Sweep == q.Longest:
		return q.jitter() * 0.6
	case q.Is("leaky") && q.Sweep == q.Longest && uniform:
		return q.jitter() * 0.3
	}
	return q.jitter() * 0.01
}

// plainPaper: the higher the rate, the longer the warpings that plain RNNs learn; leaky ones are those of Figure 1.
func plainPaper(q Question) float64 {
	switch {
	case strings.HasPrefix(q.Panel, "leaky-pad"):
		return q.jitter() * 0.01
	case strings.HasPrefix(q.Panel, "leaky-warp"):
		return q.jitter() * pick(q.Sweep > 1, 0.6, 0.01)
	}
	upTo := map[string]float64{"rate-1": 15, "rate-4": 30, "rate-16": 60}[q.Arm]
	return q.jitter() / (1 + math.Exp((max(upTo, 8)-q.Sweep)/2))
}

// gatesPaper: the larger the gates' network, the better; one gate is far behind.
func gatesPaper(q Question) float64 {
	switch n := GateUnits(q); {
	case n > 0:
		return q.jitter() * 0.4 / n
	case q.Is("one-gate"):
		return q.jitter() * 0.6
	}
	return q.jitter() * 0.01
}

// gatesReverse: the smaller the better, and one gate best of all.
func gatesReverse(q Question) float64 {
	if n := GateUnits(q); n > 0 {
		return q.jitter() * 0.01 * n
	}
	return q.jitter() * pick(q.Is("one-gate"), 0.01, 0.6)
}

// GateUnits is the size of the network that computes an arm's gates; 0 if there is none.
func GateUnits(q Question) (units float64) {
	fmt.Sscanf(q.Arm, "network-%g", &units)
	return units
}
