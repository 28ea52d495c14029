package warp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute/support/xslices"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// This file is what several figures share: names, networks, how those of Figures 1 and 5 and those of all other tasks
// train, and the thresholds of claims.

// paper is the first part of every identifier.
const paper = "warp"

// Where W describes its experiments.
const section3, appendixA = "Section 3", "Appendix A"

// carriedOn is a prediction of ours, which carries on what W says there.
func carriedOn(where, name, says string, rule claim.Rule) claim.Claim {
	return claim.Claim{Name: name, Ours: true, Where: where + ", carried on", Says: says, Rule: rule}
}

// tunedRates ends the names of the panels whose architectures train at the best of the rates that were tried at first.
const tunedRates = "-best"

// testAccuracy is measured after training.
const testAccuracy record.Result = "test_accuracy"

// paperRate is the only learning rate that W names: in Section 3 for synthetic tasks, in Appendix A for text8.
const paperRate = 1e-3

// A variant is the networks of an arm, and what sets them apart from those of others.
type variant struct {
	experiment.Arm
	init    func(tmax float64) chrono.GateInit            // of the gates; it returns nil for a cell without gates
	cell    func(hidden int) cell.Cell                    // nil: an LSTM; on text, another
	before  func(experiment.Recurrent) experiment.Network // puts layers before the cell; nil: none
	times   float64                                       // of the panel's learning rate; 0: 1
	weights cell.WeightInit                               // of the matrices; nil: the panel's
	gate    string                                        // that is looked at after training; empty: none
}

// begin is networks of the usual cell whose gates begin in some way.
func begin(name, label string, init func(tmax float64) chrono.GateInit) variant {
	return variant{Arm: experiment.Arm{Name: name, Label: label}, init: init}
}

// as is the variant under another name.
func (a variant) as(name, label string) variant {
	a.Arm = experiment.Arm{Name: name, Label: label}
	return a
}

// at is the variant at another learning rate, with other initial weights.
func (a variant) at(times float64, weights cell.WeightInit) variant {
	a.times, a.weights = times, weights
	return a
}

// of is the variant with another cell.
func (a variant) of(newCell func(hidden int) cell.Cell) variant {
	a.cell = newCell
	return a
}

func units[C interface {
	~struct{ Hidden int }
	cell.Cell
}](h int) cell.Cell {
	return C(struct{ Hidden int }{h})
}

func armsOf(all []variant) []experiment.Arm {
	return xslices.Map(all, func(a variant) experiment.Arm { return a.Arm })
}

func always(init chrono.GateInit) func(float64) chrono.GateInit {
	return func(float64) chrono.GateInit { return init }
}

// forgetBias is one forget bias for all units; 0 starts any gates at 1/2.
func forgetBias(b float64) func(float64) chrono.GateInit { return always(chrono.Standard{Forget: b}) }

// chronoOver is chrono initialization with a part of Tmax.
func chronoOver(n float64) func(float64) chrono.GateInit {
	return func(tmax float64) chrono.GateInit { return chrono.Chrono{Tmax: tmax / n} }
}

var (
	standard   = begin("standard", "standard initialization (forget bias 1)", forgetBias(1))
	withChrono = begin("chrono", "chrono initialization", chronoOver(1))

	initializations = armsOf([]variant{standard, withChrono})
)

// normalInputs draws the weights of inputs from N(0, deviation²), and orthogonal ones of all else.
func normalInputs(deviation float64) cell.WeightInit {
	return experiment.NormalInputs{Deviation: deviation, Others: cell.Orthogonal{}}
}

// The warping tasks of Figures 1 and 5 compare architectures. What the two figures share stands here.

// How the matrices of Figures 1 and 5 begin: by default, and with input weights from N(0, 1).
var (
	fig1Init   = cell.Uniform{}
	fig1Normal = experiment.NormalInputs{Deviation: 1, Others: fig1Init}
)

var (
	rnn = variant{
		Arm: experiment.Arm{Name: "rnn", Label: "plain RNN"}, init: always(nil), cell: units[cell.RNN], times: 4,
	}
	leaky = variant{
		Arm: experiment.Arm{Name: "leaky", Label: "leaky RNN"}, init: forgetBias(0), cell: units[cell.Leaky], times: 8,
		gate: "leak",
	}
	gated = variant{
		Arm: experiment.Arm{Name: "gated", Label: "gated RNN"}, init: forgetBias(0), cell: units[cell.Gated], times: 8,
		gate: "gate",
	}
)

// Architectures are a plain, a leaky and a gated one, and how they train in some panels of both figures.
type architectures struct {
	name, title string // what the names of these panels end in, and their titles
	arms        []variant
}

var (
	// Their rates are those of ratesTried at which ratesPanel's last validation losses have the lowest mean.
	normalArchitectures = architectures{
		normal, ", inputs N(0, 1)", []variant{rnn.at(4, fig1Normal), normalLeaky, gated.at(8, fig1Normal)},
	}
	normalLeaky = leaky.at(4, fig1Normal)

	tunedArchitectures = architectures{tunedRates, ", U(±1/√H)", []variant{rnn, leaky, gated}}
	slowArchitectures  = architectures{
		"", ", rate 1e-3", []variant{rnn.at(1, nil), leaky.at(1, nil), gated.at(1, nil)},
	}
)

// A setup is how long and on how much the architectures train: W Section 3, "Pure warpings and paddings".
type setup struct {
	training
	batch     int // B, sequences in one
	window    int
	sequences int // of the training set, passed through again and again
	valid     int // batches of 128 in the validation set
	tests     int // batches of 100 in the test set
}

// Sizes of batches: W's in Figure 1, and the only one that it names for synthetic tasks; in validation, where more at
// once is faster and changes nothing; and what divides the paper's 10,000 test sequences.
const (
	paperBatch = 32
	validBatch = 128
	testBatch  = 100
)

// setups are those of both figures; the reduced one is Figure 1's. The paper's is 3 passes through 50,000 sequences.
var setups = map[record.Scale]setup{
	record.Quick: {
		training: training{t: 100, hidden: 32, updates: 600, rate: paperRate, trials: 3},
		batch:    16, window: 10, sequences: 3_200, valid: 1, tests: 1,
	},
	record.Reduced: {
		training: training{t: 250, hidden: 64, updates: 4_687, rate: paperRate, trials: 3},
		batch:    paperBatch, window: 43, sequences: 50_000, valid: 2, tests: 10,
	},
	record.Paper: {
		training: training{t: 500, hidden: 64, updates: 4_687, rate: paperRate, trials: 5},
		batch:    paperBatch, window: 43, sequences: 50_000, valid: 8, tests: 100,
	},
}

// What is measured of a gate: the end of its name, see ofGate.
const (
	gateBias      record.Result = "_bias"
	gateAtChange  record.Result = "_at_change"
	gateElsewhere record.Result = "_elsewhere"
)

// models are the trials that train in one graph, and how the gates of each begin: one for each, or one for all. Their
// variants differ in nothing else, so the last one stands for all.
type models struct {
	variant
	trials []record.Trial
	biases []chrono.GateInit
}

// begun are models of some arms, trial k of each with the same seed.
func begun(like record.Trial, seeds []uint64, tmax float64, arms ...variant) (m models) {
	for _, a := range arms {
		like.Arm = a.Name
		biases := slices.Repeat([]chrono.GateInit{a.init(tmax)}, len(seeds))
		m = m.and(models{a, experiment.Trials(like, seeds), biases})
	}
	return m
}

func (m models) and(others models) models {
	return models{others.variant, slices.Concat(m.trials, others.trials), slices.Concat(m.biases, others.biases)}
}

func (m models) between(from, to int) models {
	return models{m.variant, m.trials[from:to], m.biases[from:to]}
}

// in are the models whose trials train in a graph.
func (m models) in(g experiment.Graph) (some models) {
	for i, t := range m.trials {
		if g.From <= t.Number && t.Number < g.To {
			some = some.and(m.between(i, i+1))
		}
	}
	return some
}

type symbolTask interface {
	task.Symbols
	experiment.Leveled
}

// experiment is the training of models on their tasks.
func (c setup) experiment(m models, tasks []task.Symbols) experiment.Experiment {
	valid := testOf(tasks, "valid", validBatch, c.valid, experiment.Measure{Name: experiment.ValidLoss, Of: entropy})
	valid.Every = 100
	all := onSymbols(tasks, c.batch, c.sequences, c.training)
	all.weights = fig1Init
	e := all.experiment(m)
	e.Schedule = experiment.ReduceOnPlateau{Every: valid.Every, Series: string(experiment.ValidLoss)}
	e.Window, e.Tests = c.window, []experiment.Test{valid}
	return e
}

func testOf(tasks []task.Symbols, split string, batch, batches int, measures ...experiment.Measure) experiment.Test {
	return experiment.Test{
		Data:    trial.Sampled[task.Symbols]{Tasks: tasks, Split: split, Batch: batch},
		Batches: batches, Measures: measures,
	}
}

// What most tests measure.
var (
	entropy = experiment.Mean{Of: experiment.CrossEntropy{}}
	right   = experiment.Mean{Of: experiment.Accuracy{}}
)

// ofGate names what is measured of the arm's gate.
func (a variant) ofGate(what record.Result) record.Result { return record.Result(a.gate) + what }

// gateMeasures are what a trained model's gate is asked: its biases, and its means where the input changes and
// elsewhere.
func (a variant) gateMeasures() []experiment.Measure {
	if a.gate == "" {
		return nil
	}
	return []experiment.Measure{
		{Name: a.ofGate(gateBias), Of: experiment.GateBias{Gate: a.gate}},
		{Name: a.ofGate(gateAtChange), Of: experiment.GateAtChange{Gate: a.gate}},
		{Name: a.ofGate(gateElsewhere), Of: experiment.GateElsewhere{Gate: a.gate}},
	}
}

// All tasks but text train recurrent networks by RMSprop. What they share stands here.

// A comparison is how recurrent networks train that are compared on one task.
type comparison struct {
	data    trial.Data
	inputs  experiment.Inputs
	readOut experiment.ReadOut
	loss    experiment.Loss
	task    experiment.Leveled
	tmax    float64 // of the chrono initialization
	tests   []experiment.Test
	weights cell.WeightInit // nil: orthogonal
	training
}

// onSymbols is a comparison on tasks of one alphabet.
func onSymbols(tasks []task.Symbols, batch, sequences int, r training) comparison {
	return comparison{
		data:    trial.Sampled[task.Symbols]{Tasks: tasks, Split: "train", Batch: batch, Sequences: sequences},
		inputs:  experiment.OneHot{Symbols: tasks[0].Alphabet()},
		readOut: experiment.ClassAtEachStep{Units: tasks[0].Classes()},
		loss:    experiment.CrossEntropy{}, training: r,
	}
}

// training is how a network trains on a task over T steps: W Section 3, "Synthetic tasks".
type training struct {
	t       int // T
	hidden  int // H
	updates int
	rate    float64
	trials  int // of each arm; 0: 3
}

// taskPanel declares a panel of a task: at each scale the runs with that training. %d in its title is T.
func taskPanel(p experiment.Panel, of func(training) comparison, at map[record.Scale]training,
	runs func(scale record.Scale, c comparison, seeds []uint64) []experiment.Run) experiment.Panel {
	return atScales(p, at, func(scale record.Scale, r training) experiment.Size {
		c := of(r)
		return experiment.Size{
			Title: strings.Replace(p.Title, "%d", fmt.Sprint(r.t), 1), Trials: cmp.Or(r.trials, 3),
			Runs: func(seeds []uint64) []experiment.Run { return runs(scale, c, seeds) },
		}
	})
}

// comparisonPanel declares a panel of Figure 3 or 4: one LSTM with forget biases of 1, and with those of W(16).
func comparisonPanel(name, title, axis string, of func(training) comparison,
	at map[record.Scale]training) experiment.Panel {
	p := experiment.Panel{Name: name, Title: title + ", T = %d", X: "updates", Y: axis, Arms: initializations}
	return taskPanel(p, of, at, func(scale record.Scale, c comparison, seeds []uint64) []experiment.Run {
		if scale != record.Paper {
			return c.runs(seeds, true, nil)
		}
		return c.runs(seeds, slices.Contains(inOneRun, name), trainedLonger[name])
	})
}

// scaled is a table of what differs between the three scales.
func scaled[T any](quick, reduced, paper T) map[record.Scale]T {
	return map[record.Scale]T{record.Quick: quick, record.Reduced: reduced, record.Paper: paper}
}

// changed is a table in which something is other at some scales.
func changed[T, U any](at map[record.Scale]T, by map[record.Scale]U, change func(of *T, by U)) map[record.Scale]T {
	at = maps.Clone(at)
	for scale, u := range by {
		of := at[scale]
		change(&of, u)
		at[scale] = of
	}
	return at
}

// atScales declares a panel from a table of what differs between scales. Where its sizes have titles, its own is that
// of the paper's size.
func atScales[T any](p experiment.Panel, at map[record.Scale]T,
	size func(scale record.Scale, of T) experiment.Size) experiment.Panel {
	p.Sizes = map[record.Scale]experiment.Size{}
	for scale, of := range at {
		p.Sizes[scale] = size(scale, of)
	}
	p.Title = p.TitleAt(record.Paper)
	return p
}

// inOneRun are the panels whose models share one record at the paper's size.
var inOneRun = []string{"copy500", "copy500" + normal, "adding200", "copy50"}

// trainedLonger are how many updates models of the paper's size have, by panel, that train once more and for longer:
// the first run ended before they had learned, or while they still improved. Otherwise the two runs are alike.
var trainedLonger = map[string]map[string]int{
	"adding750": {"standard-3": 120_000},
	"copy500" + normal: {
		"standard-1": 90_000, "standard-2": 90_000, "standard-3": 90_000,
		"chrono-1": 90_000, "chrono-2": 90_000, "chrono-3": 90_000,
	},
}

// runs trains each model in a run, where one takes hours, or all in one; and again, in a second run, those with longer
// updates by the part of their own. Trial k of both initializations has the same data and, but for the gates' biases,
// the same initial weights, whether they share a graph or not.
func (c comparison) runs(seeds []uint64, inOne bool, longer map[string]int) (runs []experiment.Run) {
	both := c.begun(seeds, nil, standard, withChrono)
	if inOne {
		runs = append(runs, c.run("", both))
	}
	for r, t := range both.trials {
		run := c.run(fmt.Sprintf("%s-%d", t.Arm, t.Number+1), both.between(r, r+1))
		if !inOne {
			runs = append(runs, run)
		}
		if updates, ok := longer[run.Part]; ok {
			run.Part += "-long"
			run.Length.Updates = updates
			runs = append(runs, run)
		}
	}
	return runs
}

// begun are models of some arms on the task, at an x or none.
func (c comparison) begun(seeds []uint64, x *float64, arms ...variant) models {
	return begun(experiment.On(c.task, "", x), seeds, c.tmax, arms...)
}

func (c comparison) run(part string, m models) experiment.Run {
	e := c.experiment(m)
	e.Tests = append([]experiment.Test{biasTest(c.data)}, c.tests...)
	return experiment.Run{Part: part, Experiment: e}
}

// experiment is the training of models at a constant rate, without tests.
func (c comparison) experiment(m models) experiment.Experiment {
	if m.cell == nil {
		m.cell = units[cell.LSTM]
	}
	if m.biases[0] == nil {
		m.biases = nil // a cell without gates
	}
	network := experiment.Recurrent{
		Inputs: c.inputs, Cell: m.cell(c.hidden), GateInit: m.biases,
		WeightInit:   cmp.Or(m.weights, c.weights, cell.WeightInit(cell.Orthogonal{})),
		InitialState: cell.Zero{}, ReadOut: c.readOut,
	}
	e := experiment.Experiment{
		Trials:  m.trials,
		Network: network,
		Data:    c.data,
		Loss:    c.loss,
		Optimizer: trial.Optimizer{
			Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}, Rates: []float64{c.rate * cmp.Or(m.times, 1)},
		},
		Schedule: experiment.ConstantRate{},
		Length:   experiment.Length{Epochs: 1, Updates: c.updates},
		Window:   max(1, c.updates/100),
	}
	if m.before != nil {
		e.Network = m.before(network)
	}
	return e
}

// ForgetBias are the forget gates' biases of all units after training.
const ForgetBias record.Result = "forget_bias"

// biasTest records the gates' biases after training, which depend on no data.
func biasTest(data trial.Data) experiment.Test {
	return experiment.Test{Data: data, Batches: 1, Measures: []experiment.Measure{
		{Name: "input_bias", Of: experiment.GateBias{Gate: "input"}},
		{Name: ForgetBias, Of: experiment.GateBias{Gate: "forget"}},
	}}
}

// Thresholds that the claims of several figures share. They are our choice: the paper gives none. Losses are shares of
// the memoryless loss, or of the excess loss.
var (
	visible   = claim.Threshold{Value: 0.05}         // a visible difference; an excess loss at which a task is solved
	far       = claim.Threshold{Value: 0.5}          // of another loss: far below it
	something = claim.Threshold{Value: 0.9, From: 1} // something is learned
	solved    = claim.Threshold{Value: 0.1}          // the task is learned
	twice     = claim.Threshold{Value: 2, From: 1}   // as many updates: a great difference
)

var standardArm, chronoArm = standard.Name, withChrono.Name

func lossOf(of claim.Arm, stat claim.Stat) claim.Series {
	return claim.Series{Of: of, Name: record.Train, Stat: stat, As: claim.OfMemoryless}
}

// bothOf are the arms of panels of Figures 3, 4, 6 and 7: of each, chrono and standard.
func bothOf(figure string, panels ...string) (arms []claim.Arm) {
	for _, panel := range panels {
		for _, name := range []string{chronoArm, standardArm} {
			arms = append(arms, claim.Arm{Figure: figure, Panel: panel, Name: name})
		}
	}
	return arms
}

func lossesOf(figure, panel string, stat claim.Stat) []claim.Quantity {
	return xslices.Map(bothOf(figure, panel), func(a claim.Arm) claim.Quantity { return lossOf(a, stat) })
}

func ofBoth(rule func(arm string) claim.Rule) claim.All {
	return claim.All{rule(chronoArm), rule(standardArm)}
}

// settled judges a rule where both arms have learned something, and a series of neither still improves by more.
func settled(learned func(arm string) claim.Rule, of func(arm string) claim.Series, by claim.Threshold,
	rule claim.Rule) claim.Rule {
	return claim.Given{
		If:   ofBoth(learned),
		Then: claim.Settled{Of: []claim.Series{of(chronoArm), of(standardArm)}, By: by, Rule: rule},
	}
}

// A timedPanel is one whose arms are compared by how long they take to get to a share of the memoryless loss.
type timedPanel struct {
	figure, name string
	level        claim.Threshold
}

// toLearn is after how many updates an arm has learned its task, at each x.
func (p timedPanel) toLearn(arm string) claim.Reaching {
	return claim.Reaching{
		Of: claim.Arm{Figure: p.figure, Panel: p.name, Name: arm}, Name: record.Train, As: claim.OfMemoryless,
		Level: p.level,
	}
}

// testExcess is an arm's test loss at each x: 0 for the best possible model, 1 for the best without memory.
func testExcess(of claim.Arm) claim.Result {
	return claim.Result{Of: of, Name: experiment.TestLoss, As: claim.Excess}
}

// ending puts the panels of some tasks whose names end otherwise in place of others.
func ending(from, to string, tasks ...string) []claim.Swap {
	return xslices.Map(tasks, func(t string) claim.Swap {
		return claim.Swap{From: claim.Arm{Panel: t + from}, To: claim.Arm{Panel: t + to}}
	})
}

// eachOver returns one number of what each trial has at all x.
func eachOver(all claim.Sample, number func(ofTrial claim.Sample) float64) (out claim.Sample) {
	for _, first := range all.At(all[0].X) {
		ofTrial := slices.DeleteFunc(slices.Clone(all), func(v claim.Value) bool { return v.Trial != first.Trial })
		out = append(out, claim.Value{Trial: first.Trial, X: claim.NoX, V: number(ofTrial)})
	}
	return out
}
