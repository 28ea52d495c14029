//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// recorded are the trainings that the page's panels show before their reader trains, and where a browser cannot.
var recorded = []Settings{
	{Task: "warp", Steps: 60, Longest: 12, Updates: 1500, Seed: 1},
	{Task: "adding", Steps: 60, Tmax: 60, Updates: 800, Seed: 1},
	{Task: "copy", Steps: 20, Tmax: 20, Updates: 3000, Seed: 1},
}

// A recording is a training, as the page keeps it.
type recording struct {
	Settings Settings  `json:"settings"`
	Start    Message   `json:"start"`
	Losses   []Message `json:"losses"` // means of thinned messages
	First    Message   `json:"first"`  // of the looks into the networks
	Latest   Message   `json:"latest"`
}

const thinned = 5 // messages of losses

// record trains, and keeps what the page draws.
func record(s Settings) (recording, error) {
	r := recording{Settings: s}
	var mean Message
	err := Train(s, func(m Message) {
		switch m.Kind {
		case "start":
			r.Start = m
		case "losses":
			if mean.Losses == nil {
				mean = Message{Kind: m.Kind, Losses: make([]*float64, len(m.Losses))}
				for arm := range mean.Losses {
					mean.Losses[arm] = new(float64)
				}
			}
			for arm, loss := range m.Losses {
				*mean.Losses[arm] += *loss / thinned
			}
			if m.Update%(thinned*report) != 0 {
				return
			}
			for _, loss := range mean.Losses {
				*loss = math.Round(*loss*1e4) / 1e4
			}
			mean.Update = m.Update
			r.Losses, mean = append(r.Losses, mean), Message{}
		case "gates", "scales":
			for i, scale := range m.Scales {
				m.Scales[i] = math.Round(scale*10) / 10
			}
			for i, gate := range m.Gates {
				m.Gates[i] = float32(math.Round(float64(gate)*100) / 100)
			}
			if m.Update == 0 {
				r.First = m
			}
			r.Latest = m
		}
	})
	if len(r.First.Gates) > 0 {
		r.First = Message{Kind: "gates"} // only the latest are drawn
	}
	return r, err
}

// writeRecorded writes the script that the page loads.
func writeRecorded(w io.Writer) error {
	all := map[string]recording{}
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
	_, err = fmt.Fprintf(w, "// Made by go run ./book/live -recorded.\nself.warptimeRecorded = %s;\n", text)
	return err
}
