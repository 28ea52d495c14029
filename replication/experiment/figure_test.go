package experiment_test

import (
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// one declares an experiment, whatever the seeds.
type one struct{ experiment.Experiment }

func (o one) Runs([]uint64) []experiment.Run {
	return []experiment.Run{{Part: "half", Experiment: o.Experiment}}
}

// declaring is a figure with a panel of that experiment.
func declaring(e experiment.Experiment) experiment.Figure {
	return experiment.Figure{Paper: "test", Name: "fig1", Panels: []experiment.Panel{{
		Name: "copy", Sizes: map[record.Scale]experiment.Size{"quick": {Trials: 1, Declaration: one{e}}},
	}}}
}

// What is wrong with a declaration is an error that names the task, also where the experiment lacks what its record's
// header would ask.
func TestTasksOfAnImpossibleExperiment(t *testing.T) {
	e := example()
	e.Data = nil
	_, err := declaring(e).Tasks(experiment.Options{Scale: "quick"})
	if err == nil || !strings.HasPrefix(err.Error(), "test/fig1 copy quick half: an experiment needs a network, data") {
		t.Errorf("%v, want the task's name and what is missing", err)
	}
}

// A task's name is that of its record, and takes no more than a few words to make: it is asked for at every update.
func TestTaskName(t *testing.T) {
	tasks, err := declaring(example()).Tasks(experiment.Options{Scale: "quick"})
	check.OK(t, err)
	task := tasks[0]
	if got, want := task.String(), task.Header("").Name(); got != want || got != "test/fig1 copy quick half" {
		t.Errorf("task %q, record %q", got, want)
	}
	if n := testing.AllocsPerRun(10, func() { _ = task.String() }); n > 10 {
		t.Errorf("%g allocations", n)
	}
}
