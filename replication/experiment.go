package replication

import (
	"fmt"
	"math"
	"slices"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/task"
)

// A Figure is one of the papers' figures, declared as data: everything that its file fig….go does not say is the same for all figures,
// and stands in [Settings.defaults] and [Runner].
type Figure struct {
	Name   string // "fig3"
	Title  string
	Panels []Panel
	Open   []Choice // what the paper leaves open
}

// A Choice is one thing that a paper leaves open, what we do, and why.
type Choice struct{ Open, Chosen, Why string }

// A Panel is one set of axes: some arms trained on one task.
type Panel struct {
	Name  string // "copy500": the paper's sizes, whatever the scale
	Title string
	Arms  []Arm

	// Task is what a model trains on; x is its value of Settings.Sweep, 0 if nothing is swept.
	Task func(s Settings, x float64) task.Task
	// Memoryless is the loss of the best model without memory on that task, averaged as the training loss is.
	Memoryless func(s Settings, x float64) float64
	// Best is the loss of the best model there can be, averaged likewise; nil for the panels that do not need it.
	Best func(s Settings, x float64) float64
	// Tests are done with the trained models; nil for the panels whose result is the training curve.
	Tests func(s Settings, x float64) []Test

	Final  string              // the name in the record of the training loss over the last window, "loss" or "mse"
	Scales map[string]Settings // by name of the scale; see [Scales]
}

// An Arm is one of the things that a panel compares.
type Arm struct {
	Name string  // "chrono"
	Cell string  // architecture: see newCell
	Rate float64 // learning rate, if not the panel's

	// Gates draws the initial biases of the gates; nil for a cell that has none.
	Gates func(s Settings) (chrono.Init, error)
}

// A Test is a measurement on fresh sequences after training. Loss and Accuracy are its names in the record; an empty one is left out.
type Test struct {
	Task           task.Task
	Split          string // names the sequences
	Loss, Accuracy string
}

// Settings are the numbers of a panel at one scale. A zero means the default given here.
type Settings struct {
	T      int // the task's T in steps of time, or the length of its sequences
	Hidden int // H
	Batch  int // B, sequences per step of training and trial
	Steps  int // of training
	Trials int // independently seeded models of each arm and swept value
	Window int // steps of training between two points of the curve; each point is the mean loss over them. 100 points by default

	Rate    float64 // RMSprop's learning rate; 1e-3 by default
	Alpha   float64 // RMSprop's moving average; 0.9 by default
	Epsilon float64 // RMSprop's ε; 1e-8 by default

	Tmax float64 // of the chrono initialization; 0 where there is none

	Sequences int // size of the training set, passed through again and again; 0: every sequence is new
	// HalveAfter is the number of steps after which a trial's learning rate is halved if its loss on the validation set has not
	// decreased; 0: never.
	HalveAfter int
	Valid      int // sequences of the validation set, a multiple of Batch
	Test       int // sequences of each test set, a multiple of Batch

	Sweep     []float64 // values of x, the panel's horizontal axis; nil if that is the time of training
	TrainWarp float64   // longest warp in the training set (Figure 5)
	TestWarps []float64 // longest warps of the test sets (Figure 5)
}

// The papers' settings, where a declaration says nothing else: W Section 3, "Synthetic tasks".
func (s Settings) defaults() Settings {
	if s.Rate == 0 {
		s.Rate = 1e-3
	}
	if s.Alpha == 0 {
		s.Alpha = 0.9
	}
	if s.Epsilon == 0 {
		s.Epsilon = 1e-8 // open in both papers; PyTorch's and Lasagne's defaults are 1e-8 and 1e-6
	}
	if s.Window == 0 {
		s.Window = max(1, s.Steps/100)
	}
	return s
}

// Bounds on typing mistakes, a hundred times what the papers use.
const (
	maxSteps  = 100_000_000
	maxTrials = 999 // a trial's number is part of its seed
	maxHidden = 1 << 17
	maxSeed   = 1 << 40
)

func (s Settings) validate() error {
	for _, c := range []struct {
		name             string
		value, low, high int
	}{
		{"hidden units", s.Hidden, 1, maxHidden},
		{"sequences in a batch", s.Batch, 1, task.MaxSteps},
		{"training steps", s.Steps, 1, maxSteps},
		{"trials", s.Trials, 1, maxTrials},
		{"steps between points", s.Window, 1, s.Steps},
	} {
		if c.value < c.low || c.value > c.high {
			return fmt.Errorf("%d %s, want %d to %d", c.value, c.name, c.low, c.high)
		}
	}
	if !(s.Rate > 0 && s.Rate < math.Inf(1) && s.Alpha >= 0 && s.Alpha < 1 && s.Epsilon > 0) {
		return fmt.Errorf("RMSprop with rate %g, α %g, ε %g: want rate > 0, 0 ≤ α < 1, ε > 0", s.Rate, s.Alpha, s.Epsilon)
	}
	if s.Valid%s.Batch != 0 || s.Test%s.Batch != 0 {
		return fmt.Errorf("sets of %d and %d sequences are no multiples of the batch, %d", s.Valid, s.Test, s.Batch)
	}
	if s.HalveAfter > 0 && s.Valid == 0 {
		return fmt.Errorf("a learning rate that follows the validation loss needs a validation set")
	}
	return nil
}

// Options are what a user may change about a declared experiment.
type Options struct {
	Scale  string // one of Scales
	Trials int    // 0: as declared
	Seed   uint64 // the trials' seeds are 1000·Seed, 1000·Seed+1, …; 1 where a record is to be compared with ours
}

// A Run is a training of R models side by side: a panel, or the part of it that has one architecture.
type Run struct {
	Figure, Panel, Scale, Part, Title string

	Settings Settings
	Models   []Model // R

	cell       string
	final      string
	tasks      []task.Task   // [R]
	tests      [][]Test      // [tests][R]
	inits      []chrono.Init // [R]
	rates      []float64     // [R]
	memoryless []float64     // [R]
	best       []float64     // [R], if the panel knows it
}

// Runs returns what has to be trained for a figure at a scale. An error is one line that says what is wrong with the options.
func (f Figure) Runs(o Options) ([]Run, error) {
	if !slices.Contains(Scales, o.Scale) {
		return nil, fmt.Errorf("unknown scale %q: choose one of %q", o.Scale, Scales)
	}
	if o.Trials < 0 || o.Trials > maxTrials {
		return nil, fmt.Errorf("%d trials: want 1 to %d", o.Trials, maxTrials)
	}
	if o.Seed > maxSeed {
		return nil, fmt.Errorf("seed %d: want 0 to %d", o.Seed, uint64(maxSeed))
	}
	var runs []Run
	for _, panel := range f.Panels {
		settings, ok := panel.Scales[o.Scale]
		if !ok {
			return nil, fmt.Errorf("%s %s is not declared at scale %s", f.Name, panel.Name, o.Scale)
		}
		if o.Trials > 0 {
			settings.Trials = o.Trials
		}
		settings = settings.defaults()
		cells := panel.cells()
		for _, cell := range cells {
			run := Run{Figure: f.Name, Panel: panel.Name, Scale: o.Scale, Title: panel.Title, Settings: settings, cell: cell, final: panel.Final}
			if len(cells) > 1 {
				run.Part = cell
			}
			if err := run.fill(panel, o.Seed); err != nil {
				return nil, fmt.Errorf("%s %s at scale %s: %w", f.Name, panel.Name, o.Scale, err)
			}
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// cells returns the architectures of a panel's arms, each once.
func (p Panel) cells() []string {
	var cells []string
	for _, arm := range p.Arms {
		if !slices.Contains(cells, arm.Cell) {
			cells = append(cells, arm.Cell)
		}
	}
	return cells
}

// fill lists the models: arms × swept values × trials.
//
// Trial k has the same seed in every arm and at every swept value: its arms see the same sequences.
// Their other weights are drawn independently where one arm draws its gates' biases and the other does not, since a cell takes
// both from one stream.
func (r *Run) fill(p Panel, seed uint64) error {
	s := r.Settings
	if err := s.validate(); err != nil {
		return err
	}
	sweep := s.Sweep
	if sweep == nil {
		sweep = []float64{0}
	}
	for _, arm := range p.Arms {
		if arm.Cell != r.cell {
			continue
		}
		var init chrono.Init
		if arm.Gates != nil {
			var err error
			if init, err = arm.Gates(s); err != nil {
				return err
			}
		}
		rate := s.Rate
		if arm.Rate != 0 {
			rate = arm.Rate
		}
		for _, x := range sweep {
			for trial := range s.Trials {
				m := Model{Arm: arm.Name, Trial: trial, Seed: 1000*seed + uint64(trial)}
				if s.Sweep != nil {
					m.X = &x
				}
				train := p.Task(s, x)
				if err := train.Validate(); err != nil {
					return err
				}
				r.Models = append(r.Models, m)
				r.tasks = append(r.tasks, train)
				r.inits = append(r.inits, init)
				r.rates = append(r.rates, rate)
				r.memoryless = append(r.memoryless, p.Memoryless(s, x))
				if p.Best != nil {
					r.best = append(r.best, p.Best(s, x))
				}
				if p.Tests != nil {
					for i, test := range p.Tests(s, x) {
						if i == len(r.tests) {
							r.tests = append(r.tests, nil)
						}
						r.tests[i] = append(r.tests[i], test)
					}
				}
			}
		}
	}
	return nil
}

// Header returns the first line of the run's record, without the environment.
func (r Run) Header(backend string) Header {
	s := r.Settings
	settings := map[string]any{
		"task": r.tasks[0].Name(), "cell": r.cell, "T": s.T, "hidden": s.Hidden, "batch": s.Batch, "steps": s.Steps, "window": s.Window,
		"optimizer": "rmsprop", "rate": r.rates[0], "alpha": s.Alpha, "epsilon": s.Epsilon,
		"memoryless": r.memoryless[0],
	}
	for name, value := range map[string]int{"train_sequences": s.Sequences, "halve_after": s.HalveAfter, "valid_sequences": s.Valid, "test_sequences": s.Test} {
		if value != 0 {
			settings[name] = value
		}
	}
	if s.Tmax != 0 {
		settings["Tmax"] = s.Tmax
	}
	if s.TrainWarp != 0 {
		settings["train_warp"] = s.TrainWarp
	}
	if s.Sweep != nil { // each model has its own; see Header.Models and the final results
		delete(settings, "task")
		delete(settings, "memoryless")
		settings["task"] = r.Panel
	}
	return Header{Figure: r.Figure, Panel: r.Panel, Scale: r.Scale, Part: r.Part, Models: r.Models, Settings: settings, Backend: backend}
}

// String names the run: "fig3 copy500 quick".
func (r Run) String() string {
	name := r.Figure + " " + r.Panel + " " + r.Scale
	if r.Part != "" {
		name += " " + r.Part
	}
	return name
}
