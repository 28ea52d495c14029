package replication

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// Format is the number of the record format that this package writes and reads.
const Format = 1

// Scales are the sizes at which an experiment is declared, from the smallest to the paper's own.
var Scales = []string{"quick", "reduced", "paper"}

// A Record is the evidence that one run leaves: what was run, with what, and what came out.
//
// On disk it is a JSONL file: one "run" line (the Header), "point" lines, and one "end" line that closes it
// with a checksum of every byte before it. A number that JSON cannot express is written as one of the strings "NaN",
// "+Inf" and "-Inf"; all others are written with as many digits as give the same float64 back.
type Record struct {
	Header
	Points  []Point
	Resumed []Resumed // where the run went on under another commit, version or machine
	End     *End      // nil if the run is unfinished; Read never returns such a record, ReadPartial does
	Path    string    // the file it was read from
}

// A Header is a record's first line: everything that determines a run, and where it ran.
type Header struct {
	Figure string  `json:"figure"` // "fig3"
	Panel  string  `json:"panel"`  // "copy500"
	Scale  string  `json:"scale"`  // one of Scales
	Part   string  `json:"part,omitempty"`
	Models []Model `json:"models"` // the R models that trained side by side; every list of values has this order

	// Settings has every hyperparameter, by its standard name. Values are strings, bools and numbers; a number reads back as a float64.
	Settings map[string]any `json:"settings"`

	Backend string `json:"backend"` // "xla:cpu"
	Environment
	Started string `json:"started"` // RFC 3339
}

// Environment is what a run ran with. A run may be resumed in another one, and its record then says so.
type Environment struct {
	Commit   string            `json:"commit"`
	Versions map[string]string `json:"versions"` // go, gomlx, compute, goxla
	Device   string            `json:"device"`
	CPU      string            `json:"cpu"`
}

// A Model is one of the R models of a run.
type Model struct {
	Arm   string   `json:"arm"`         // what is compared: "standard" and "chrono"; for Figures 1 and 5 the architecture
	X     *float64 `json:"x,omitempty"` // the swept value (Figure 1's maximum_warping); nil if the panel sweeps none
	Trial int      `json:"trial"`       // 0, 1, … within its arm and x
	Seed  uint64   `json:"seed"`
}

// A Point has one value per model at one step of training.
type Point struct {
	Step   int    `json:"step"`   // training steps done
	Series string `json:"series"` // "train": mean loss over the steps since the series' last point; "valid": loss on the validation set
	Values Values `json:"values"` // [R]
}

// Resumed says that the steps after Step were done in another environment than those before.
type Resumed struct {
	Step int `json:"step"`
	Environment
}

// End is a record's last line.
type End struct {
	Steps   int               `json:"steps"`   // training steps done in all
	Seconds float64           `json:"seconds"` // wall-clock time of training and evaluation, over all resumptions
	Final   map[string]Values `json:"final"`   // results by name, [R] each
	SHA256  string            `json:"-"`       // of every byte of the file before `,"sha256":`
}

// Values are numbers that survive JSON even where they are NaN or infinite.
type Values []float64

// MarshalJSON writes NaN and the infinities as strings. It never fails.
func (v Values) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			b = strconv.AppendQuote(b, strconv.FormatFloat(x, 'g', -1, 64))
		} else {
			b = strconv.AppendFloat(b, x, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Values) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	out := make(Values, len(items))
	for i, item := range items {
		switch s := string(item); s {
		case `"NaN"`:
			out[i] = math.NaN()
		case `"+Inf"`:
			out[i] = math.Inf(1)
		case `"-Inf"`:
			out[i] = math.Inf(-1)
		case "null": // json.Unmarshal would take it for 0
			return errors.New("null is no number")
		default:
			if err := json.Unmarshal(item, &out[i]); err != nil {
				return err
			}
		}
	}
	*v = out
	return nil
}

// RecordPath returns where the record of a run lies: dir/figure/panel.scale[.part].jsonl.
func RecordPath(dir string, h Header) string {
	name := h.Panel + "." + h.Scale
	if h.Part != "" {
		name += "." + h.Part
	}
	return filepath.Join(dir, h.Figure, name+".jsonl")
}

// PartialPath returns where the record that will be at path lies until it is complete.
func PartialPath(path string) string { return path + ".partial" }

// Read reads the complete record at path. An error is one line that names path and says what is wrong: it is missing, truncated,
// edited, of an unknown format, or contradicts itself.
func Read(path string) (*Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, recordError(path, err)
	}
	r, err := parse(data)
	if err == nil && r.End == nil {
		err = errTruncated
	}
	if err != nil {
		return nil, recordError(path, err)
	}
	r.Path = path
	return r, nil
}

// ReadPartial reads as much as there is of the unfinished record that will be at path, for a look at a run in progress.
// A last line that is still being written is left out.
func ReadPartial(path string) (*Record, error) {
	path = PartialPath(path)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, recordError(path, err)
	}
	r, err := parse(data[:bytes.LastIndexByte(data, '\n')+1])
	if err != nil {
		return nil, recordError(path, err)
	}
	r.Path = path
	return r, nil
}

// ReadAll reads every complete record (*.jsonl) under dir, in the order of their paths, and passes over unfinished ones. It fails at the
// first that cannot be read or does not lie where RecordPath puts it, so that no run can count twice.
func ReadAll(dir string) ([]*Record, error) {
	var records []*Record
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return recordError(path, err)
		}
		if d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return nil
		}
		r, err := Read(path)
		if err != nil {
			return err
		}
		if want := RecordPath(dir, r.Header); filepath.Clean(path) != want {
			return recordError(path, fmt.Errorf("by its first line it belongs at %s", want))
		}
		records = append(records, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// Equal reports whether two records are of the same run with the same results, bit for bit: everything but the clock (when it
// started, how long it took) and the environment must agree.
func Equal(a, b *Record) bool {
	if !sameRun(a.Header, b.Header) || (a.End == nil) != (b.End == nil) {
		return false
	}
	strip := func(r *Record) any {
		s := struct {
			Points []Point
			Steps  int
			Final  map[string]Values
		}{Points: r.Points}
		if r.End != nil {
			s.Steps, s.Final = r.End.Steps, r.End.Final
		}
		return s
	}
	return bytes.Equal(mustJSON(strip(a)), mustJSON(strip(b)))
}

// Arm returns the indices of the models of an arm, in the order of Models.
func (r *Record) Arm(arm string) []int {
	var models []int
	for i, m := range r.Models {
		if m.Arm == arm {
			models = append(models, i)
		}
	}
	return models
}

// Series returns a series' points, in the order of their steps.
func (r *Record) Series(name string) []Point {
	var points []Point
	for _, p := range r.Points {
		if p.Series == name {
			points = append(points, p)
		}
	}
	return points
}

// Number returns a numeric setting.
func (h *Header) Number(name string) (float64, bool) {
	switch x := h.Settings[name].(type) {
	case float64:
		return x, true
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	}
	return 0, false
}

var (
	errTruncated = errors.New("truncated: it does not end with an end line")
	errEdited    = errors.New("edited: its bytes do not have the SHA-256 that it ends with")
)

func recordError(path string, err error) error {
	return fmt.Errorf("record %s: %w", path, pathless(err))
}

// pathless returns what an error of the file system says without the paths, for a message that names the path already.
func pathless(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

var word = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// validate refuses a header that could not be found again, or read.
func (h *Header) validate() error {
	for _, s := range []string{h.Figure, h.Panel, h.Scale} {
		if !word.MatchString(s) {
			return fmt.Errorf("figure, panel and scale must be words of a-z, 0-9, _ and -, not %q", s)
		}
	}
	if h.Part != "" && !word.MatchString(h.Part) {
		return fmt.Errorf("part must be a word of a-z, 0-9, _ and -, not %q", h.Part)
	}
	if !slices.Contains(Scales, h.Scale) {
		return fmt.Errorf("scale %q is none of %q", h.Scale, Scales)
	}
	if len(h.Models) == 0 {
		return errors.New("a run has at least one model")
	}
	for _, m := range h.Models {
		if m.Arm == "" || m.X != nil && (math.IsNaN(*m.X) || math.IsInf(*m.X, 0)) {
			return errors.New("every model needs an arm, and a finite x if any")
		}
	}
	for name, value := range h.Settings {
		switch x := value.(type) {
		case string, bool, int, int64, uint64:
		case float64:
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("setting %s is %g", name, x)
			}
		default:
			return fmt.Errorf("setting %s is a %T: only strings, bools, ints and float64s can be written", name, value)
		}
	}
	return nil
}

// sameRun reports whether two headers ask for the same training: all but the environment and the time of its start.
func sameRun(a, b Header) bool {
	plain := func(h Header) []byte {
		h.Environment, h.Started = Environment{}, ""
		var read Header // with every number of the settings as the float64 that it reads back as
		if err := json.Unmarshal(mustJSON(h), &read); err != nil {
			panic(err)
		}
		return mustJSON(read)
	}
	return bytes.Equal(plain(a), plain(b))
}

// sumTail is what follows the checksummed bytes: `,"sha256":"<64 hex digits>"}` and the end of the line.
const (
	sumKey  = `,"sha256":"`
	sumTail = len(sumKey) + 2*sha256.Size + len("\"}\n")
)

// parse reads a record from whole lines, its end line optional.
func parse(data []byte) (*Record, error) {
	if len(data) == 0 {
		return nil, errors.New("empty")
	}
	if data[len(data)-1] != '\n' {
		return nil, errTruncated
	}
	r := &Record{}
	last := map[string]int{} // step of each series' last point
	step := 0
	for n, offset := 1, 0; offset < len(data); n++ {
		line := data[offset : offset+bytes.IndexByte(data[offset:], '\n')]
		start := offset
		offset += len(line) + 1

		var kind struct {
			Kind   string
			Format int
		}
		if err := json.Unmarshal(line, &kind); err != nil {
			return nil, fmt.Errorf("line %d is not a line of a record: %w", n, err)
		}
		if (n == 1) != (kind.Kind == "run") {
			return nil, fmt.Errorf("line %d has the kind %q: a record starts with one run line, and has no other", n, kind.Kind)
		}
		if r.End != nil {
			return nil, fmt.Errorf("line %d follows the end line", n)
		}
		var err error
		switch kind.Kind {
		case "run":
			if kind.Format != Format {
				return nil, fmt.Errorf("unknown format %d: this program reads format %d", kind.Format, Format)
			}
			if err = json.Unmarshal(line, &r.Header); err == nil {
				err = r.validate()
			}
		case "point":
			var p Point
			if err = json.Unmarshal(line, &p); err != nil {
				break
			}
			before, seen := last[p.Series]
			switch {
			case p.Series == "":
				err = errors.New("point without a series")
			case len(p.Values) != len(r.Models):
				err = fmt.Errorf("%d values for %d models", len(p.Values), len(r.Models))
			case p.Step < step || seen && p.Step == before:
				err = fmt.Errorf("step %d of %q after step %d", p.Step, p.Series, step)
			}
			step, last[p.Series] = p.Step, p.Step
			r.Points = append(r.Points, p)
		case "resumed":
			var s Resumed
			err = json.Unmarshal(line, &s)
			r.Resumed = append(r.Resumed, s)
		case "end":
			r.End = &End{}
			if err = json.Unmarshal(line, r.End); err != nil {
				break
			}
			if r.End.SHA256, err = checkSum(data[:offset], start); err != nil {
				return nil, err
			}
			if r.End.Steps < step {
				err = fmt.Errorf("%d steps in all, but a point at step %d", r.End.Steps, step)
			}
			for name, v := range r.End.Final {
				if len(v) != len(r.Models) {
					err = fmt.Errorf("final %s has %d values for %d models", name, len(v), len(r.Models))
				}
			}
		default:
			err = fmt.Errorf("unknown kind %q", kind.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return r, nil
}

// checkSum returns the checksum that data, a whole record whose end line starts at start, ends with, or errEdited.
func checkSum(data []byte, start int) (string, error) {
	body := len(data) - sumTail
	if body < start || !bytes.HasPrefix(data[body:], []byte(sumKey)) {
		return "", errEdited
	}
	want := string(data[body+len(sumKey) : len(data)-len("\"}\n")])
	sum := sha256.Sum256(data[:body])
	if hex.EncodeToString(sum[:]) != want {
		return "", errEdited
	}
	return want, nil
}

// mustJSON encodes values whose types always can be.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
