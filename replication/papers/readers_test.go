package papers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/papers"
	"github.com/warptime/warptime/replication/record"
)

// judged are the verdicts of the committed records.
func judged(t *testing.T) ([]claim.Judgement, []*record.Record) {
	t.Helper()
	records, err := record.ReadAll("../records")
	if errors.Is(err, record.ErrNone) {
		t.Skip(err)
	}
	check.OK(t, err)
	return claim.Judge(papers.All.Claims(), records), records
}

// Who reads that nothing can be said yet reads which run would decide it. That run is declared, its cost is known, and
// it has not been made.
func TestWhatWouldDecide(t *testing.T) {
	judgements, records := judged(t)
	for _, j := range claim.Only(judgements, claim.Inconclusive, claim.NotRun) {
		if len(j.Left()) == 0 {
			t.Errorf("%s is %v, and names no run in DecidedBy that would decide it and has not been made", j.ID,
				j.Answer)
		}
		for _, run := range j.Left() {
			if run.Needs != "" {
				continue
			}
			if why := impossible(run, records); why != "" {
				t.Errorf("%s would be decided by %v: %s", j.ID, run, why)
			} else if _, ok := papers.Hours(run); ok != !slices.Contains(notMeasured, run.Figure+" "+run.Panel) {
				t.Errorf("%s would be decided by %v, whose cost is in hours.txt: %v", j.ID, run, ok)
			}
		}
	}
}

// notMeasured are panels whose data were missing where the cost was measured.
var notMeasured = []string{"warp/fig7 text8"}

// A page for readers has one number for each claim, which fits its column, and every rule can be judged again at half
// and at twice its thresholds.
func TestClaimsAreForReaders(t *testing.T) {
	const widest = 120 // runes
	judgements, _ := judged(t)
	for _, j := range judgements {
		if j.Answer == claim.NotRun {
			continue
		}
		if j.Number == "" {
			t.Errorf("%s has no number that matters: end its finding with With", j.ID)
		}
		if n := utf8.RuneCountInString(j.Number); n > widest && len(j.Open) == 0 {
			t.Errorf("%s: the number that matters has %d runes, want at most %d: %s", j.ID, n, widest, j.Number)
		}
		if !strings.HasSuffix(j.Says, ".") {
			t.Errorf("%s says no sentence: %s", j.ID, j.Says)
		}
		if slices.Contains(j.Robustness().Without, claim.NoThreshold) {
			t.Errorf("%s reads no threshold", j.ID)
		}
	}
}
