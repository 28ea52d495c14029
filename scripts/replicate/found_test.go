package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/warp"
	"github.com/warptime/warptime/scripts/internal/command"
	"github.com/warptime/warptime/scripts/internal/plan"
)

// What came out of our records is not said of those that were trained here.
func TestFoundIsOfOurRecords(t *testing.T) {
	choice := plan.Choice{Names: "warp/fig4/adding200", Scale: "paper"}
	tasks, err := choice.Tasks()
	check.OK(t, err)
	dir, out := t.TempDir(), t.TempDir()
	invent(t, dir, tasks, 0.1)
	p := pictures{records: dir, dir: out, out: &command.Output{To: t.Output()}, left: map[string]int{}}
	check.OK(t, p.start(false, tasks))
	p.complete(tasks[0])
	check.OK(t, p.failed)
	caption := string(check.Read(t, filepath.Join(out, "warp", "fig4.svg")))
	check.Equal(t, strings.Contains(caption, warp.Fig4.Found), false, "what came out is said")
}
