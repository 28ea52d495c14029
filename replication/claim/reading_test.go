package claim

import (
	"reflect"
	"testing"
)

// A claim is what it is under every reading that can be the paper's, and under one of them if that is enough.
func TestReadings(t *testing.T) {
	reading := func(name string, learned bool, answer Answer, found string) Reading {
		return Reading{name, learned, Found(answer, "it is unclear", "both", found)}
	}
	yes, no := reading("yes", true, Reproduced, "1"), reading("no", true, Contradicted, "2")
	unclear, nothing := reading("unclear", true, Inconclusive, "3"), reading("nothing", false, Contradicted, "4")
	for _, c := range []struct {
		readings    []Reading
		every, some Finding
	}{
		{[]Reading{yes, yes}, yes.Finding, yes.Finding},
		{[]Reading{nothing, no}, Found(Contradicted, "", "both", "4", "2"), Found(Contradicted, "", "both", "4", "2")},
		{[]Reading{nothing}, Found(Inconclusive, NothingLearned, "both", "4"),
			Found(Inconclusive, NothingLearned, "both", "4")},
		{[]Reading{unclear, no, yes}, Found(Inconclusive, "inconclusive: it is unclear (unclear), contradicted (no), "+
			"reproduced (yes)", "both", "3", "2", "1"), yes.Finding},
	} {
		if got := UnderEvery(c.readings...); !reflect.DeepEqual(got, c.every) {
			t.Errorf("under every reading: %+v, want %+v", got, c.every)
		}
		if got := UnderSome(c.readings...); !reflect.DeepEqual(got, c.some) {
			t.Errorf("under some reading: %+v, want %+v", got, c.some)
		}
	}
	missing := Reading{Name: "missing", Finding: Missing("no record")}
	if got := UnderSome(no, missing); got.Answer != NotRun {
		t.Errorf("without a record that can decide it: %+v", got)
	}
	if merged := Merged("same", yes, yes); len(merged) != 1 || merged[0].Name != "same" {
		t.Errorf("merged %+v", merged)
	}
	if merged := Merged("same", yes, no); len(merged) != 2 {
		t.Errorf("merged %+v", merged)
	}
}
