package run

import "github.com/warptime/warptime/replication/experiment"

// All is the status of a task that is done.
func All(t *experiment.Task) Status {
	return Status{Task: t, Update: t.Length.Total(), Done: true}
}

// Work is roughly proportional to the time that a task has taken so far: for each hidden state that was computed, the
// products of its units with each other and with what comes in. A test only goes forward, which takes about a third of
// the time of an update. It is known without training, and is the same on every machine.
func (s Status) Work() float64 {
	const (
		forward = 1. / 3
		inputs  = 100 // measured: twice as many units take between two and four times as long
	)
	batch, steps := s.Task.Data.Shape()
	sequences := float64(s.Update * batch * steps)
	for _, test := range s.Task.Tests {
		batch, steps := test.Data.Shape()
		times := 0
		if test.Every > 0 {
			times = s.Update / test.Every
		} else if s.Done {
			times = 1
		}
		sequences += forward * float64(times*test.Batches*batch*steps)
	}
	units := s.Task.Network.Units()
	return sequences * float64(len(s.Task.Trials)*units*(units+inputs))
}
