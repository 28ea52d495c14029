package show

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// inCheckout changes to the directory of a notebook's copy in a checkout with those of this repository's records that
// are chosen.
func inCheckout(t *testing.T, chosen func(*record.Record) bool) {
	root := t.TempDir()
	to := filepath.Join(root, "replication/records")
	check.OK(t, os.MkdirAll(to, 0o755))
	for _, r := range check.Got(record.ReadAny("../../replication/records"))(t) {
		if chosen(r) {
			check.Write(t, record.Path(to, r.Header), check.Read(t, r.Path))
		}
	}
	notebooks := filepath.Join(root, "out/notebooks")
	check.OK(t, os.MkdirAll(notebooks, 0o755))
	t.Chdir(notebooks)
}

func text(data *protocol.DisplayData) string {
	text, _ := data.Data[protocol.MIMETextMarkdown].(string)
	return text
}

// A part of a panel is not shown as all of it.
func TestRecordOfSeveral(t *testing.T) {
	inCheckout(t, func(r *record.Record) bool { return r.Paper+"/"+r.Figure == "warp/fig4" })
	check.Equal(t, Record("warp/fig4", "adding200").Panel, "adding200", "of a panel with one record")
	check.That(t, stopped(func() { Record("warp/fig4", "adding750") }), "of a panel with several, one is taken")
}

// Every cell about a figure must work before anything is trained, and say so.
func TestWithoutRecords(t *testing.T) {
	inCheckout(t, func(*record.Record) bool { return false })
	for _, f := range papers.All.Trained() {
		shown := capture(t)
		Figure(f.ID())
		check.Contains(t, text((*shown)[0]), filepath.Join(recordsDir(), f.ID()))
		r := Record(f.ID(), f.Panels[0].Name)
		check.That(t, r == nil && len(*shown) == 2, "%s: a record out of nowhere: %v, shown %d", f.ID(), r, len(*shown))
		if strings.HasPrefix(f.Name, "beyond-") { // claims about it go by names of their own
			continue
		}
		Claims(f.ID())
		if claims := text((*shown)[2]); !strings.Contains(claims, "not run") || strings.Contains(claims, "#") {
			t.Errorf("%s: claims without records: %s", f.ID(), claims)
		}
	}
	shown := capture(t)
	PanelOf("warp/fig1", "variable-warp-best")
	check.Equal(t, len(*shown), 1, "what a panel without records shows")
	shown = capture(t)
	Figure("warp/fig2") // it takes none
	check.That(t, (*shown)[0].Data[protocol.MIMEImageSVG] != nil, "Figure 2 is not shown without records")
}

func TestWithSomeRecords(t *testing.T) {
	inCheckout(t, func(r *record.Record) bool { return r.Figure == "fig4" && r.Panel == "adding200" })
	shown := capture(t)
	Figure("warp/fig4")
	r := Record("warp/fig4", "adding200")
	check.Equal(t, r.Scale, record.Paper, "the record of largest scale")
	TimeScales(float64(r.Steps), r)
	check.Equal(t, len(*shown), 2, "pictures")
	for _, picture := range *shown {
		check.That(t, picture.Data[protocol.MIMEImagePNG] != nil, "a picture without a PNG")
	}
}
