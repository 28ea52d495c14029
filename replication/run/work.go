package run

import "github.com/warptime/warptime/replication/experiment"

// All is the status of a task that is done.
func All(t *experiment.Task) Status {
	return Status{Task: t, Update: t.Length.Total(), Tested: testsAfter(t), Done: true}
}

// testsAfter are the batches of all tests after training.
func testsAfter(t *experiment.Task) int {
	batches := 0
	for _, test := range t.Tests {
		if test.Every == 0 {
			batches += test.Batches
		}
	}
	return batches
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
	sequences, tested := float64(s.Update*batch*steps), s.Tested
	for _, test := range s.Task.Tests {
		batch, steps := test.Data.Shape()
		batches := s.Update / max(1, test.Every) * test.Batches
		if test.Every == 0 {
			batches = min(tested, test.Batches)
			tested -= batches
		}
		sequences += forward * float64(batches*batch*steps)
	}
	units := s.Task.Network.Units()
	return sequences * float64(len(s.Task.Trials)*units*(units+inputs))
}
