package run

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/experiment"
)

// absent is data that is not there.
type absent struct{ experiment.Data }

func (absent) Ready() error { return errors.New("no such data:\nnowhere") }

// Where data is missing, one line says so, and nothing is written.
func TestMissingDataWritesNothing(t *testing.T) {
	task := tinyTask(t, copying)
	task.Data = absent{task.Data}
	r := Runner{Dir: t.TempDir()}
	_, err := r.Train(context.Background(), task)
	if err == nil || !strings.Contains(err.Error(), "no such data") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one line", err)
	}
	check.Entries(t, r.Dir, 0)
}

var _ = experiment.Name("test.absent", absent{})
