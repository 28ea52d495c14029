//go:build !js

package main

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/warptime/warptime/chrono/task"
)

// The pictures' measures, in pixels, and their colours, those of the figures' first three lines.
const (
	leftmost                        = 20
	plotRight                       = leftmost + 320
	plotTop, plotBottom             = 40, 178
	barsPitch, barsBase             = 34, 160
	stepHeight                      = 5.5
	rowsLeft, rowsPitch             = 96, 20
	wrongColor, inkColor, softColor = "#b3261e", "#1b1b1b", "#5d6166"
)

// An arrangement is where the parts of a picture stand.
type arrangement struct {
	width, height int
	plotX, plotY  int // from where they would be if there were no bars
	rowsTop       int
	steps         int // in a line of answers
}

// pictures are the arrangements by the names of their files: of wide screens and of phones.
var pictures = map[string]arrangement{
	"live.svg":        {width: 760, height: 344, plotX: 350, rowsTop: 220, steps: 60},
	"live-narrow.svg": {width: 400, height: 800, plotY: 200, rowsTop: 440, steps: 20},
}

var arms = []struct{ color, dashes string }{{"#1f4e9c", ""}, {"#d93f28", "9 4"}, {"#00835f", "4 3"}}

// picture draws the page as an SVG that moves: a text and its clock; the losses of a training on such clocks, which
// are drawn over themselves in six seconds; and what the trained networks answer on the text. It stands still on paper
// and where the reader wants no motion.
func (a arrangement) picture(run recording) string {
	last := run.Losses[len(run.Losses)-1]
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" `+
		`role="img" aria-label="%[3]s">
<style>
text { font: 13px system-ui, sans-serif; fill: %[4]s }
.letter { font: 600 14px ui-monospace, monospace; fill: %[5]s; text-anchor: middle }
.steps { font: 12px ui-monospace, monospace; fill: %[5]s; text-anchor: middle }
.wrong { fill: white; font-weight: 700 }
#seen rect { animation: grow 6s linear; transform-origin: %[6]dpx 0 }
@keyframes grow { from { transform: scaleX(0) } }
@media print, (prefers-reduced-motion) { #seen rect { animation: none } }
</style>
<rect width="100%%" height="100%%" rx="10" fill="white"/>
`, a.width, a.height, "A text whose letters last for different numbers of steps; the losses of a plain, a "+
		"leaky and a gated network in training to answer with the letter before; and their answers on the text: "+
		"those of the gated network are right.", softColor, inkColor, leftmost)
	label := func(x, y float64, style, text string) {
		fmt.Fprintf(&b, `<text x="%.4g" y="%.4g" style="%s">`, x, y, style)
		xml.EscapeText(&b, []byte(text)) // a strings.Builder returns no errors
		b.WriteString("</text>\n")
	}
	label(leftmost, 24, "", "A text: each letter (␣: space) lasts for some steps.")
	for i, letter := range shownText {
		x, height := leftmost+i*barsPitch, stepHeight*float64(shownClock[i])
		fmt.Fprintf(&b, `<rect x="%d" y="%g" width="%d" height="%g" rx="2" fill="%s"/>`+"\n", x, barsBase-height,
			barsPitch-3, height, arms[0].color)
		fmt.Fprintf(&b, `<text class="letter" x="%d" y="%d">%c</text>`+"\n", x+barsPitch/2, barsBase+18, letter)
	}

	high := 1.15 * run.Start.Memoryless
	x := func(update int) float64 { return leftmost + (plotRight-leftmost)*float64(update)/float64(last.Update) }
	y := func(loss float64) float64 { return plotBottom - (plotBottom-plotTop)*min(loss, high)/high }
	fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", a.plotX, a.plotY)
	label(leftmost, 24, "", "Loss of networks that should say the letter before")
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#c9cdd2"/>`+"\n", leftmost, plotTop, plotBottom,
		plotRight)
	fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="%s" stroke-dasharray="1 4" stroke-width="2"/>`+"\n", leftmost,
		y(run.Start.Memoryless), plotRight, softColor)
	label(leftmost, plotBottom+17, "", "0")
	label(plotRight, plotBottom+17, "text-anchor: end", fmt.Sprintf("%d updates", last.Update))
	label(plotRight-4, y(run.Start.Memoryless)-6, "text-anchor: end", "best without memory")
	fmt.Fprintf(&b, `<clipPath id="seen"><rect x="%d" width="%d" height="%d"/></clipPath>`+"\n"+
		`<use href="#lines" opacity="0.35"/><g clip-path="url(#seen)"><g id="lines">`+"\n", leftmost,
		plotRight-leftmost, plotBottom+1)
	for arm := range run.Start.Arms {
		var points []string
		for _, m := range run.Losses {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(m.Update), y(float64(m.Losses[arm]))))
		}
		fmt.Fprintf(&b, `<path d="M%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n",
			strings.Join(points, "L"), arms[arm].color, arms[arm].dashes)
	}
	b.WriteString("</g></g>\n")
	for arm, name := range run.Start.Arms {
		label(plotRight+6, y(float64(last.Losses[arm]))+4, bold(arm), name)
	}

	b.WriteString("</g>\n")

	label(leftmost, float64(a.rowsTop), "", "Their answers (–: none yet), wrong ones in boxes:")
	in, out := task.WarpText(string(shownText), shownClock, '–')
	pitch := float64(a.width-rowsLeft-16) / float64(a.steps)
	row := func(k int, name, style string, letters, right []rune) {
		for from := 0; from < len(letters); from += a.steps {
			y := float64(a.rowsTop + 22 + rowsPitch*(k+6*from/a.steps))
			label(leftmost, y, style, name)
			for t, letter := range letters[from:min(from+a.steps, len(letters))] {
				at, class := rowsLeft+pitch*(float64(t)+0.5), "steps"
				if letter != right[from+t] {
					class += " wrong"
					fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="16" fill="%s"/>`+"\n", at-pitch/2,
						y-12, pitch, wrongColor)
				}
				fmt.Fprintf(&b, `<text class="%s" x="%.1f" y="%.1f">%c</text>`+"\n", class, at, y, letter)
			}
		}
	}
	row(0, "reads", "", []rune(in), []rune(in))
	row(1, "should say", "", []rune(out), []rune(out))
	for arm, name := range run.Start.Arms {
		letters := slices.Repeat([]rune{'–'}, len(run.Latest.Symbols))
		for t, answer := range run.Latest.Answers[arm] {
			if at := slices.Index(run.Latest.Symbols, answer); at >= 0 {
				letters[t] = []rune(in)[at]
			}
		}
		row(2+arm, name, bold(arm), letters, []rune(out))
	}
	return b.String() + "</svg>\n"
}

func bold(arm int) string { return fmt.Sprintf("fill: %s; font-weight: 600", arms[arm].color) }
