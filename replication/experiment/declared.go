package experiment

import (
	"fmt"

	"github.com/warptime/warptime/replication/record"
)

// Declared returns the task that a record is of, among those that figures declare for the record's trials and seeds. An
// error is one line that names the record: it is of no figure, or says other than its figure declares.
func Declared(figures []Figure, r *record.Record) (Task, error) {
	trials := 0
	var seed uint64
	for _, t := range r.Trials {
		trials, seed = max(trials, t.Number+1), t.Seed/1000 // trial k has 1000 times the seed of all, and k
	}
	for _, figure := range figures {
		if figure.Paper != r.Paper || figure.Name != r.Figure {
			continue
		}
		tasks, err := figure.Tasks(Options{
			Scale: r.Scale, Panel: r.Panel, Trials: trials, Seed: seed,
		})
		if err != nil {
			break
		}
		for _, task := range tasks {
			if task.Part == r.Part && r.SameExperiment(task.Header("")) {
				return task, nil
			} else if task.Part == r.Part {
				return Task{}, fmt.Errorf("record %s is not what this program declares as %s: they differ in %s",
					r.Path, r.Name(), r.Differences(task.Header("")))
			}
		}
	}
	return Task{}, fmt.Errorf("record %s: this program declares no %s", r.Path, r.Name())
}

// CheckDeclared returns a one-line error unless every record is of a task that figures declare.
func CheckDeclared(figures []Figure, records []*record.Record) error {
	for _, r := range records {
		if _, err := Declared(figures, r); err != nil {
			return err
		}
	}
	return nil
}
