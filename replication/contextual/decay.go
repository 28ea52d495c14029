package contextual

import (
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// Figures 5 and 6 show one task and one network. What they share stands here.

// The series of C Section 2.2.2: those trained on, and those between them by which it is tested. Both are scaled alike.
var (
	trainedDecay   = decayOf(trainedPeriods)
	validatedDecay = decayOf(validPeriods)

	trainedPeriods = []float64{0.5, 1.5, 2.5, 3.5, 4.5}
	validPeriods   = []float64{1, 2, 3, 4}
)

func decayOf(drawn []float64) task.Decay {
	return task.Decay{Final: 25, Alpha: 0, Beta: 0.001, Low: 2, High: 4, Trained: trainedPeriods, Drawn: drawn}
}

// A forecast is how the networks of Figures 5 and 6 train: C Section 2.2.2.
type forecast struct {
	hidden  int // units of the LSTM
	context int // units of g's hidden layer
	batch   int
	rate    float64
	epochs  int
	updates int  // in an epoch
	each    int  // series of each trained period; of each validated one half as many
	glorot  bool // the initial weights of the LSTM and its read-out are those of the authors' program

	// Training series come sorted by period, as in the authors' program, so that nearly every batch has one period, and
	// an epoch goes from the least to the largest.
	sorted bool
}

var (
	quickForecast = forecast{hidden: 64, context: 50, batch: 32, rate: 2e-3, epochs: 30, updates: 40, each: 250}
	paperForecast = forecast{hidden: 128, context: 50, batch: 128, rate: 2e-4, epochs: 65, updates: 40, each: 1000}
)

// What is measured of the networks of Figures 5 and 6. After every epoch, unless it says otherwise.
const (
	validError record.Result = "valid_error" // on validated periods, at the mean of the initial state
	earlyError record.Result = "early_error" // of that, the first three steps
	firstSize  record.Result = "first_size"  // root mean square of the initial states
	deviation  record.Result = "deviation"   // of random initial states: softplus(σ)
	apart      record.Result = "apart"       // by how much the predictions of two initial states differ, at each step
	freshError record.Result = "fresh_error" // on new series of the trained periods, after training
)

// What is measured for Figure 6, of each validated period.
const (
	samples record.Result = "samples" // trajectories that were generated, after every epoch
	truth   record.Result = "truth"   // what they should be, after training
)

const (
	early        = 3    // steps
	sampled      = 10   // initial states of each example: C Section 2.2.2
	startSpread  = 0.25 // softplus(σ) at the start, as in the authors' code
	disturbance  = 1    // root mean square of the initial states that a network of the zero arm is disturbed by
	clipForecast = 10   // the largest norm of a gradient, as in the authors' code
)

// width is how many numbers the states of the LSTM have.
func (f forecast) width() int { return cell.StateSize(cell.LSTM{Hidden: f.hidden}) }

// weightInit draws the weights of an LSTM with some inputs, and of its read-out.
func (f forecast) weightInit(inputs int) cell.WeightInit {
	if f.glorot {
		return JointGlorot{Inputs: inputs}
	}
	return cell.Orthogonal{}
}

// learned is C(4): a network of the first value and T makes the mean, and the deviation is a variable.
func (f forecast) learned() cell.InitialState {
	return cell.NormalState{
		Mean: cell.Contextual{
			Hidden: []int{f.context}, Activation: cell.ReLU{}, Output: cell.Linear{}, WeightInit: cell.He{},
		},
		Deviation: startSpread,
	}
}

type seriesData = trial.Sampled[task.Series]

// series are the data of a split: as many of each period.
func (f forecast) series(of task.Decay, split string, batch, each int) seriesData {
	return seriesData{Tasks: []task.Series{of}, Split: split, Batch: batch, Sequences: each * len(of.Drawn)}
}

// examples are one series of each validated period, from the validation set.
func (f forecast) examples() seriesData {
	return seriesData{Tasks: []task.Series{validatedDecay}, Split: "valid", Batch: len(validPeriods)}
}

func (f forecast) trials(arm string, seeds []uint64) []record.Trial {
	return experiment.Trials(experiment.On(validatedDecay, arm, nil), seeds)
}

// zero are networks that begin in zeros and read T at every step.
func (f forecast) zero(part string, trials []record.Trial) experiment.Run {
	run := f.run(part, trials, Forecaster{WeightInit: f.weightInit(2), InitialState: cell.Zero{}, Appended: true})
	run.Tests = append(run.Tests, experiment.Test{
		Data: PairedInitialStates{
			Of: f.series(validatedDecay, "valid", validSequences/2, f.each/2), Width: f.width(), Size: disturbance,
			Split: "disturbance",
		},
		Batches: 1, Every: f.updates,
		Measures: []experiment.Measure{{Name: apart, Of: Apart{}}},
	})
	return run
}

// contextual are networks that begin in a random state, whose mean is made of the first value and T. They are
// validated at the mean.
func (f forecast) contextual(part string, trials []record.Trial) experiment.Run {
	run := f.run(part, trials, Forecaster{WeightInit: f.weightInit(1), InitialState: f.learned()})
	run.Tests[0].Measures = append(run.Tests[0].Measures, experiment.Measure{Name: firstSize, Of: FirstSize{}})
	run.Tests = append(run.Tests, f.samples(f.updates, experiment.Measure{
		Name: deviation, Of: Deviation{Samples: sampled},
	}))
	return run
}

// samples are measurements on continuations of the examples, from random initial states.
func (f forecast) samples(every int, measures ...experiment.Measure) experiment.Test {
	return experiment.Test{
		Data:    trial.Noise{Of: Examples{Of: f.examples(), Times: sampled}, Width: f.width(), Split: "samples"},
		Batches: 1, Every: every, Measures: measures,
	}
}

func (f forecast) training() trial.Data {
	all := f.series(trainedDecay, "train", f.batch, f.each)
	if f.sorted {
		return Sorted{Of: all, Buffer: 7}
	}
	return all
}

// run is the training of one network, with noise unless it begins in zeros, and the tests that every network has.
func (f forecast) run(part string, trials []record.Trial, network Forecaster) experiment.Run {
	data, tested := f.training(), func(s seriesData) trial.Data { return s }
	if !network.Appended {
		data = trial.Noise{Of: f.training(), Width: f.width(), Split: "train"}
		tested = func(s seriesData) trial.Data { return NoNoise{Of: s, Width: f.width()} }
	}
	size := f.each / 2 * len(validPeriods)
	batches := max(1, size/validSequences)
	error := experiment.Mean{Of: experiment.SquaredError{}}
	network.Task, network.Cell, network.GateInit = validatedDecay, cell.LSTM{Hidden: f.hidden}, forgetBias
	return experiment.Run{Part: part, Experiment: experiment.Experiment{
		Trials:    trials,
		Network:   network,
		Data:      data,
		Loss:      experiment.SquaredError{},
		Optimizer: adam(f.rate, clipForecast),
		Schedule:  experiment.ConstantRate{},
		Length:    experiment.Length{Epochs: f.epochs, Updates: f.updates},
		Window:    f.updates,
		Tests: []experiment.Test{{
			Data: tested(f.series(validatedDecay, "valid", size/batches, f.each/2)), Batches: batches, Every: f.updates,
			Measures: []experiment.Measure{
				{Name: validError, Of: error}, {Name: earlyError, Of: EarlyError{Steps: early}},
			},
		}, {
			Data: tested(f.series(trainedDecay, "fresh", size/batches, f.each)), Batches: batches,
			Measures: []experiment.Measure{{Name: freshError, Of: error}},
		}},
	}}
}
