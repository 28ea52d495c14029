// Package experiment is what a declaration is made of. It knows no figure of any paper.
//
// A paper's [Figure] has [Panel]s, and a panel is declared at several scales. At one scale it is one or more [Run]s:
// each an [Experiment], which trains R models side by side in one graph. An experiment is a value made of parts: a
// network, data, a loss, an optimizer, a schedule of the learning rates, tests. Each part is a plain struct behind a
// small interface, so that a new kind of network, data or loss is a new file and the declaration that uses it.
//
// [Encode] writes an experiment as text, field by field, with the name of each part. That text is in the header of the
// run's record: nothing that was run is missing from it, and two runs are the same if their texts are.
package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/parts"
	"github.com/warptime/warptime/replication/record"
)

// An Experiment is one training of R models side by side.
type Experiment struct {
	Trials    []record.Trial  // R
	Network   Network         // inputs → predictions
	Data      trial.Data      // what it trains on
	Loss      Loss            // of a batch's labels and predictions
	Optimizer trial.Optimizer // with each trial's first learning rate
	Schedule  Schedule        // how the learning rates go on
	Length    Length
	Window    int    // updates between two points of the training curve; each point is the mean loss over them
	Tests     []Test // what is measured besides the training loss
}

// Length is how long an experiment trains: a number of updates, in as many epochs. An epoch means something only to
// parts that name it themselves; experiments without epochs have one.
type Length struct{ Epochs, Updates int }

func (l Length) Total() int { return l.Epochs * l.Updates }

// A Network computes predictions from a batch.
type Network interface {
	// Build adds the network of the trials with these seeds to the graph, its variables under scope, as graph-building
	// functions do. inputs are those of the data.
	Build(scope *model.Scope, seeds []uint64, inputs []*graph.Node) Output

	// Units is the number of hidden units, H, for a reader.
	Units() int
}

// Output is what a network computes.
type Output struct {
	Prediction *graph.Node // what the loss takes
	Gates      []cell.Gate // for measurements; nil where the network has none

	// Hidden are the outputs of the cell at all steps, [T, R, B, H], and Final its states after the last, [R, B, …]
	// each, for measurements; nil if the network does not report them.
	Hidden *graph.Node
	Final  []*graph.Node

	// InitialStates are those of the cell before the first step, [R, B, …] each, for measurements; nil if the
	// network does not report them.
	InitialStates []*graph.Node
}

// Map opens data, and returns what a function makes of each batch, given its number.
func Map(of trial.Data, seeds []uint64, by batchMap) (trial.Batches, error) {
	batches, err := of.Open(seeds)
	return mapped{batches, by}, err
}

type batchMap func(n int, inputs, labels []*tensors.Tensor) (in, out []*tensors.Tensor)

type mapped struct {
	trial.Batches
	by batchMap
}

func (m mapped) Batch(n int) (inputs, labels []*tensors.Tensor, err error) {
	if inputs, labels, err = m.Batches.Batch(n); err == nil {
		inputs, labels = m.by(n, inputs, labels)
	}
	return inputs, labels, err
}

// A Test measures the models on batches of its own: every few updates, or once after the last.
type Test struct {
	Data     trial.Data
	Batches  int // from the first; the result is the mean over them
	Every    int // updates; 0 for once, after training
	Measures []Measure
}

// A Measure is a measurement and the name of its result in the record.
type Measure struct {
	Name record.Result
	Of   Measurement
}

// The results that more than one paper measures.
const (
	ValidLoss     record.Result = "valid_loss"
	ValidAccuracy record.Result = "valid_accuracy"
	TestLoss      record.Result = "test_loss"
)

// A Measurement computes one number or one vector for each trial, [R] or [R, n], from one batch.
type Measurement interface {
	Measure(inputs, labels []*graph.Node, output Output) *graph.Node
}

// Several is a Measurement of several numbers of each trial, [R, n]. All others give one, [R].
type Several interface {
	// Numbers is n, for sequences of that many steps and a network of that many units.
	Numbers(steps, units int) int
}

// Bounds on typing mistakes, a hundred times what the papers use.
const (
	maxUpdates = 100_000_000
	maxTrials  = 999 // a trial's number is part of its seed
	maxSeed    = 1 << 40
)

// Validate returns a one-line error if the experiment makes no sense. It asks every part that can tell.
func (e Experiment) Validate() error {
	total := e.Length.Total()
	err := cmp.Or(
		Check(e.Network != nil && e.Data != nil && e.Loss != nil && e.Schedule != nil,
			"an experiment needs a network, data, a loss and a rule for the learning rates"),
		Check(len(e.Trials) > 0, "no trials"),
		Check(e.Length.Epochs >= 1 && total >= 1 && total <= maxUpdates,
			"%d epochs of %d updates: want 1 to %d updates", e.Length.Epochs, e.Length.Updates, maxUpdates),
		Check(e.Window >= 1 && e.Window <= total, "%d updates between points: want 1 to %d", e.Window, total),
	)
	if err != nil {
		return err
	}
	names := map[record.Result]bool{record.Train: true, record.Loss: true} // which every record has
	for _, test := range e.Tests {
		if test.Data == nil || test.Batches < 1 || test.Every < 0 || test.Every > total || len(test.Measures) == 0 {
			return fmt.Errorf("a test of %d batches every %d updates with %d measures: want data, at least 1 batch, "+
				"0 to %d updates and at least 1 measure", test.Batches, test.Every, len(test.Measures), total)
		}
		for _, m := range test.Measures {
			if m.Of == nil || m.Name == "" || names[m.Name] {
				return fmt.Errorf("measure %q is without a name or a measurement, or there is another of that name",
					m.Name)
			}
			names[m.Name] = true
		}
	}
	if err := e.Optimizer.Validate(len(e.Trials)); err != nil {
		return err
	}
	for _, part := range parts.Of[any](e)[1:] { // but e itself
		var err error
		switch part := part.(type) {
		case interface{ Validate() error }:
			err = part.Validate()
		case trial.Data:
			_, _, err = part.Shape()
		case cell.Cell:
			_, err = part.Layer(1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error unless a setting is right.
func Check(right bool, format string, settings ...any) error {
	if right {
		return nil
	}
	return fmt.Errorf(format, settings...)
}

// Ready returns a one-line error if something that the experiment reads is not there, such as the files of a
// dataset: that of the first part with a method Ready that has one. Validate asks for no files.
func (e Experiment) Ready() error {
	for _, part := range parts.Of[interface{ Ready() error }](e)[1:] { // but e itself
		if err := part.Ready(); err != nil {
			return err
		}
	}
	return nil
}

func (e Experiment) Seeds() []uint64 {
	return xslices.Map(e.Trials, func(t record.Trial) uint64 { return t.Seed })
}

// Series are the series that the experiment's record will have besides the training losses, and every how many updates
// each has a point.
func (e Experiment) Series() map[string]int {
	series := map[string]int{}
	for _, test := range e.Tests {
		for _, m := range test.Measures {
			if test.Every > 0 {
				series[string(m.Name)] = test.Every
			}
		}
	}
	return series
}

// Leveled data know a loss to compare with, that of the best model without memory. That of the best model is what a
// method Best() float64 returns, or 0 without one.
type Leveled interface{ Memoryless() float64 }

// On is a trial of an arm on a task, at an x or none.
func On(t Leveled, arm string, x *float64) record.Trial {
	best := 0.0
	if uncertain, ok := t.(interface{ Best() float64 }); ok {
		best = uncertain.Best()
	}
	return record.Trial{Arm: arm, X: x, Memoryless: Number(t.Memoryless()), Best: Number(best)}
}

// Trials returns a trial for each seed, numbered from 0, each otherwise like the given one.
func Trials(like record.Trial, seeds []uint64) []record.Trial {
	trials := slices.Repeat([]record.Trial{like}, len(seeds))
	for k := range trials {
		trials[k].Number, trials[k].Seed = k, seeds[k]
	}
	return trials
}

// Number returns a pointer to a number, for the fields of a trial that may be absent. Of a computed one twelve digits
// are kept, so that every processor declares the same.
func Number(x float64) *float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		panic(err) // it was a number
	}
	return &x
}
