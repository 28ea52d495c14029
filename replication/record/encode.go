package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
)

// sumKey stands before the checksum of a record, sumTail is how long what follows the checksummed bytes is.
const (
	sumKey  = `,"sha256":"`
	sumTail = len(sumKey) + 2*sha256.Size + len("\"}\n")
)

// encode returns the record's file, as far as the record has come: its lines by the update that they are of. At one
// update, divergences come first, then points, then resumptions.
func (r *Record) encode() []byte {
	type line struct {
		update, rank int
		kind         string
		v            any
	}
	var lines []line
	for _, d := range r.Diverged {
		lines = append(lines, line{d.Update, 0, "diverged", d})
	}
	for _, p := range r.Points {
		lines = append(lines, line{p.Update, 1, "point", p})
	}
	for _, s := range r.Resumed {
		lines = append(lines, line{s.Update, 2, "resumed", s})
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.update, b.update), cmp.Compare(a.rank, b.rank))
	})
	file := appendLine(nil, "run", runLine{Format, &r.Header})
	for _, l := range lines {
		file = appendLine(file, l.kind, l.v)
	}
	if r.End == nil {
		return file
	}
	end := *r.End
	end.SHA256 = ""
	file = bytes.TrimSuffix(appendLine(file, "end", end), []byte("}\n"))
	return fmt.Appendf(file, "%s%x\"}\n", sumKey, sha256.Sum256(file))
}

type runLine struct {
	Format int `json:"format"`
	*Header
}

// appendLine encodes v, a struct, as a line that starts with its kind.
func appendLine(file []byte, kind string, v any) []byte {
	file = fmt.Appendf(file, `{"kind":%q,`, kind)
	return append(append(file, mustJSON(v)[1:]...), '\n')
}

// mustJSON encodes values whose types always can be: without white space, and without escapes for HTML.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
