package warp

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/warptime/warptime/internal/check"
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
	images := check.Got(set.Read())(t)
	again, _ := set.Read()
	check.That(t, bytes.Equal(again.Train.Pixels, images.Train.Pixels) &&
		bytes.Equal(again.Test.Labels, images.Test.Labels) && !bytes.Equal(images.Validation.Pixels,
		images.Test.Pixels), "the same set has other images, or two splits have the same")
	for _, s := range []Segments{{4, 1, 1, 1, 1}, {8, 0, 1, 1, 1}, {8, 1, 0, 1, 1}, {8, 1, 1, 0, 1}} {
		_, err := s.Read()
		check.Rejected(t, s, err, "")
	}
}
