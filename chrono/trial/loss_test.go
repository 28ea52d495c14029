package trial

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/metric"

	"github.com/warptime/warptime/chrono/backend/conformance"
	"github.com/warptime/warptime/chrono/internal/numeric"
	"github.com/warptime/warptime/internal/check"
)

// batch is one of labels and predictions, flat: of steps T, or of none if steps is 0; and of classes, or of numbers if
// classes is 0.
type batch struct {
	steps, trials, size, classes int
	symbols                      []int32
	numbers, prediction          []float32
}

func draw(steps, trials, size, classes int) batch {
	rng := rand.New(rand.NewPCG(uint64(steps), uint64(trials)))
	b := batch{steps: steps, trials: trials, size: size, classes: classes}
	for range max(steps, 1) * trials * size {
		b.symbols, b.numbers = append(b.symbols, rng.Int32N(int32(max(classes, 1)))), append(b.numbers, rng.Float32())
		for range max(classes, 1) {
			b.prediction = append(b.prediction, 4*rng.Float32()-2)
		}
	}
	return b
}

func (b batch) tensors() (labels, prediction *tensors.Tensor) {
	dims := []int{b.trials, b.size}
	if b.steps > 0 {
		dims = slices.Insert(dims, 0, b.steps)
	}
	if b.classes == 0 {
		return tensors.FromFlatDataAndDimensions(b.numbers, dims...),
			tensors.FromFlatDataAndDimensions(b.prediction, dims...)
	}
	return tensors.FromFlatDataAndDimensions(b.symbols, dims...),
		tensors.FromFlatDataAndDimensions(b.prediction, append(slices.Clone(dims), b.classes)...)
}

type lossFunc = func(labels, prediction *graph.Node) *graph.Node

const crossEntropy, accuracy = "cross entropy", "accuracy"

// losses are all losses, with the definition of what each label and its prediction add to the mean.
var losses = []struct {
	name    string
	loss    lossFunc
	classes int
	term    func(symbol int32, number float32, prediction []float32) float64
}{
	{crossEntropy, CrossEntropy, 7, func(symbol int32, _ float32, logits []float32) float64 {
		sum := 0.0
		for _, x := range logits {
			sum += math.Exp(float64(x))
		}
		return math.Log(sum) - float64(logits[symbol])
	}},
	{accuracy, Accuracy, 3, func(symbol int32, _ float32, logits []float32) float64 {
		if slices.Index(logits, slices.Max(logits)) == int(symbol) {
			return 1
		}
		return 0
	}},
	{"squared error", SquaredError, 0, func(_ int32, number float32, prediction []float32) float64 {
		return math.Pow(float64(number)-float64(prediction[0]), 2)
	}},
}

func lossesOf(engine compute.Backend, loss lossFunc, b batch) []float32 {
	labels, prediction := b.tensors()
	return graph.MustExecOnce(engine, loss, labels, prediction).Value().([]float32)
}

// Losses are the means over what each label adds. Negative labels are left out; where there are none, the mean
// is that over all, bit for bit. Sums over the steps are as many times the means.
func TestLosses(t *testing.T) {
	const trials, size = 3, 7
	conformance.OnEach(t, func(t *testing.T, _ string, engine compute.Backend) {
		for _, l := range losses {
			for _, steps := range []int{0, 1, 7, 11} { // 49 or 77 labels, by whose number no float is divided exactly
				b := draw(steps, trials, size, l.classes)
				padded, width := b, max(l.classes, 1)
				padded.symbols = slices.Clone(b.symbols)
				var sum, count, all [trials]float64
				for i, symbol := range b.symbols {
					r := i / size % trials
					if r == 0 && l.name == accuracy {
						b.prediction[i*width+int(symbol)] = 9 // all are right
					}
					term := l.term(symbol, b.numbers[i], b.prediction[i*width:(i+1)*width])
					all[r] += term
					if l.classes > 0 && (r == 0 && i%3 == 0 || r == 1) { // some of the first trial, all of the second
						padded.symbols[i] = []int32{-1, -100, math.MinInt32}[i/3%3]
						continue
					}
					sum[r], count[r] = sum[r]+term, count[r]+1
				}
				of, without := lossesOf(engine, l.loss, b), lossesOf(engine, l.loss, padded)
				for r := range trials {
					want := sum[r] / count[r]
					if l.name == crossEntropy {
						want = sum[r] / max(1, count[r])
					}
					mean := all[r] / float64(max(1, steps)*size)
					got := []float64{float64(of[r]), float64(without[r])}
					check.Near(t, got, []float64{mean, want}, 1e-6, "%s, %d steps, trial %d", l.name, steps,
						r)
				}
				check.Equal(t, without[2], of[2], "%s without padding", l.name)
				if steps > 0 {
					sums := xslices.Map(of, func(mean float32) float32 { return float32(steps) * mean })
					got := lossesOf(engine, SumOverSteps(l.loss), b)
					check.Equal(t, got, sums, "sums of %s", l.name)
					for r, sum := range lossesOf(engine, SumOverSteps(l.loss), padded) {
						want := float64(without[r]) * count[r] / size
						check.Near(t, []float64{float64(sum)}, []float64{want}, 1e-5*want,
							"sums of %s without padding, trial %d", l.name, r)
					}
				}
				if l.name == accuracy {
					check.Equal(t, []float32{of[0], without[0]}, []float32{1, 1}, "all are right")
				}
				if l.name == crossEntropy {
					check.Equal(t, of[2], lossesOf(engine, meanCrossEntropy, b)[2], "mean")
				}
			}
		}
	})
}

// A label above all classes makes NaN of its own trial alone, also beside padding and in the mean of an evaluation.
// Labels may be of a type that does not have all classes.
func TestLabelsAboveAllClasses(t *testing.T) {
	many := [][][]float32{{make([]float32, 300)}}
	many[0][0][256] = 1 // which is 0 in 8 bits
	nan, logits := math.NaN(), [][][]float32{{{9, 0}, {9, 0}}, {{9, 0}, {9, 0}}, {{9, 0}, {9, 0}}}
	conformance.OnEach(t, func(t *testing.T, _ string, engine compute.Backend) {
		for _, l := range losses[:2] {
			of := func(labels any) any { return graph.MustExecOnce(engine, l.loss, labels, many).Value() }
			check.Equal(t, of([][]uint8{{0}}), of([][]int32{{0}}), "%s of label 0 of many", l.name)
			for _, labels := range []any{[][]int32{{0, 2}, {-1, 1 << 30}, {0, -1}},
				[][]uint8{{0, 2}, {255, 0}, {0, 0}}} {
				m := Metric("m", l.loss)
				got := model.MustCallOnce(engine, model.NewStore(),
					func(s *model.Scope, labels, logits *graph.Node) *graph.Node {
						return m.UpdateGraph(s, []*graph.Node{labels}, []*graph.Node{logits})
					}, labels, logits)
				m.(metric.UpdateGo).UpdateGo(got)
				right := math.Log1p(math.Exp(-9))
				if l.name == accuracy {
					right = 1
				}
				check.Near(t, m.(metric.UpdateGo).ReadGo().Value().([]float64), []float64{nan, nan, right}, 1e-6,
					"%s of %v", l.name, labels)
			}
		}
	})
}

// meanCrossEntropy is the mean over all labels.
func meanCrossEntropy(labels, logits *graph.Node) *graph.Node {
	right := graph.OneHot(labels, logits.Shape().Dim(-1), logits.DType())
	return graph.Neg(mean(graph.ReduceSum(graph.Mul(graph.LogSoftmax(logits), right), -1)))
}

// Predictions may be of a type that can neither count the labels nor hold their sum.
func TestLossesOfHalfFloats(t *testing.T) {
	const steps, size = 400, 200
	labels := make([][][]int32, steps)
	for i := range labels {
		labels[i] = [][]int32{slices.Repeat([]int32{int32(i % 2)}, size)}
	}
	labels[7][0] = slices.Repeat([]int32{-1}, size)
	conformance.OnEach(t, func(t *testing.T, _ string, engine compute.Backend) {
		for _, dtype := range []dtypes.DType{dtypes.Float16, dtypes.BFloat16} {
			of := func(loss lossFunc, labels any, dims ...int) float64 {
				got := graph.MustExecOnce(engine, func(labels *graph.Node) *graph.Node {
					prediction := graph.Ones(labels.Graph(), shapes.Make(dtype, dims...))
					return graph.ConvertDType(loss(labels, prediction), dtypes.Float64)
				}, labels)
				return numeric.Of(got)[0]
			}
			got := []float64{
				of(CrossEntropy, labels, steps, 1, size, 2), of(Accuracy, labels, steps, 1, size, 2),
				of(SumOverSteps(CrossEntropy), labels, steps, 1, size, 2), of(SquaredError, labels, steps, 1, size),
			}
			want := []float64{math.Ln2, 200. / 399, 399 * math.Ln2, (200 + 4) / 400.}
			for i, w := range want {
				check.Near(t, got[i:i+1], []float64{w}, 2e-3*w, "%s, loss %d", dtype, i)
			}
		}
	})
}

// The sum of the finite losses, each with the gradient 1; those that are not finite have none. A sum beyond float32, or
// to which float32 could not add many others, is bounded, and the gradients remain.
func TestTotal(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	conformance.OnEach(t, func(t *testing.T, _ string, engine compute.Backend) {
		for _, test := range []struct {
			losses      []float32
			least, most float32
			gradient    []float32
		}{
			{[]float32{1, nan, 2.5, inf, -inf, -0.5}, 3, 3, []float32{1, 0, 1, 0, 0, 1}},
			{[]float32{3e38, 3e38, 2e38, 1}, 1e29, 1e31, []float32{1, 1, 1, 1}},
		} {
			out := graph.MustExecOnceN(engine, func(losses *graph.Node) []*graph.Node {
				total := Total(losses)
				return []*graph.Node{total, graph.Gradient(total, losses)[0]}
			}, test.losses)
			total := out[0].Value().(float32)
			check.That(t, total >= test.least && total <= test.most, "total of %v: %g", test.losses, total)
			check.Equal(t, out[1].Value().([]float32), test.gradient, "gradient of %v", test.losses)
		}
		double := func(losses *graph.Node) *graph.Node { return Total(losses) }
		got := graph.MustExecOnce(engine, double, []float64{1e60, 1}).Value().(float64)
		check.Near(t, []float64{got}, []float64{1e30}, 1e15, "total of float64")
	})
}

// The mean over the labels of an evaluation, of each trial; Reset begins the next. GoMLX's Trainer uses it so in
// ExampleOptimizer_trainer.
func TestMetricIsTheMeanOverLabels(t *testing.T) {
	b, store := conformance.Start(t, "go"), model.NewStore()
	batch := func(m metric.Interface, labels, prediction any) *tensors.Tensor {
		return model.MustCallOnce(b, store, func(s *model.Scope, labels, prediction *graph.Node) *graph.Node {
			return m.UpdateGraph(s, []*graph.Node{labels}, []*graph.Node{prediction})
		}, labels, prediction)
	}
	mean := func(m metric.Interface, batches ...*tensors.Tensor) []float64 {
		m.Reset(nil)
		for _, b := range batches {
			m.(metric.UpdateGo).UpdateGo(b)
		}
		return m.(metric.UpdateGo).ReadGo().Value().([]float64)
	}
	numbers := Metric("error", SquaredError)
	three := batch(numbers, [][]float32{{1, 2, 3}, {0, 0, 0}}, [][]float32{{0, 0, 0}, {1, 1, 4}}) // 14/3, 18/3
	one := batch(numbers, [][]float32{{4}, {0}}, [][]float32{{0}, {6}})
	check.Near(t, mean(numbers, three, one), []float64{30. / 4, 54. / 4}, 1e-6, "batches of three and one")
	check.Equal(t, mean(numbers, one), []float64{16, 36}, "one batch")
	// In float64: float32 would drop the 1.
	large := batch(numbers, [][]float64{{1 << 12}}, [][]float64{{0}})
	small := batch(numbers, [][]float64{{1}}, [][]float64{{0}})
	check.Equal(t, mean(numbers, large, small), []float64{(1<<24 + 1) / 2.}, "mean of large numbers")

	logits := [][][]float32{{{0, 1}, {0, 1}, {0, 1}}, {{0, 1}, {0, 1}, {0, 1}}}
	classes := Metric("right", Accuracy)
	all, some := batch(classes, [][]int8{{1, 1, 0}, {0, 0, 0}}, logits), batch(classes, [][]int8{{0, -1, -1},
		{-1, -1, -1}}, logits)
	check.Near(t, mean(classes, all, some), []float64{2. / 4, 0}, 1e-6, "labels that are a class")

	norms := Metric("norm", func(_, prediction *graph.Node) *graph.Node { return graph.ReduceMax(prediction, 1) })
	ones := batch(norms, float32(0), [][]float32{{1, 2}, {3, 1}})
	check.Equal(t, mean(norms, ones, ones), []float64{2, 3}, "labels that are not the trials'")

	got := model.MustCallOnce(b, store, func(s *model.Scope, labels, prediction *graph.Node) *graph.Node {
		s.Store().SetTraining(labels.Graph(), true)
		return numbers.UpdateGraph(s, []*graph.Node{labels}, []*graph.Node{prediction})
	}, [][]float32{{1, 2}, {3, 4}}, [][]float32{{1, 4}, {0, 0}})
	check.Equal(t, got.Value(), any([]float32{2, 12.5}), "value of a batch in training")
	check.That(t, numbers.ShortName() == "error" && numbers.PrettyPrint(got) == "[2 12.5]",
		"%s = %s, want error = [2 12.5]", numbers.ShortName(), numbers.PrettyPrint(got))
}
