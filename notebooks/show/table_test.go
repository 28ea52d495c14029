package show

import (
	"testing"

	"github.com/warptime/warptime/internal/check"
)

func TestTable(t *testing.T) {
	shown := capture(t)
	table := NewTable("T", "error", "share")
	table.Row("long", "%.1f %%", 1.25, 20.0)
	table.Display()
	const want = "| T | error | share |\n|:--|--:|--:|\n| long | 1.2 % | 20.0 % |\n"
	check.Equal(t, text((*shown)[0]), want, "table")
}
