package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/warptime/warptime/replication/record"
)

// Declared returns the task that a record is of, among those that figures declare for the record's trials and seeds. An
// error is one line that names the record: it is of no figure, says other than its figure declares, or has other
// results than the task measures. So who draws or judges a record that is declared need not look for what is missing.
func Declared(figures []Figure, r *record.Record) (Task, error) {
	trials := 0
	var seed uint64
	for _, t := range r.Trials {
		trials, seed = max(trials, t.Number+1), t.Seed/1000 // trial k has 1000 times the seed of all, and k
	}
	for _, task := range tasksOf(figures, r.Header, Options{Trials: trials, Seed: seed}) {
		if task.Part != r.Part {
			continue
		}
		if !r.SameExperiment(task.Header("")) {
			return Task{}, fmt.Errorf("record %s is not what this program declares as %s: they differ in %s",
				r.Path, r.Name(), r.Differences(task.Header("")))
		}
		if err := task.measures(r); err != nil {
			return Task{}, fmt.Errorf("record %s: %w", r.Path, err)
		}
		return task, nil
	}
	return Task{}, fmt.Errorf("record %s: this program declares no %s", r.Path, r.Name())
}

// tasksOf are those of the panel that a header is of, at its scale; none if no figure declares it.
func tasksOf(figures []Figure, h record.Header, o Options) []Task {
	for _, f := range figures {
		if panel, ok := f.PanelOf(h); ok {
			f.Panels, o.Scale = []Panel{panel}, h.Scale
			tasks, _ := f.Tasks(o) // its error is about the options, or that there is no such scale
			return tasks
		}
	}
	return nil
}

// measures returns an error unless a record has the results that its experiment measures, of as many numbers each. The
// record is one that was read: its lists belong to its trials, and all lists of a result have one length.
func (e Experiment) measures(r *record.Record) error {
	const single = 0 // numbers in the list of a trial, where there is one alone
	series, after := map[string]int{record.Train: single}, map[string]int{record.Loss: single}
	for _, test := range e.Tests {
		for _, m := range test.Measures {
			n := single
			if several, ok := m.Of.(Several); ok {
				_, steps, _ := test.Data.Shape()
				if n = several.Numbers(steps, e.Network.Units()); n == 1 {
					n = single
				}
			}
			if test.Every > 0 {
				series[string(m.Name)] = n
			} else {
				after[string(m.Name)] = n
			}
		}
	}
	for _, p := range r.Points {
		if n := numbers(p.Vectors); n != series[p.Series] {
			return fmt.Errorf("%q has lists of %d numbers, want %d (0: no lists)", p.Series, n, series[p.Series])
		}
	}
	if r.End == nil {
		return nil
	}
	got := map[string]int{}
	for name := range r.End.Final {
		got[name] = single
	}
	for name, lists := range r.End.Vectors {
		got[name] = numbers(lists)
	}
	if len(got) < len(r.End.Final)+len(r.End.Vectors) || !maps.Equal(got, after) {
		return fmt.Errorf("final results are lists of %v numbers, want %v, each once (0: no list)", got, after)
	}
	return nil
}

// numbers is how many each of several lists has; 0 if there are no lists, -1 if they are empty.
func numbers(lists []record.Values) int {
	if len(lists) == 0 {
		return 0
	}
	return cmp.Or(len(lists[0]), -1)
}

// CheckDeclared returns a one-line error unless every record is of a task that figures declare, and those of one panel
// and scale have one seed: else trials of one number, which are compared in pairs, would be no pairs.
func CheckDeclared(figures []Figure, records []*record.Record) error {
	first := map[string]*record.Record{} // of each panel and scale
	for _, r := range records {
		if _, err := Declared(figures, r); err != nil {
			return err
		}
		name := r.PanelName()
		if first[name] == nil {
			first[name] = r
		}
		if other := first[name]; other.Trials[0].Seed/1000 != r.Trials[0].Seed/1000 {
			return fmt.Errorf("record %s has another seed than %s, of the same panel", r.Path, other.Path)
		}
	}
	return nil
}

// A network is what the runs of a panel train, once or for several lengths.
type network struct {
	arm
	x      float64
	number int
}

type arm struct{ panel, name string }

func networkOf(panel string, t record.Trial) network {
	n := network{arm: arm{panel, t.Arm}, number: t.Number}
	if t.X != nil {
		n.x = *t.X
	}
	return n
}

// Together leaves out the longer runs of a panel while one of them is missing. Networks that figures declare to train
// once more, and for longer, count all or none by that run: else some would be compared that were trained for longer.
func Together(figures []Figure, records []*record.Record) []*record.Record {
	most, panels := map[network]int{}, map[string]record.Header{} // most updates there
	for _, r := range records {
		panels[r.PanelName()] = r.Header
		for _, t := range r.Trials {
			n := networkOf(r.PanelName(), t)
			most[n] = max(most[n], r.Updates)
		}
	}
	fewest, apart := map[network]int{}, map[string]bool{} // fewest updates declared
	for panel, h := range panels {
		for _, task := range tasksOf(figures, h, Options{}) {
			updates := task.Length.Total()
			for _, t := range task.Trials {
				n := networkOf(panel, t)
				fewest[n] = min(cmp.Or(fewest[n], updates), updates)
				apart[panel] = apart[panel] || most[n] > 0 && most[n] < updates
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(records), func(r *record.Record) bool {
		return apart[r.PanelName()] && slices.ContainsFunc(r.Trials, func(t record.Trial) bool {
			n := fewest[networkOf(r.PanelName(), t)]
			return n > 0 && r.Updates > n
		})
	})
}

// Judged leaves out the records that cannot be judged yet: longer runs, as [Together] does, and those with an arm that
// lacks, in all of them, a trial that its panel declares at their scale, or a value of x. Whoever judges what is so in
// every trial, at every x, or at the largest, would judge those that happen to be there.
func Judged(figures []Figure, records []*record.Record) []*record.Record {
	records = Together(figures, records)
	there, panels := map[network]bool{}, map[string]record.Header{}
	for _, r := range records {
		panels[r.PanelName()] = r.Header
		for _, t := range r.Trials {
			there[networkOf(r.PanelName(), t)] = true
		}
	}
	lacks := map[arm]bool{}
	for panel, h := range panels {
		for _, task := range tasksOf(figures, h, Options{}) {
			for _, t := range task.Trials {
				if n := networkOf(panel, t); !there[n] {
					lacks[n.arm] = true
				}
			}
		}
	}
	return slices.DeleteFunc(records, func(r *record.Record) bool {
		return slices.ContainsFunc(r.Trials, func(t record.Trial) bool { return lacks[arm{r.PanelName(), t.Arm}] })
	})
}
