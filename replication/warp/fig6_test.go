package warp

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/warptime/warptime/chrono"
	"github.com/warptime/warptime/chrono/trial"
	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

// What stands in for MNIST at scale quick: its first images, and what they show.
func ExampleSegments() {
	images, err := Segments{Side: 8, Train: 6, Valid: 1, Test: 1, Seed: 1}.Read()
	if err != nil {
		panic(err)
	}
	for row := range 8 {
		for n := range images.Train.Len() {
			if n > 0 {
				fmt.Print(" ")
			}
			for _, pixel := range images.Train.Image(n)[8*row : 8*row+8] {
				switch {
				case pixel == 0:
					fmt.Print("·")
				case pixel < 128: // too light for a digit
					fmt.Print("-")
				default:
					fmt.Print("#")
				}
			}
		}
		fmt.Println()
	}
	fmt.Println(images.Train.Labels)
	// Output:
	// ········ -··####· ········ ·····#·· ········ ········
	// ··#####· ···#··#· ·#####·· ·····#·· ········ ········
	// ······#· ···#··#· ·····#·· ·····#·· ·#####·· ···####·
	// ···###-· ···#··#· ·····#·· ·····#·· ·····#·· ······#·
	// ······#· ··-#··#· ···-·#·· ·····#·· ·#####·· ···####·
	// ······#· ···#··#· ·····#·· ·····#·· ·-···#·· ······#·
	// ···####· ···####· ·····#·· ········ ·····#·· ······#·
	// ········ ···#···· ·····#·· ········ ·#####·· ·#·####·
	// [3 0 7 1 3 3]
}

// The same set has the same images, its splits have others; impossible sets are rejected.
func TestSegments(t *testing.T) {
	set := Segments{Side: 8, Train: 10, Valid: 10, Test: 10, Seed: 3}
	images, err := set.Read()
	check.OK(t, err)
	again, _ := set.Read()
	if !bytes.Equal(again.Train.Pixels, images.Train.Pixels) || !bytes.Equal(again.Test.Labels, images.Test.Labels) ||
		bytes.Equal(images.Validation.Pixels, images.Test.Pixels) {
		t.Error("the same set has other images, or two splits have the same")
	}
	for _, s := range []Segments{{4, 1, 1, 1, 1}, {8, 0, 1, 1, 1}, {8, 1, 0, 1, 1}, {8, 1, 1, 0, 1}} {
		_, err := s.Read()
		check.Rejected(t, s, err, "")
	}
}

// At every scale Tmax is the number of pixels, the panels differ in the
// permutation alone, which is one for all, and every image of a split is validated or tested on once.
func TestPapersNumbersFig6(t *testing.T) {
	for _, scale := range record.Scales {
		tasks, err := Fig6.Tasks(experiment.Options{Scale: scale, Seed: 1})
		want := map[record.Scale]int{record.Quick: 2, record.Reduced: 4, record.Paper: 2}[scale]
		if err != nil || len(tasks) != want {
			t.Fatalf("%d tasks, %v; want %d", len(tasks), err, want)
		}
		for _, task := range tasks {
			e := task.Experiment
			data := e.Data.(trial.Pixels)
			for r, arm := range e.Trials {
				want := map[string]chrono.GateInit{
					standardArm: chrono.Standard{Forget: 1}, chronoArm: chrono.Chrono{Tmax: float64(data.Steps())},
				}[arm.Arm]
				check.Equal(t, e.Network.(experiment.Recurrent).GateInit[r], want, "%s: biases", task)
			}
			train, valid, test := data.Of.Counts()
			if e.Length.Updates*data.Batch != train {
				t.Errorf("%s: %d batches of %d are no pass over %d images", task, e.Length.Updates, data.Batch, train)
			}
			if e.Length.Updates%e.Window != 0 || e.Tests[0].Every != e.Window {
				t.Errorf("%s: points every %d and validation every %d of %d updates", task, e.Window, e.Tests[0].Every,
					e.Length.Updates)
			}
			for j, n := range []int{valid, test} {
				of := e.Tests[j].Data.(trial.Pixels)
				if e.Tests[j].Batches*of.Batch != n || of.Split != []string{"valid", "test"}[j] {
					t.Errorf("%s: test %d of %d × %d images, want %d", task, j, e.Tests[j].Batches, of.Batch, n)
				}
			}
			check.Equal(t, e.Tests[1].Every, 0, "%s: updates between two uses of the test set", task)
			text := string(experiment.Encode(e))
			const own = `"Permutation":2018`
			if isPermuted := strings.Contains(text, own); isPermuted != (task.Panel.Name == permuted) ||
				strings.Count(text, `"Permutation":`) != 4 {
				t.Errorf("%s: %s", task, text)
			}
		}
		texts := func(panel string) (texts []string) {
			for _, run := range Fig6.Panel(panel).Sizes[scale].Declaration.Runs([]uint64{1, 2}) {
				texts = append(texts, string(experiment.Encode(run.Experiment)))
			}
			return texts
		}
		inOrder, shuffled := texts("mnist"), texts(permuted)
		for i := range shuffled {
			shuffled[i] = strings.ReplaceAll(shuffled[i], `"Permutation":2018`, `"Permutation":0`)
		}
		check.Equal(t, shuffled, inOrder, "the panels but for the permutation at scale %s", scale)
	}
}
