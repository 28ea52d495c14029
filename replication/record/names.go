package record

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A record names the parts of its experiment, and their fields, as the program that made it did. Records are never
// edited; where a name has changed since, a line here maps it to the present one, and records are compared by present
// names.
var (
	renamedParts = map[string]string{
		"cell.Free":             "cell.Learned",
		"cell.JoinedOrthogonal": "cell.JointOrthogonal",
		"cell.Within":           "cell.UniformWithin",

		"trial.Constant": "trial.ConstantRate",
		"trial.Halving":  "trial.ReduceOnPlateau",
		"trial.Division": "trial.ExponentialDecay",
		"trial.Summed":   "trial.SumOverSteps",

		"experiment.Numbers":   "experiment.AsIs",
		"experiment.EveryStep": "experiment.ClassAtEachStep",
		"experiment.LastStep":  "experiment.ScalarAtEnd",
		"experiment.AtEnd":     "experiment.ClassAtEnd",

		"context.FromZero": "context.ZeroWeights",
		"context.Started":  "context.PairedInitialStates",
	}

	// renamedFields are by part, with its present name; "" is the experiment itself.
	renamedFields = map[string]map[string]string{
		"":                     {"Rule": "Schedule"},
		"cell.Contextual":      {"Start": "WeightInit"},
		"experiment.Recurrent": networkFields,
		"warp.CharacterModel":  networkFields,
		"warp.WordModel":       networkFields,
		"context.Forecaster":   networkFields,
		"context.Retriever":    networkFields,
		"context.Warped":       networkFields,
	}

	networkFields = map[string]string{"Start": "WeightInit", "First": "InitialState", "Biases": "GateInit"}
)

// PresentNames returns an experiment's text with all names as they are today. Text that is not JSON is returned as it
// is.
func PresentNames(experiment json.RawMessage) json.RawMessage {
	var text bytes.Buffer
	if err := rename(&text, experiment, true); err != nil {
		return experiment
	}
	return text.Bytes()
}

// rename copies a value of JSON, without white space, and renames what is in it. The outermost one is the experiment.
func rename(to *bytes.Buffer, value json.RawMessage, outermost bool) error {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || value[0] != '{' && value[0] != '[' {
		to.Write(value)
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	to.WriteByte(value[0])
	var fields map[string]string
	if outermost {
		fields = renamedFields[""]
	}
	for n := 0; decoder.More(); n++ {
		if n > 0 {
			to.WriteByte(',')
		}
		name := ""
		if value[0] == '{' {
			token, err := decoder.Token()
			if err != nil {
				return err
			}
			name = token.(string)
			if present, ok := fields[name]; ok {
				name = present
			}
			fmt.Fprintf(to, "%q:", name)
		}
		var inner json.RawMessage
		if err := decoder.Decode(&inner); err != nil {
			return err
		}
		if name == "is" { // stands before all other fields
			part := string(bytes.Trim(inner, `"`))
			if present, ok := renamedParts[part]; ok {
				part = present
			}
			fields = renamedFields[part]
			fmt.Fprintf(to, "%q", part)
			continue
		}
		if err := rename(to, inner, false); err != nil {
			return err
		}
	}
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	fmt.Fprint(to, token)
	return nil
}
