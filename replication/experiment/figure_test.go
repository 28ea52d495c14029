package experiment_test

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// declaring is a figure with a panel of that experiment, whatever the seeds.
func declaring(e experiment.Experiment) experiment.Figure {
	size := experiment.Size{Trials: 1, Runs: func([]uint64) []experiment.Run {
		return []experiment.Run{{Part: "half", Experiment: e}}
	}}
	return experiment.Figure{Paper: "test", Name: "fig1", Panels: []experiment.Panel{{
		Name: "copy", Sizes: map[record.Scale]experiment.Size{"quick": size},
	}}}
}

// A task's name is that of its record, and is in the error of one whose experiment is impossible.
func TestTaskName(t *testing.T) {
	tasks, err := declaring(example()).Tasks(experiment.Options{Scale: "quick"})
	check.OK(t, err)
	check.Equal(t, tasks[0].String(), "test/fig1 copy quick half", "name")
	check.Equal(t, tasks[0].Header("").Name(), tasks[0].String(), "name of its record")
	e := example()
	e.Data = nil
	_, err = declaring(e).Tasks(experiment.Options{Scale: "quick"})
	check.Rejected(t, "no data", err, tasks[0].String())
}

// A panel whose records go by the name of another figure is found by both names, and its records are of its figure.
func TestPanelOfAnotherName(t *testing.T) {
	f := declaring(example())
	other := f.Panels[0]
	other.Of = "beyond"
	f.Panels = append(f.Panels, other)
	all := []experiment.Figure{f}
	for name, want := range map[string][]string{
		"fig1":        {"test/fig1 copy quick half", "test/beyond copy quick half"},
		"test/beyond": {"test/beyond copy quick half"}, "beyond": {"test/beyond copy quick half"},
	} {
		found := check.Got(experiment.Find(all, name))(t)
		tasks := check.Got(found[0].Tasks(experiment.Options{Scale: "quick"}))(t)
		var names []string
		for _, task := range tasks {
			names = append(names, task.String())
			again, ok := f.PanelOf(task.Header(""))
			check.That(t, ok && again.Of == task.Panel.Of, "%s is of panel %+v", task, again)
		}
		check.Equal(t, names, want, "tasks of %s", name)
	}
	_, err := experiment.Find(all, "beyond-all")
	check.That(t, err != nil, "a figure of no panel is found")
}
