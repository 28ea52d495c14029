package run

import (
	"math"
	"testing"

	"github.com/warptime/warptime/replication/experiment"
)

// Tests between updates and after them count by their sequences and steps, at a third.
func TestWork(t *testing.T) {
	task := tinyTask(t, adding)
	batch, steps := task.Data.Shape()
	task.Length = experiment.Length{Epochs: 2, Updates: 50}
	task.Tests = []experiment.Test{
		{Data: task.Data, Batches: 6, Every: 25}, // 4 times 6 batches like those of the training
		{Data: sized{task.Data, 3 * batch, 2 * steps}, Batches: 5},
	}
	update := Status{Task: &task, Update: 1}.Work()
	for _, c := range []struct {
		s    Status
		want float64
	}{
		{Status{Task: &task, Update: 60}, 60 + 2*6/3.},
		{Status{Task: &task, Update: 100}, 100 + 4*6/3.},
		{Status{Task: &task, Update: 100, Tested: 2}, 100 + 4*6/3. + 2*6/3.},
		{All(&task), 100 + 4*6/3. + 5*6/3.},
	} {
		if got := c.s.Work() / update; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("update %d, done %v: %g updates' work, want %g", c.s.Update, c.s.Done, got, c.want)
		}
	}
}

// sized is data with another shape.
type sized struct {
	experiment.Data
	batch, steps int
}

func (s sized) Shape() (batch, steps int) { return s.batch, s.steps }
