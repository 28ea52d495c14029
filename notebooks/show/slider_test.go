package show

import (
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"
)

func TestSliderShowsOneFrame(t *testing.T) {
	shown := capture(t)
	var frames []Frame
	for _, says := range []string{"a", "b < c", "d"} {
		frames = append(frames, Frame{says, NewChart(says, "x", "y")})
	}
	Slider("bias", 3*vg.Inch, 2*vg.Inch, 1, frames)
	html := (*shown)[0].Data[protocol.MIMETextHTML].(string)
	for part, want := range map[string]int{
		"<svg": 3, "<?xml": 0, "data-frame hidden>": 2, "data-frame><p>b &lt; c</p>": 1, `max="2" value="1"`: 1,
	} {
		if n := strings.Count(html, part); n != want {
			t.Errorf("%d times %q, want %d, in\n%s", n, part, want, html)
		}
	}
}
