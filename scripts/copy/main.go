// Copy is the paper's main experiment in one file, from the data to the picture: LSTMs read ten letters, wait for T
// steps, and must then repeat them (Tallec & Ollivier 2018, Section 3). Two start with standard biases of their gates,
// two with chrono initialization; all else is the same. It takes less than a minute on two cores.
package main

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"log"
	"os"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/backend"
	"github.com/warptime/warptime/chrono/cell"
	"github.com/warptime/warptime/chrono/task"
	"github.com/warptime/warptime/chrono/trial"
)

const (
	steps       = 100       // T, for which a network has to remember; the paper has 500 and 2000
	hidden      = 64        // units of an LSTM
	batch       = 16        // sequences in an update
	updates     = 4000      // of each network
	window      = 50        // updates that a point of a curve averages
	rate, decay = 3e-3, 0.9 // of RMSprop, and of its mean of squares
)

// Four networks train side by side: R = 4. Equal seeds have equal data, and equal weights but for the gates' biases.
var (
	sequences = task.Copy{T: steps}
	seeds     = []uint64{1, 2, 1, 2}
	standard  = chrono.Standard{Forget: 1}         // biases of forget gates are 1, of input gates 0
	memories  = chrono.Chrono{Tmax: 3 * steps / 2} // forget: log u, u uniform from 1 to Tmax-1; input: -log u
	biases    = []chrono.GateInit{standard, standard, memories, memories}
)

// update is one update of all weights: forward, loss, gradient, RMSprop. Symbols and targets are [T+20, R, B], and the
// losses [R]. No loss depends on another network's weights, so that the gradient of the sum is that of each.
func update(scope *model.Scope, symbols, targets *Node) *Node {
	x := StopGradient(OneHot(symbols, sequences.Alphabet(), dtypes.Float32))
	h, _ := cell.New(scope.In("lstm"), cell.LSTM{Hidden: hidden}, x).Seeds(seeds...).GateInit(biases...).Done()
	logits := cell.Dense(scope.In("read-out"), h[0], sequences.Classes(), cell.Orthogonal{}, seeds...)
	losses := trial.CrossEntropy(targets, logits)
	gradients := scope.BuildTrainableVariablesGradientsGraph(ReduceAllSum(losses))
	for weight := range scope.IterVariables() {
		if weight.Trainable {
			squares := scope.Store().Scope("/squares"+weight.Scope()).WithInitializer(initializer.Zero).
				VariableWithShape(weight.Name(), weight.Shape()).SetTrainable(false)
			mean := Add(MulScalar(squares.NodeValue(x.Graph()), decay), MulScalar(Square(gradients[0]), 1-decay))
			squares.SetNodeValue(mean)
			step := Div(gradients[0], AddScalar(Sqrt(mean), 1e-8))
			weight.SetNodeValue(Sub(weight.NodeValue(x.Graph()), MulScalar(step, rate)))
			gradients = gradients[1:]
		}
	}
	return losses
}

// train trains the networks, prints their losses, and draws them.
func train(updates int, picture string, out io.Writer) error {
	engine, err := backend.New("") // the fastest one present
	if err != nil {
		return err
	}
	step := model.MustNewExec(engine, model.NewStore(), update)
	data := trial.Sampled[task.Symbols]{Tasks: []task.Symbols{sequences}, Split: "train", Batch: batch}
	batches, err := data.Open(seeds)
	if err != nil {
		return err
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("copy, T = %d: two LSTMs with each initialization", steps)
	p.X.Label.Text, p.Y.Label.Text = "updates", "loss (nats per step)"
	sums, curves := make([]float64, len(seeds)), make([]plotter.XYs, len(seeds))
	for n := range updates {
		symbols, targets, err := batches.Batch(n)
		if err != nil {
			return err
		}
		for r, loss := range step.MustCall(symbols[0], targets[0])[0].Value().([]float32) {
			sums[r] += float64(loss) / window
		}
		if (n+1)%window == 0 {
			fmt.Fprintf(out, "update %4d: standard %.4f  chrono %.4f\n", n+1, sums[:2], sums[2:])
			for r, sum := range sums {
				curves[r], sums[r] = append(curves[r], plotter.XY{X: float64(n + 1), Y: sum}), 0
			}
		}
	}
	best := sequences.Memoryless() // of networks without a memory
	for r, curve := range append(curves, plotter.XYs{{Y: best}, {X: float64(updates), Y: best}}) {
		line, err := plotter.NewLine(curve)
		if err != nil {
			return err
		}
		line.Color = []color.Color{color.RGBA{31, 78, 156, 255}, color.RGBA{227, 74, 51, 255}, color.Black}[r/2]
		line.Dashes = [][]vg.Length{nil, {6, 2}, {1, 2}}[r/2]
		if p.Add(line); r%2 == 0 {
			p.Legend.Add([]string{"standard", "chrono", "memoryless"}[r/2], line)
		}
	}
	p.Y.Min, p.Y.Max, p.Legend.Padding = 0, 2*best, vg.Millimeter
	return p.Save(16*vg.Centimeter, 9*vg.Centimeter, picture)
}

func main() {
	if err := errors.Join(os.MkdirAll("out", 0o777), train(updates, "out/copy.svg", os.Stdout)); err != nil {
		log.Fatal(err)
	}
}
