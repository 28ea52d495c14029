package experiment

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

const sampled = "trial.Sampled[github.com/warptime/warptime/chrono/task."

// names are what records call parts, by Go's names of their types, which have another name or package since.
var names = map[string]string{
	sampled + "Symbols]": "trial.Symbols", sampled + "Classification]": "trial.Classification",
	sampled + "Regression]": "trial.Regression", sampled + "Series]": "trial.Series",
	"warp.Masked": "trial.Dropout", "contextual.NoNoise": "trial.NoNoise", "cell.NormalState": "cell.Normal",

	"experiment.UniformWithin": "cell.UniformWithin", "experiment.NormalInputs": "cell.NormalInputs",
	"experiment.Accuracy": "trial.Accuracy", "experiment.CrossEntropy": "trial.CrossEntropy",
	"experiment.SquaredError": "trial.SquaredError", "experiment.SumOverSteps": "trial.SumOverSteps",
	"experiment.ConstantRate": "trial.ConstantRate", "experiment.ReduceOnPlateau": "trial.ReduceOnPlateau",
	"experiment.ExponentialDecay": "trial.ExponentialDecay",
}

// fieldNames are the names of fields in records, by type, where they are not Go's.
var fieldNames = map[reflect.Type]map[string]string{
	reflect.TypeFor[trial.Sampled[task.Series]](): {"Sequences": "Series"},
}

// name is what records call a part: by its type, "cell.LSTM", but for those of names, and for package contextual, which
// goes by its paper's name. A type can be renamed or moved, with a line in names; or with one in package record, which
// maps what older records have.
func name(t reflect.Type) string {
	return cmp.Or(names[t.String()], strings.Replace(t.String(), "contextual.", "context.", 1))
}
