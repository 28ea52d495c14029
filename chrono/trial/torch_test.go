package trial

import (
	"bytes"
	"encoding/json"
	"math"
	"os/exec"
	"reflect"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
)

// All optimizers equal PyTorch's in float64, update by update. Needs a python3 that has torch.
func TestOptimizersEqualPyTorchs(t *testing.T) {
	python := ""
	for _, candidate := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(candidate, "-c", "import torch").Run() == nil {
			python = candidate
			break
		}
	}
	if python == "" {
		need.Skip(t, "torch", "no python3 has it (Debian: apt-get install python3-torch)")
	}
	var theirs []map[string]any
	for _, o := range optimizers() {
		settings := map[string]any{}
		switch m := o.Method.(type) {
		case RMSprop:
			settings["alpha"], settings["eps"] = m.Alpha, m.Epsilon
		case Adam:
			settings["betas"], settings["eps"] = []float64{m.Beta1, m.Beta2}, m.Epsilon
		}
		rates := o.Rates
		if len(rates) == 1 {
			rates = []float64{rates[0], rates[0], rates[0]}
		}
		theirs = append(theirs, map[string]any{
			"method": reflect.TypeOf(o.Method).Name(), "settings": settings,
			"rates": rates, "clip": o.Clip, "decay": o.Decay,
		})
	}
	request, err := json.Marshal(map[string]any{
		"theta": theta0, "a": coefA, "c": coefC, "updates": updates, "optimizers": theirs,
	})
	check.OK(t, err)
	command := exec.Command(python, "testdata/optimizers.py")
	command.Stdin = bytes.NewReader(request)
	reply, err := command.Output()
	check.OK(t, err)
	var want [][updates][3][5]float64
	check.OK(t, json.Unmarshal(reply, &want))
	for k, o := range optimizers() {
		d := begin(t, "go", model.NewStore(), o, theta0)
		for n := range updates {
			d.update(coefA, coefC)
			for r := range d.theta {
				for i, x := range d.theta[r] {
					if math.Abs(x-want[k][n][r][i]) > 1e-12 {
						t.Fatalf("%+v, update %d, trial %d, weight %d: %g, PyTorch has %g",
							o, n+1, r, i, x, want[k][n][r][i])
					}
				}
			}
		}
	}
}
