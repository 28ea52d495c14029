package papers

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

//go:embed rules.txt
var history string

// registered reads rules.txt: when its newest rule is from, and the hash of each claim's last rule, which is today's.
func registered() (newest string, last map[string]string) {
	last = map[string]string{}
	for line := range strings.Lines(history) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] != "#" { // date, hash, claim and why
			newest, last[f[2]] = max(newest, f[0]), f[1]
		}
	}
	return newest, last
}

// RulesOf is the date of the newest rule.
var RulesOf, _ = registered()

// Rules are the hashes of the rules that a run's record decides: what its header has to show that they were fixed
// before.
func Rules(h record.Header) map[string]string {
	return rulesOf(func(s claim.Set, c claim.Claim) bool { return s.Decides(c, h) })
}

// Unregistered are the claims whose rule is not the last that rules.txt has of them, and the rule's hash.
func Unregistered() map[string]string {
	_, last := registered()
	return rulesOf(func(s claim.Set, c claim.Claim) bool { return s.Hash(c) != last[s.ClaimID(c)] })
}

// rulesOf are the hashes of some claims' rules, by claim.
func rulesOf(some func(claim.Set, claim.Claim) bool) map[string]string {
	rules := map[string]string{}
	for _, s := range All.Sets() {
		for _, c := range s.Claims {
			if some(s, c) {
				rules[s.ClaimID(c)] = s.Hash(c)
			}
		}
	}
	return rules
}

// Judge judges all claims by the records of a directory and, if it has a neighbour superseded, by the records there,
// whose places others have taken: they count where a condition asks for them, and not in place of others that are
// missing. Arms count that have all of their trials and values of x.
func Judge(dir string, records []*record.Record) ([]claim.Judgement, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	superseded, err := record.ReadAny(filepath.Join(dir, "..", "superseded"))
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, r := range records {
		for _, t := range r.Trials {
			there[r.PanelName()+" "+t.Arm] = true
		}
	}
	superseded = slices.DeleteFunc(superseded, func(r *record.Record) bool {
		_, _, declared := All.PanelOf(r.Header)
		return declared && slices.ContainsFunc(r.Trials, func(t record.Trial) bool {
			return !there[r.PanelName()+" "+t.Arm]
		})
	})
	records = slices.Concat(records, superseded)
	return claim.Judge(All.Sets(), experiment.Judged(All.Trained(), records)), nil
}
