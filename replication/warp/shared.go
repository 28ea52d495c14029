package warp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// This file is what several figures share: names, the architectures of Figures 1 and 5, the LSTMs of Figures 3 and 4,
// and the thresholds of claims.

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

// The warping tasks of Figures 1 and 5 compare architectures. What the two figures share stands here.

// paperRate is the only learning rate that W names: in Section 3 for synthetic tasks, in Appendix A for text8.
const paperRate = 1e-3

// An architecture is a cell, and what depends on it.
type architecture struct {
	experiment.Arm
	cell    func(hidden int) cell.Cell
	rate    float64
	init    chrono.GateInit // nil: it has no gates
	gate    string          // that is looked at after training; "" if there is none
	weights cell.WeightInit // of the matrices
}

// halfOpen starts gates at 1/2.
var halfOpen = chrono.Standard{Forget: 0}

// fig1Init is how the matrices of Figures 1 and 5 begin.
var fig1Init = cell.Uniform{}

var (
	rnn = architecture{
		experiment.Arm{Name: "rnn", Label: "plain RNN"}, func(h int) cell.Cell { return cell.RNN{Hidden: h} },
		4e-3, nil, "", fig1Init,
	}
	leaky = architecture{
		experiment.Arm{Name: "leaky", Label: "leaky RNN"}, func(h int) cell.Cell { return cell.Leaky{Hidden: h} },
		8e-3, halfOpen, "leak", fig1Init,
	}
	gated = architecture{
		experiment.Arm{Name: "gated", Label: "gated RNN"}, func(h int) cell.Cell { return cell.Gated{Hidden: h} },
		8e-3, halfOpen, "gate", fig1Init,
	}
)

// A setup is how long and on how much the architectures train: W Section 3, "Pure warpings and paddings".
type setup struct {
	Length  int // steps of a sequence
	Hidden  int // H
	Batch   int // B, sequences in one
	Updates int
	Window  int
	Train   int // sequences of the training set, passed through again and again
	Valid   int // batches of 128 in the validation set
}

// paperBatch is W's batch in Figure 1, and the only one that it names for synthetic tasks. Evaluation takes more at
// once, which is faster and changes nothing.
const (
	paperBatch = 32
	validBatch = 128
)

// The set-ups of both figures; the reduced one is Figure 1's. The paper's is 3 passes through 50,000 sequences.
var (
	quickSetup   = setup{Length: 100, Hidden: 32, Batch: 16, Updates: 600, Window: 10, Train: 3_200, Valid: 1}
	reducedSetup = setup{
		Length: 250, Hidden: 64, Batch: paperBatch, Updates: 4_687, Window: 43, Train: 50_000, Valid: 2,
	}
	paperSetup = setup{
		Length: 500, Hidden: 64, Batch: paperBatch, Updates: 4_687, Window: 43, Train: 50_000, Valid: 8,
	}
)

// What is measured of a gate: the end of its name, see ofGate.
const (
	gateBias      record.Result = "_bias"
	gateAtChange  record.Result = "_at_change"
	gateElsewhere record.Result = "_elsewhere"
)

// models are the trials that train in one graph, and how the gates of each begin: one for each, or one for all.
type models struct {
	trials []record.Trial
	biases []chrono.GateInit
}

func alike(trials []record.Trial, init chrono.GateInit) models {
	return models{trials, slices.Repeat([]chrono.GateInit{init}, len(trials))}
}

func (m models) and(others models) models {
	return models{slices.Concat(m.trials, others.trials), slices.Concat(m.biases, others.biases)}
}

func (m models) between(from, to int) models { return models{m.trials[from:to], m.biases[from:to]} }

// in are the models whose trials train in a graph.
func (m models) in(g experiment.Graph) (some models) {
	for i, t := range m.trials {
		if g.From <= t.Number && t.Number < g.To {
			some = some.and(m.between(i, i+1))
		}
	}
	return some
}

// A leveled task knows the losses to compare with.
type leveled interface {
	task.Symbols
	Memoryless() float64 // of the best model without memory
	Best() float64       // of the best model
}

// on is a trial of an arm on a task, at an x or none.
func on(t leveled, arm string, x *float64) record.Trial {
	return record.Trial{
		Arm: arm, X: x, Memoryless: experiment.Number(t.Memoryless()), Best: experiment.Number(t.Best()),
	}
}

// experiment is the training of one cell on the tasks of its models, all alike but for the trials.
func (c setup) experiment(t architecture, m models, tasks []task.Symbols) experiment.Experiment {
	if m.biases[0] == nil {
		m.biases = nil // a cell without gates
	}
	valid := testOf(tasks, "valid", validBatch, c.Valid, experiment.Measure{Name: experiment.ValidLoss, Of: entropy})
	valid.Every = 100
	e := comparison{
		data:     trial.Sampled[task.Symbols]{Tasks: tasks, Split: "train", Batch: c.Batch, Sequences: c.Train},
		inputs:   experiment.OneHot{Symbols: task.WarpCharacters + 1},
		readOut:  experiment.ClassAtEachStep{Units: task.WarpCharacters + 1},
		loss:     trial.CrossEntropy{},
		weights:  t.weights,
		training: training{hidden: c.Hidden, updates: c.Updates, rate: t.rate},
	}.experiment(t.cell(c.Hidden), m)
	e.Schedule = trial.ReduceOnPlateau{Every: valid.Every, Series: string(experiment.ValidLoss)}
	e.Window, e.Tests = c.Window, []experiment.Test{valid}
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
	entropy = experiment.Mean{Of: trial.CrossEntropy{}}
	right   = experiment.Mean{Of: trial.Accuracy{}}
)

// ofGate names what is measured of the architecture's gate.
func (t architecture) ofGate(what record.Result) record.Result { return record.Result(t.gate) + what }

// gateMeasures are what a trained model's gate is asked: its biases, and its means where the input changes and
// elsewhere.
func (t architecture) gateMeasures() []experiment.Measure {
	if t.gate == "" {
		return nil
	}
	return []experiment.Measure{
		{Name: t.ofGate(gateBias), Of: experiment.GateBias{Gate: t.gate}},
		{Name: t.ofGate(gateAtChange), Of: experiment.GateAtChange{Gate: t.gate}},
		{Name: t.ofGate(gateElsewhere), Of: experiment.GateElsewhere{Gate: t.gate}},
	}
}

// All tasks but text train recurrent networks by RMSprop. What they share stands here.

// A comparison is how recurrent networks train that are compared on one task.
type comparison struct {
	data       experiment.Data
	inputs     experiment.Inputs
	readOut    experiment.ReadOut
	loss       trial.Loss
	memoryless float64 // loss of the best model without memory
	tmax       float64 // of the chrono initialization
	tests      []experiment.Test
	weights    cell.WeightInit // nil: orthogonal
	training
}

// training is how a network trains on a task over T steps: W Section 3, "Synthetic tasks".
type training struct {
	t       int // T
	hidden  int // H
	updates int
	rate    float64
	trials  int // of each arm; 0: 3
}

func (r training) over(t int) training {
	r.t = t
	return r
}

func (r training) of(updates int) training {
	r.updates = updates
	return r
}

// taskPanel declares a panel of a task: at each scale the runs with that training. %d in its title is T.
func taskPanel(p experiment.Panel, of func(training) comparison, at map[record.Scale]training,
	runs func(scale record.Scale, c comparison, seeds []uint64) []experiment.Run) experiment.Panel {
	title := p.Title
	for scale, r := range at {
		c := of(r)
		addSize(&p, scale, strings.Replace(title, "%d", fmt.Sprint(r.t), 1), experiment.Size{
			Trials: cmp.Or(r.trials, 3),
			Runs:   func(seeds []uint64) []experiment.Run { return runs(scale, c, seeds) },
		})
	}
	return p
}

// comparisonPanel declares a panel of Figure 3 or 4: one LSTM with forget biases of 1, and with those of W(16).
func comparisonPanel(name, title, axis string, of func(training) comparison,
	at map[record.Scale]training) experiment.Panel {
	p := experiment.Panel{Name: name, Title: title + ", T = %d", X: "updates", Y: axis, Arms: initializations}
	return taskPanel(p, of, at, func(scale record.Scale, c comparison, seeds []uint64) []experiment.Run {
		if scale == record.Paper && !slices.Contains(inOneRun, name) {
			return c.oneByOne(seeds, trainedLonger[name])
		}
		return c.together(seeds)
	})
}

// addSize adds a size to a panel. The panel's title is that of the paper's size.
func addSize(p *experiment.Panel, scale record.Scale, title string, size experiment.Size) {
	if size.Title = title; scale == record.Paper {
		p.Title, size.Title = title, ""
	}
	if p.Sizes == nil {
		p.Sizes = map[record.Scale]experiment.Size{}
	}
	p.Sizes[scale] = size
}

// inOneRun are the panels whose models share one record at the paper's size.
var inOneRun = []string{"copy500", "copy500" + normal, "adding200", "copy50"}

// trainedLonger are models of the paper's size, by panel, that train once more and for longer: the first run ended
// before they had learned. Otherwise the two runs are alike.
var trainedLonger = map[string]map[string]int{"adding750": {"standard-3": 120_000}}

var initializations = []experiment.Arm{
	{Name: "standard", Label: "standard initialization (forget bias 1)"},
	{Name: "chrono", Label: "chrono initialization"},
}

// together trains both initializations in one graph. Trial k of both has the same data and, but for the gates' biases,
// the same initial weights, whether they share a graph or not.
func (c comparison) together(seeds []uint64) []experiment.Run {
	return []experiment.Run{c.run("", c.begun(seeds, nil, standard, withChrono))}
}

// oneByOne trains each model in a run, where one takes hours; and again, in a second run, those with longer updates by
// the part of their first.
func (c comparison) oneByOne(seeds []uint64, longer map[string]int) (runs []experiment.Run) {
	both := c.begun(seeds, nil, standard, withChrono)
	for r, t := range both.trials {
		run := c.run(fmt.Sprintf("%s-%d", t.Arm, t.Number+1), both.between(r, r+1))
		runs = append(runs, run)
		if updates, ok := longer[run.Part]; ok {
			run.Part += "-long"
			run.Length.Updates = updates
			runs = append(runs, run)
		}
	}
	return runs
}

// begun are models on the task with those starts, at an x or none.
func (c comparison) begun(seeds []uint64, x *float64, starts ...start) models {
	return begun(record.Trial{
		X: x, Memoryless: experiment.Number(c.memoryless), Best: experiment.Number(0),
	}, seeds, c.tmax, starts...)
}

func (c comparison) run(part string, m models) experiment.Run {
	e := c.experiment(cell.LSTM{Hidden: c.hidden}, m)
	e.Tests = append([]experiment.Test{biasTest(c.data)}, c.tests...)
	return experiment.Run{Part: part, Experiment: e}
}

// experiment is the training of models with that cell, at a constant rate, without tests.
func (c comparison) experiment(of cell.Cell, m models) experiment.Experiment {
	return experiment.Experiment{
		Trials: m.trials,
		Network: experiment.Recurrent{
			Inputs: c.inputs, Cell: of, GateInit: m.biases,
			WeightInit:   cmp.Or(c.weights, cell.WeightInit(cell.Orthogonal{})),
			InitialState: cell.Zero{}, ReadOut: c.readOut,
		},
		Data:      c.data,
		Loss:      c.loss,
		Optimizer: trial.Optimizer{Method: trial.RMSprop{Alpha: 0.9, Epsilon: 1e-8}, Rates: []float64{c.rate}},
		Schedule:  trial.ConstantRate{},
		Length:    experiment.Length{Epochs: 1, Updates: c.updates},
		Window:    max(1, c.updates/100),
	}
}

// A start is an arm of networks that differ in how their gates begin.
type start struct {
	experiment.Arm
	init func(tmax float64) chrono.GateInit
}

func begin(name, label string, init func(tmax float64) chrono.GateInit) start {
	return start{experiment.Arm{Name: name, Label: label}, init}
}

func (s start) arm() experiment.Arm { return s.Arm }

func (t architecture) arm() experiment.Arm { return t.Arm }

var standard, withChrono = start{initializations[0], forgetOne}, start{initializations[1], chronoOver(1)}

func always(init chrono.GateInit) func(float64) chrono.GateInit {
	return func(float64) chrono.GateInit { return init }
}

func forgetOne(float64) chrono.GateInit { return chrono.Standard{Forget: 1} }

// chronoOver is chrono initialization with a part of Tmax.
func chronoOver(n float64) func(float64) chrono.GateInit {
	return func(tmax float64) chrono.GateInit { return chrono.Chrono{Tmax: tmax / n} }
}

// normalInputs draws the weights of inputs from N(0, deviation²), and orthogonal ones of all else.
func normalInputs(deviation float64) cell.WeightInit {
	return cell.NormalInputs{Deviation: deviation, Others: cell.Orthogonal{}}
}

func armsOf[S interface{ arm() experiment.Arm }](starts []S) (arms []experiment.Arm) {
	for _, s := range starts {
		arms = append(arms, s.arm())
	}
	return arms
}

// begun are models with those starts, trial k of each with the same seed.
func begun(like record.Trial, seeds []uint64, tmax float64, starts ...start) (m models) {
	for _, s := range starts {
		like.Arm = s.Name
		m = m.and(alike(experiment.Trials(like, seeds), s.init(tmax)))
	}
	return m
}

// ForgetBias are the forget gates' biases of all units after training.
const ForgetBias record.Result = "forget_bias"

// biasTest records the gates' biases after training, which depend on no data.
func biasTest(data experiment.Data) experiment.Test {
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

var standardArm, chronoArm = initializations[0].Name, initializations[1].Name

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

func lossesOf(figure, panel string, stat claim.Stat) (both []claim.Quantity) {
	for _, arm := range bothOf(figure, panel) {
		both = append(both, lossOf(arm, stat))
	}
	return both
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
func ending(from, to string, tasks ...string) (swaps []claim.Swap) {
	for _, t := range tasks {
		swaps = append(swaps, claim.Swap{From: claim.Arm{Panel: t + from}, To: claim.Arm{Panel: t + to}})
	}
	return swaps
}

// eachOver returns one number of what each trial has at all x.
func eachOver(all claim.Sample, number func(ofTrial claim.Sample) float64) (out claim.Sample) {
	for _, first := range all.At(all[0].X) {
		ofTrial := slices.DeleteFunc(slices.Clone(all), func(v claim.Value) bool { return v.Trial != first.Trial })
		out = append(out, claim.Value{Trial: first.Trial, X: claim.NoX, V: number(ofTrial)})
	}
	return out
}

// asDeclared is the main condition of Figures 3 and 4.
var asDeclared = claim.Condition{
	Name: "as declared",
	Why:  "the paper's words: RMSprop at 1e-3 with α = 0.9, no clipping, 128 units, its Tmax",
}
