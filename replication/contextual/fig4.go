package contextual

import "github.com/warptime/warptime/chrono/task"

// Fig4 is C Figure 4: one series of linear cosine decay, which is drawn, and not trained on.
var Fig4 = Example{
	Task:  task.Decay{Final: 100, Alpha: 0, Beta: 0.001},
	Start: 4, Periods: 4,
}

// An Example is one series of a task.
type Example struct {
	Task    task.Decay
	Start   float64 // x(0)
	Periods float64 // T
}

// At is x(t), C(3).
func (e Example) At(t float64) float64 { return e.Start * e.Task.At(e.Periods, t) }
