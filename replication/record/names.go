package record

import (
	"encoding/json"
	"strings"
)

// A record names the parts of its experiment, and their fields, as the program that made it did. Records are never
// edited; where a name has changed since, a line here maps it to the present one, and records are compared by present
// names. A field's old name must not come back in any part.
var presentNames = strings.NewReplacer(
	`"is":"cell.Free"`, `"is":"cell.Learned"`,
	`"is":"cell.JoinedOrthogonal"`, `"is":"cell.JointOrthogonal"`,
	`"is":"cell.Within"`, `"is":"cell.UniformWithin"`,

	`"is":"trial.Constant"`, `"is":"trial.ConstantRate"`,
	`"is":"trial.Halving"`, `"is":"trial.ReduceOnPlateau"`,
	`"is":"trial.Division"`, `"is":"trial.ExponentialDecay"`,
	`"is":"trial.Summed"`, `"is":"trial.SumOverSteps"`,

	`"is":"experiment.Numbers"`, `"is":"experiment.AsIs"`,
	`"is":"experiment.EveryStep"`, `"is":"experiment.ClassAtEachStep"`,
	`"is":"experiment.LastStep"`, `"is":"experiment.ScalarAtEnd"`,
	`"is":"experiment.AtEnd"`, `"is":"experiment.ClassAtEnd"`,

	`"is":"context.FromZero"`, `"is":"context.ZeroWeights"`,
	`"is":"context.Started"`, `"is":"context.PairedInitialStates"`,

	`"Rule":`, `"Schedule":`,
	`"Start":`, `"WeightInit":`,
	`"First":`, `"InitialState":`,
	`"Biases":`, `"GateInit":`,
)

// PresentNames returns an experiment's text with all names as they are today.
func PresentNames(experiment json.RawMessage) json.RawMessage {
	return json.RawMessage(presentNames.Replace(string(experiment)))
}
