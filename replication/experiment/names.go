package experiment

import (
	"fmt"
	"reflect"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/dataset"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

// partNames are the names of parts in records. They are declared and not taken from Go's types, so that a type can be
// renamed or moved. A name that is changed here has a line in package record, which maps it in older records.
var partNames = map[reflect.Type]string{}

// fieldNames are the names of fields in records, by type, where they are not Go's.
var fieldNames = map[reflect.Type]map[string]string{
	reflect.TypeFor[trial.Sampled[task.Series]](): {"Sequences": "Series"},
}

// Name declares what records call parts of this type, as in
//
//	var _ = experiment.Name("warp.Babble", Babble{})
//
// It panics if the type has a name, or another type has this one.
func Name(name string, part any) struct{} {
	t := reflect.TypeOf(part)
	for other, its := range partNames {
		if other == t || its == name {
			panic(fmt.Sprintf("experiment: %s is named %q, and %s cannot be named %q", other, its, t, name))
		}
	}
	partNames[t] = name
	return struct{}{}
}

func named(t reflect.Type) string {
	name, ok := partNames[t]
	if !ok {
		panic(fmt.Sprintf("experiment: %s has no name in records: declare one with experiment.Name", t))
	}
	return name
}

// The parts that chrono and this package provide.
func init() {
	for name, part := range map[string]any{
		"chrono.Standard": chrono.Standard{}, "chrono.Range": chrono.Range{}, "chrono.Scales": chrono.Scales{},
		"chrono.Chrono": chrono.Chrono{}, "chrono.UnknownScale": chrono.UnknownScale{},

		"cell.RNN": cell.RNN{}, "cell.Leaky": cell.Leaky{}, "cell.MinGRU": cell.MinGRU{},
		"cell.RGLRU": cell.RGLRU{}, "cell.Selective": cell.Selective{}, "cell.LRU": cell.LRU{},
		"cell.Gated": cell.Gated{}, "cell.GlobalGated": cell.GlobalGated{},
		"cell.NetworkGated": cell.NetworkGated{}, "cell.LSTM": cell.LSTM{}, "cell.TiedLSTM": cell.TiedLSTM{},
		"cell.BNLSTM": cell.BNLSTM{}, "cell.GRU": cell.GRU{}, "cell.FastWeights": cell.FastWeights{},
		"cell.RHN": cell.RHN{},

		"cell.Zero": cell.Zero{}, "cell.Learned": cell.Learned{},
		"cell.Contextual": cell.Contextual{}, "cell.Normal": cell.NormalState{}, "cell.Parts": cell.Parts{},

		"cell.Orthogonal": cell.Orthogonal{}, "cell.JointOrthogonal": cell.JointOrthogonal{},
		"cell.Uniform": cell.Uniform{}, "cell.UniformWithin": UniformWithin{}, "cell.He": cell.He{},
		"cell.ScaledIdentity": cell.ScaledIdentity{}, "cell.NormalInputs": NormalInputs{},

		"cell.Linear": cell.Linear{}, "cell.ReLU": cell.ReLU{}, "cell.TanH": cell.TanH{},

		"task.Adding": task.Adding{}, "task.Copy": task.Copy{}, "task.VariableCopy": task.VariableCopy{},
		"task.Pad": task.Pad{}, "task.Warp": task.Warp{}, "task.UniformWarp": task.UniformWarp{},
		"task.Retrieval": task.Retrieval{}, "task.Decay": task.Decay{},

		"dataset.MNIST": dataset.MNIST{}, "dataset.PTB": dataset.PTB{}, "dataset.Shrunk": dataset.Shrunk{},
		"dataset.Text8": dataset.Text8{},

		"trial.Symbols":        trial.Sampled[task.Symbols]{},
		"trial.Classification": trial.Sampled[task.Classification]{},
		"trial.Regression":     trial.Sampled[task.Regression]{}, "trial.Series": trial.Sampled[task.Series]{},
		"trial.Pixels": trial.Pixels{}, "trial.Windows": trial.Windows{}, "trial.Streams": trial.Streams{},
		"trial.Noise": trial.Noise{},

		"trial.Accuracy": Accuracy{}, "trial.CrossEntropy": CrossEntropy{},
		"trial.SquaredError": SquaredError{}, "trial.SumOverSteps": SumOverSteps{},

		"trial.Adam": trial.Adam{}, "trial.RMSprop": trial.RMSprop{}, "trial.SGD": trial.SGD{},
		"trial.ConstantRate": ConstantRate{}, "trial.ReduceOnPlateau": ReduceOnPlateau{},
		"trial.ExponentialDecay": ExponentialDecay{},

		"experiment.Recurrent": Recurrent{}, "experiment.Convolved": Convolved{}, "experiment.Recent": Recent{},
		"experiment.OneHot": OneHot{}, "experiment.AsIs": AsIs{}, "experiment.ClassAtEachStep": ClassAtEachStep{},
		"experiment.ScalarAtEnd": ScalarAtEnd{}, "experiment.ClassAtEnd": ClassAtEnd{}, "experiment.Mean": Mean{},
		"experiment.Always": Always{}, "experiment.GateBias": GateBias{}, "experiment.GateAtChange": GateAtChange{},
		"experiment.GateElsewhere": GateElsewhere{},
	} {
		Name(name, part)
	}
}
