package show

import (
	"image/color"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/janpfeifer/gonb/gonbui"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono/loader"
	"github.com/warptime/warptime/chrono/trial"
)

// A Model computes predictions from inputs, with variables under scope.
type Model = func(scope *model.Scope, x *graph.Node) *graph.Node

// Batch returns the first batch of data, for trials with these seeds.
func Batch(data trial.Data, seeds ...uint64) (x, y *tensors.Tensor) {
	inputs, labels, err := Must(data.Open(seeds)).Batch(0)
	if err != nil {
		panic(err)
	}
	return inputs[0], labels[0]
}

// A Fitting trains models of one trial, one after the other, by Adam on the cross entropy, and draws their losses in a
// place below the cell.
type Fitting struct {
	updates int
	rate    float64
	place   string
	names   []string
	colours []color.Color
	curves  [][2][]float64 // updates, and the mean loss since the last point
}

// NewFitting makes a place in the notebook for models, each of which trains for these updates at this learning rate.
func NewFitting(updates int, rate float64) *Fitting {
	return &Fitting{updates: updates, rate: rate, place: gonbui.UniqueId()}
}

// Fit trains a model with seed 1 and returns its variables. Its curve in the picture has that name and colour.
func (f *Fitting) Fit(name string, colour color.Color, m Model, data trial.Data) *model.Store {
	const window = 20 // updates
	crossEntropy := func(labels, predictions []*graph.Node) *graph.Node {
		return trial.Total(trial.CrossEntropy(labels[0], predictions[0]))
	}
	adam := trial.Optimizer{Method: trial.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Rates: []float64{f.rate}}
	store := model.NewStore()
	loop := train.NewLoop(train.NewTrainer(Engine(), store, m, crossEntropy, adam, nil, nil))

	f.names, f.colours = append(f.names, name), append(f.colours, colour)
	f.curves = append(f.curves, [2][]float64{})
	curve := &f.curves[len(f.curves)-1]
	sum, drawn := 0.0, time.Now()
	loop.OnStep("draw", 0, func(l *train.Loop, metrics []*tensors.Tensor) error {
		sum += float64(tensors.ToScalar[float32](metrics[0]))
		if update := l.LoopStep + 1; update%window == 0 {
			curve[0], curve[1], sum = append(curve[0], float64(update)), append(curve[1], sum/window), 0
			if time.Since(drawn) >= redraw {
				drawn = time.Now()
				f.chart().draft(f.place)
			}
		}
		return nil
	})
	Must(loop.RunSteps(loader.New(Must(data.Open([]uint64{1})), 0), f.updates))
	f.chart().display(f.place)
	return store
}

func (f *Fitting) chart() picture {
	chart := NewChart("", "updates", "cross entropy (nats)")
	for i, c := range f.curves {
		chart.Line(f.names[i], f.colours[i], c[0], c[1])
	}
	chart.RangeX(0, float64(f.updates))
	chart.RangeY(0, 2.5)
	return row(5*vg.Inch, 2.5*vg.Inch, []*Chart{chart})
}
