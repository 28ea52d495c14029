// Package worlds makes up records of what the figures of both papers declare: as they would be if a paper is right, if
// nothing learns, if the reverse is true, and so on. It is for tests: each claim must get its answer in such a world,
// and each chart must look as it should. A figure's worlds stand in a file of their own.
package worlds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
	"github.com/warptime/warptime/replication/warp"
)

// A World says what the declared experiments would have found if things were so.
type World struct {
	Name   string
	Answer Answer
	Change func(*record.Record) // may be nil; what is different in the record itself
}

// An Answer is one number of a record. Losses in training and results named "loss" are shares of the memoryless loss
// (all best losses are 0) in the first paper's worlds.
type Answer func(Question) float64

// A Question asks for one number of a record.
type Question struct {
	Figure, Panel string
	record.Trial
	Name string  // of the series or result; record.Train for the training loss
	At   float64 // the number that follows a name's "@", or a bound of warp.BitsByContext; 0 if none does
	Done float64 // the part of the updates done; 1 after training
	// Point counts the points of a series from 1 on; it is the number of points in training for a result after it.
	Point, Points int
	Place         int     // in a result of several numbers
	Sweep         float64 // the trial's X; 0 if it has none
	Longest       float64 // the largest X of the record
	Times         float64 // in Figure 5 of the first paper, by how much tested warps are longer than trained ones
}

// Is tells whether the question is about one of these arms.
func (q Question) Is(arms ...string) bool {
	for _, arm := range arms {
		if q.Arm == arm {
			return true
		}
	}
	return false
}

// Records are those of every run that figures declare with these options, of seed 1.
func (w World) Records(figures []experiment.Figure, o experiment.Options) []*record.Record {
	o.Seed = 1
	var records []*record.Record
	for _, figure := range figures {
		tasks, err := figure.Tasks(o)
		if err != nil {
			panic(err)
		}
		for _, task := range tasks {
			records = append(records, w.Record(task))
		}
	}
	return records
}

// Record is that of one run.
func (w World) Record(task experiment.Task) *record.Record {
	r := &record.Record{
		Header: task.Header("go"),
		End: &record.End{
			Updates: task.Length.Total(), Final: map[string]record.Values{}, Vectors: map[string][]record.Values{},
		},
	}
	points := func(name string, every int, of experiment.Measurement) {
		n := (r.Updates + every - 1) / every
		for i := 1; i <= n; i++ {
			p := record.Point{Update: min(i*every, r.Updates), Series: name}
			if name != record.Train && p.Update < i*every {
				break // tests have no shorter window at the end
			}
			p.Values, p.Vectors = w.answers(task, r, p, i, n, of)
			r.Points = append(r.Points, p)
		}
	}
	points(record.Train, r.Window, nil)
	r.End.Final[record.Loss] = r.Points[len(r.Points)-1].Values
	for _, test := range task.Tests {
		for _, m := range test.Measures {
			if test.Every > 0 {
				points(string(m.Name), test.Every, m.Of)
				continue
			}
			last := record.Point{Update: r.Updates, Series: string(m.Name)}
			values, vectors := w.answers(task, r, last, task.Length.Epochs, task.Length.Epochs, m.Of)
			if vectors != nil {
				r.End.Vectors[string(m.Name)] = vectors
			} else {
				r.End.Final[string(m.Name)] = values
			}
		}
	}
	slices.SortStableFunc(r.Points, func(a, b record.Point) int { return a.Update - b.Update })
	if w.Change != nil {
		w.Change(r)
	}
	return r
}

// Write writes a record under a directory as a run does, point by point, and returns its path.
func Write(dir string, r *record.Record) (path string, err error) {
	h := r.Header
	h.Commit = cmp.Or(h.Commit, "unknown")
	path = record.Path(dir, h)
	w, err := record.Open(path, h)
	if err != nil {
		return "", err
	}
	defer w.Close()
	for _, p := range r.Points { // an error stays, and shows in Finish
		if p.Vectors != nil {
			w.Vectors(p.Update, p.Series, p.Vectors)
		} else {
			w.Point(p.Update, p.Series, p.Values)
		}
	}
	return path, w.Finish(r.End.Seconds, r.End.Final, r.End.Vectors)
}

// answers are those of all trials to one point: numbers, or lists of several.
func (w World) answers(of experiment.Task, r *record.Record, p record.Point, i, n int, m experiment.Measurement,
) (record.Values, []record.Values) {
	bounds, several := numbersOf(m, r.Units)
	vectors := make([]record.Values, len(r.Trials))
	for k, t := range r.Trials {
		q := Question{
			Figure: r.Figure, Panel: r.Panel, Trial: t, Name: p.Series, Point: i, Points: n, Times: 1,
			Done: float64(p.Update) / float64(r.Updates),
		}
		if t.X != nil {
			q.Sweep, q.Longest = *t.X, *r.Trials[len(r.Trials)-1].X
		}
		if name, at, ok := strings.Cut(p.Series, "@"); ok {
			fmt.Sscan(at, &q.At)
			q.Name = name + "@"
			if r.Paper == warp.Paper.Name && r.Figure == warp.Fig5.Name {
				q.Times = q.At / float64(trainedUpTo(of.Data.(trial.Symbols).Tasks[0]))
			}
		}
		for place, bound := range bounds {
			q.Place = place
			if bound > 0 {
				q.At = bound
			}
			vectors[k] = append(vectors[k], w.answer(q, r.Paper))
		}
	}
	if several {
		return nil, vectors
	}
	var values record.Values
	for _, v := range vectors {
		values = append(values, v[0])
	}
	return values, nil
}

// trainedUpTo is the longest warp of a task of the first paper's Figure 5.
func trainedUpTo(of task.Symbols) int {
	if uniform, ok := of.(task.UniformWarp); ok {
		return uniform.Max
	}
	return of.(task.Warp).Max
}

func (w World) answer(q Question, paper string) float64 {
	v := w.Answer(q)
	isLoss := strings.Contains(q.Name, "loss") || q.Name == record.Train
	switch {
	case q.Name == "leak_bias": // the answer is a time scale
		return -math.Log(v - 1)
	case paper == warp.Paper.Name && isLoss && q.Memoryless != nil:
		return v * *q.Memoryless
	}
	return v
}

// numbersOf is how many numbers a measurement has for each trial, each with its bound if it has one, and whether they
// are a list.
func numbersOf(m experiment.Measurement, units int) (bounds []float64, several bool) {
	if m, ok := m.(warp.BitsByContext); ok {
		for _, from := range m.From {
			bounds = append(bounds, float64(from))
		}
		return bounds, true
	}
	if m, ok := m.(experiment.Several); ok {
		return make([]float64, m.Numbers(decay.Final, units)), true
	}
	return make([]float64, 1), false
}

// jitter makes trials differ a little.
func (q Question) jitter() float64 { return 1 + 0.001*float64(q.Number) }

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// Spread is the world with trials that differ by this part of every number (of what is missing to 1, of an accuracy),
// so that a picture shows their range.
func (w World) Spread(part float64) World {
	answer := w.Answer
	w.Answer = func(q Question) float64 {
		v, off := answer(q), part*float64(q.Number)
		if strings.Contains(q.Name, "accuracy") {
			return v - off*(1-v)
		}
		return v * (1 + off)
	}
	return w
}
