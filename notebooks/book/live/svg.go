//go:build !js

package main

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/warptime/warptime/chrono/task"
)

// The picture's measures, in pixels, and its colours, those of the figures' first three lines.
const (
	pictureWidth, pictureHeight  = 760, 260
	plotLeft, plotRight          = 330, 670
	plotTop, plotBottom          = 40, 222
	barsLeft, barWidth, barsBase = 20, 20, 150
	stepHeight                   = 8
)

var arms = []struct{ color, dashes string }{{"#1f4e9c", ""}, {"#d93f28", "9 4"}, {"#00835f", "4 3"}}

// picture draws the page as an SVG that moves: a text and its clock on the left, and on the right the losses of a
// training on such clocks, which grow for eight seconds. It stands still where the reader wants no motion.
func picture(messages []Message) string {
	start, losses := messages[0], []Message{}
	for _, m := range messages {
		if m.Kind == "losses" {
			losses = append(losses, m)
		}
	}
	last := losses[len(losses)-1]
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" `+
		`role="img" aria-label="%[3]s">
<style>
text { font: 13px system-ui, sans-serif; fill: #5d6166 }
.letter { font: 600 14px ui-monospace, monospace; fill: #1b1b1b; text-anchor: middle }
.steps { font: 13px ui-monospace, monospace; fill: #1b1b1b }
#cover { animation: grow 10s linear infinite; transform-origin: %dpx 0 }
@keyframes grow { 0%% { transform: scaleX(1) } 80%%, 100%% { transform: scaleX(0) } }
@media (prefers-reduced-motion) { #cover { animation: none; transform: scaleX(0) } }
</style>
<rect width="100%%" height="100%%" rx="10" fill="white"/>
`, pictureWidth, pictureHeight, "A text whose characters last for different numbers of steps, and the losses of a "+
		"plain, a leaky and a gated network that learn to follow such texts: the gated one learns fastest.",
		plotRight+2)
	label := func(x, y float64, text string) {
		fmt.Fprintf(&b, `<text x="%g" y="%g">`, x, y)
		xml.EscapeText(&b, []byte(text)) // a strings.Builder returns no errors
		b.WriteString("</text>\n")
	}
	const text = "time␣may␣warp"
	steps := []int{1, 3, 2, 5, 1, 8, 10, 6, 2, 1, 4, 9, 12}
	label(barsLeft, 24, "a text; each letter lasts for some steps")
	for i, letter := range []rune(text) {
		x, height := barsLeft+i*(barWidth+2), steps[i]*stepHeight
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="2" fill="#1f4e9c"/>`+"\n", x, barsBase-height,
			barWidth, height)
		fmt.Fprintf(&b, `<text class="letter" x="%d" y="%d">%c</text>`+"\n", x+barWidth/2, barsBase+18, letter)
	}
	in, out := task.WarpText(text, steps, '–')
	for i, line := range []string{in, out} {
		label(barsLeft, float64(200+20*i), []string{"read", "say"}[i])
		fmt.Fprintf(&b, `<text class="steps" x="%d" y="%d">%s …</text>`+"\n", barsLeft+40, 200+20*i,
			string([]rune(line)[:26]))
	}

	high := start.Memoryless * 1.1
	x := func(update int) float64 { return plotLeft + (plotRight-plotLeft)*float64(update)/float64(last.Update) }
	y := func(loss float64) float64 { return plotBottom - (plotBottom-plotTop)*min(loss, high)/high }
	label(plotLeft, 24, fmt.Sprintf("networks learn to follow such clocks: loss over %d updates", last.Update))
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#c9cdd2"/>`+"\n", plotLeft, plotTop, plotBottom,
		plotRight)
	fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#5d6166" stroke-dasharray="1 4" stroke-width="2"/>`+"\n", plotLeft,
		y(start.Memoryless), plotRight)
	label(plotRight-82, y(start.Memoryless)-6, "memoryless")
	for arm, name := range start.Arms {
		var points []string
		for _, m := range losses {
			if loss := m.Losses[arm]; loss != nil {
				points = append(points, fmt.Sprintf("%.1f,%.1f", x(m.Update), y(*loss)))
			}
		}
		fmt.Fprintf(&b, `<path d="M%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n",
			strings.Join(points, "L"), arms[arm].color, arms[arm].dashes)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" style="fill: %s; font-weight: 600">%s</text>`+"\n", plotRight+6,
			y(*last.Losses[arm])+4, arms[arm].color, name)
	}
	fmt.Fprintf(&b, `<rect id="cover" x="%d" y="%d" width="%d" height="%d" fill="white"/>`+"\n</svg>\n", plotLeft+1,
		plotTop+12, plotRight-plotLeft+1, plotBottom-plotTop-13)
	return b.String()
}
