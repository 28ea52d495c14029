//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// shown is what the page and the README's picture show before their reader has drawn anything: the text of live.js in
// the symbols of the task, step by step, and a training on its clock.
var (
	shownText  = []rune("time␣warp")
	shownClock = []int{1, 6, 2, 20, 1, 12, 3, 5, 10}
	shown      = Settings{Task: "warp", Networks: []string{"plain", "leaky", "gated"}, Steps: 100, Shortest: 1,
		Longest: 20, Updates: 1000, Seed: 1, Symbols: symbols(shownText, shownClock)}
)

// symbols numbers letters in the order in which they come, and repeats each for its number of steps.
func symbols(text []rune, clock []int) (all []int32) {
	numbers := map[rune]int32{}
	for i, letter := range text {
		if numbers[letter] == 0 {
			numbers[letter] = int32(len(numbers) + 1)
		}
		all = append(all, slices.Repeat([]int32{numbers[letter]}, clock[i])...)
	}
	return all
}

// recorded are the trainings that the page's panels show before their reader trains, and where a browser cannot.
var recorded = []Settings{
	shown,
	{Task: "adding", Steps: 60, Tmax: 60, Updates: 800, Seed: 1},
	{Task: "copy", Steps: 20, Tmax: 30, Updates: 3000, Seed: 1},
}

// A recording is a training, as the page keeps it.
type recording struct {
	Asked  Settings  `json:"asked"`
	Start  Message   `json:"start"`
	Losses []Message `json:"losses"` // means of thinned messages
	First  Message   `json:"first"`  // of the looks into the networks
	Latest Message   `json:"latest"`
}

const thinned = 5 // messages of losses

// record trains, and keeps what the page draws.
func record(s Settings) (recording, error) {
	r := recording{Asked: s}
	var mean Message
	err := Train(s, func(m Message) {
		switch m.Kind {
		case "start":
			r.Start = m
		case "losses":
			if mean.Losses == nil {
				mean = Message{Kind: m.Kind, Losses: make([]number, len(m.Losses))}
			}
			for arm, loss := range m.Losses {
				mean.Losses[arm] += loss / thinned
			}
			if m.Update%(thinned*report) != 0 {
				return
			}
			for arm, loss := range mean.Losses {
				mean.Losses[arm] = rounded(loss, 4)
			}
			mean.Update = m.Update
			r.Losses, mean = append(r.Losses, mean), Message{}
		case "answers", "scales":
			for i, scale := range m.Scales {
				m.Scales[i] = rounded(scale, 1)
			}
			for i, gate := range m.Gates {
				m.Gates[i] = rounded(gate, 2)
			}
			if m.Update == 0 {
				r.First = m
			}
			r.Latest = m
		}
	})
	if len(r.First.Answers) > 0 {
		r.First = Message{Kind: "answers"} // only the latest are drawn
	}
	return r, err
}

// writeRecorded writes the script that the page loads, and the README's pictures, from the folder of the notebooks.
func writeRecorded() error {
	all, files := map[string]recording{}, map[string]string{}
	for _, s := range recorded {
		r, err := record(s)
		if err != nil {
			return err
		}
		all[s.Task] = r
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	const format = "// Made by go run ./book/live -recorded.\nself.warptimeRecorded = %s;\n"
	files["book/live/recorded.js"] = fmt.Sprintf(format, text)
	for name, a := range pictures {
		files["../figures/"+name] = a.picture(all[shown.Task])
	}
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
