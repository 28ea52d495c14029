package papers

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

//go:embed rules.txt
var history string

// A Rule is a line of rules.txt: since when a claim is judged by a rule, and why it was changed.
type Rule struct{ Date, Hash, Claim, Why string }

// History is rules.txt: of each claim, its rules from the first on. A test wants the last to be today's.
func History() (all []Rule) {
	for line := range strings.Lines(history) {
		if fields := strings.SplitN(strings.TrimSpace(line), " ", 4); !strings.HasPrefix(line,
			"#") && len(fields) >= 3 {
			all = append(all, Rule{fields[0], fields[1], fields[2], strings.Join(fields[3:], " ")})
		}
	}
	return all
}

// RulesOf is the date of the newest rule.
var RulesOf = func() string {
	newest := ""
	for _, r := range History() {
		newest = max(newest, r.Date)
	}
	return newest
}()

// Rules are the hashes of the rules that a run's record decides: what its header has to show that they were fixed
// before.
func Rules(h record.Header) map[string]string {
	rules := map[string]string{}
	for _, s := range All.Sets() {
		for _, c := range s.Claims {
			if s.Decides(c, h) {
				rules[s.ClaimID(c)] = s.Hash(c)
			}
		}
	}
	return rules
}

// Unregistered are the claims whose rule is not the last that rules.txt has of them, and the rule's hash.
func Unregistered() map[string]string {
	last := map[string]string{}
	for _, r := range History() {
		last[r.Claim] = r.Hash
	}
	changed := map[string]string{}
	for _, s := range All.Sets() {
		for _, c := range s.Claims {
			if id, hash := s.ClaimID(c), s.Hash(c); last[id] != hash {
				changed[id] = hash
			}
		}
	}
	return changed
}

// Judge judges all claims by the records of a directory and, if it has a neighbour superseded, by the records there,
// whose places others have taken: they count where a condition asks for them. Sweeps count that are whole.
func Judge(dir string, records []*record.Record) ([]claim.Judgement, error) {
	beside := filepath.Join(filepath.Dir(filepath.Clean(dir)), "superseded")
	if _, err := os.Stat(beside); err == nil {
		superseded, err := record.ReadAny(beside)
		if err != nil {
			return nil, err
		}
		records = slices.Concat(records, superseded)
	}
	return claim.Judge(All.Sets(), experiment.WholeSweeps(All.Trained(), records)), nil
}
