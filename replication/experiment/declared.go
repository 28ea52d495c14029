package experiment

import (
	"fmt"
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
	for _, figure := range figures {
		panel, ok := figure.PanelOf(r.Header)
		if !ok {
			continue
		}
		figure.Panels = []Panel{panel}
		tasks, err := figure.Tasks(Options{Scale: r.Scale, Panel: r.Panel, Trials: trials, Seed: seed})
		if err != nil {
			break
		}
		for _, task := range tasks {
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
	}
	return Task{}, fmt.Errorf("record %s: this program declares no %s", r.Path, r.Name())
}

// measures returns an error unless a record has the results that its experiment measures, of as many numbers each. The
// record is one that was read: its lists belong to its trials, and all lists of a result have one length.
func (e Experiment) measures(r *record.Record) error {
	want := map[string]int{record.Loss: 0} // numbers in the list of each trial; 0 where there is one number, alone
	after := []string{record.Loss}
	for _, test := range e.Tests {
		for _, m := range test.Measures {
			if several, ok := m.Of.(Several); ok {
				_, steps := test.Data.Shape()
				if n := several.Numbers(steps, e.Network.Units()); n > 1 {
					want[string(m.Name)] = n
				}
			}
			if test.Every == 0 {
				after = append(after, string(m.Name))
			}
		}
	}
	listed := func(name string, lists []record.Values) error {
		n := want[name]
		if len(lists) == 0 && n > 0 || len(lists) > 0 && (n == 0 || len(lists[0]) != n) {
			return fmt.Errorf("%q has %d numbers for %d trials, want %d for each", name, len(slices.Concat(lists...)),
				len(r.Trials), max(1, n))
		}
		return nil
	}
	for _, p := range r.Points {
		if err := listed(p.Series, p.Vectors); err != nil {
			return err
		}
	}
	if r.End == nil {
		return nil
	}
	for _, name := range after {
		_, single := r.End.Final[name]
		lists, several := r.End.Vectors[name]
		if single == several {
			return fmt.Errorf("final %q is missing, or there twice", name)
		}
		if err := listed(name, lists); err != nil {
			return fmt.Errorf("final %w", err)
		}
	}
	if n := len(r.End.Final) + len(r.End.Vectors); n != len(after) {
		return fmt.Errorf("%d final results, want %q", n, after)
	}
	return nil
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

// WholeSweeps leaves out the records with an arm that lacks, in all of them, a value of x that its panel declares at
// their scale. Whoever judges what is so at every x, or at the largest, would judge those x that happen to be there.
func WholeSweeps(figures []Figure, records []*record.Record) []*record.Record {
	type arm struct{ panel, name string }
	values := func(of map[arm][]float64, panel string, trials []record.Trial) {
		for _, t := range trials {
			if t.X != nil {
				of[arm{panel, t.Arm}] = append(of[arm{panel, t.Arm}], *t.X)
			}
		}
	}
	there, declared, seen := map[arm][]float64{}, map[arm][]float64{}, map[string]bool{}
	for _, r := range records {
		name := r.PanelName()
		values(there, name, r.Trials)
		for _, f := range figures {
			panel, ok := f.PanelOf(r.Header)
			if !ok || seen[name] {
				continue
			}
			seen[name], f.Panels = true, []Panel{panel}
			tasks, _ := f.Tasks(Options{Scale: r.Scale})
			for _, task := range tasks {
				values(declared, name, task.Trials)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(records), func(r *record.Record) bool {
		return slices.ContainsFunc(r.Trials, func(t record.Trial) bool {
			of := arm{r.PanelName(), t.Arm}
			return slices.ContainsFunc(declared[of], func(x float64) bool { return !slices.Contains(there[of], x) })
		})
	})
}
