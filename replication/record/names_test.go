package record

import (
	"encoding/json"
	"testing"
)

// Parts and fields that were renamed compare equal by their present names; the same word elsewhere stays.
func TestPresentNames(t *testing.T) {
	defer func(parts map[string]string, fields map[string]map[string]string) {
		renamedParts, renamedFields = parts, fields
	}(renamedParts, renamedFields)
	renamedParts = map[string]string{"cell.Old": "cell.New"}
	renamedFields = map[string]map[string]string{"": {"Rule": "Schedule"}, "cell.New": {"Start": "Init"}}
	for _, c := range [][2]string{
		{`{"Rule":{"is":"a","Rule":1}, "L":[ {"is":"cell.Old","Start":"cell.Old"}, null]}`,
			`{"Schedule":{"is":"a","Rule":1},"L":[{"is":"cell.New","Init":"cell.Old"},null]}`},
		{`{"is":"cell.New","Start":[1e-3,{"Start":-0.50}]}`, `{"is":"cell.New","Init":[1e-3,{"Start":-0.50}]}`},
		{`{"Rule":{"Start":{},"Rule":[]}}`, `{"Schedule":{"Start":{},"Rule":[]}}`},
		{`{"a":`, `{"a":`}, {``, ``}, {`7`, `7`},
	} {
		if got := string(PresentNames(json.RawMessage(c[0]))); got != c[1] {
			t.Errorf("%s\nbecame %s\nwant   %s", c[0], got, c[1])
		}
	}
}
