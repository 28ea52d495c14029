// Package record keeps the evidence: what was run, with what, and what came out. It depends on neither the trainer
// nor the papers.
//
// A record is a file of JSON lines. Here is a short one, its lines broken for the page:
//
//	{"kind":"run","format":2,"paper":"warp","figure":"fig3","panel":"copy500","scale":"quick",
//	  "trials":[{"arm":"standard","number":0,"seed":7,"memoryless":0.04},
//	            {"arm":"chrono","number":0,"seed":7,"memoryless":0.04}],
//	  "updates":250,"window":100,"batch":32,"units":64,"steps":120,"series":{"samples":200,"valid":200},
//	  "experiment":{"Trials":[…],"Network":{…},"Data":{"is":"trial.Symbols",…},…},
//	  "backend":"simd","commit":"7f31e09…","engine":2,…,"started":"2018-04-30T09:00:00Z"}
//	{"kind":"point","update":100,"series":"train","values":[0.0402,0.0391]}
//	{"kind":"diverged","update":131,"trial":1,"norms":[7.1e+29,"NaN"]}
//	{"kind":"point","update":200,"series":"train","values":[0.0400,"NaN"]}
//	{"kind":"point","update":200,"series":"valid","values":[0.0401,"NaN"]}
//	{"kind":"point","update":200,"series":"samples","vectors":[[0.1,0.3],[0.1,0.2]]}
//	{"kind":"resumed","update":200,"commit":"0b8d700…",…}
//	{"kind":"point","update":250,"series":"train","values":[0.0400,"NaN"]}
//	{"kind":"end","updates":250,"seconds":3.1,"final":{"loss":[0.04,"NaN"]},
//	  "vectors":{"forget":[[0.7,0.8],[0.9,1]]},"sha256":"…"}
//
// The run line is the Header. It says which points follow: of the series "train" one after every window of updates and
// one at the end, of each other series one at the intervals that it states. A diverged line says that a trial's loss
// was no longer finite, and of what norm its gradients had been: its training curve stops there. A resumed line says
// that what follows was computed in another environment. The end line closes the record with the results and with the
// SHA-256 of every byte before `,"sha256":`.
//
// Every list of values has one value for each trial, in the order of the run line. A number that JSON cannot express is
// one of the strings "NaN", "+Inf" and "-Inf"; all others have as many digits as give the same float64 back.
//
// While a run trains, its record is a part of its checkpoint, a file beside the record's place. The record itself is
// written once, when the run has ended. One that is truncated, edited, of an unknown format, without a point that its
// header asks for, in another place than its run line says, or written in any other way than this package writes it
// (keys that are unknown, twice there or in another order, other spaces, other ends of lines) is rejected.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Format is the number of the record format that this package writes and reads.
const Format = 2

// Train is the name of the series that every run has: the mean loss of each trial over the updates since the series'
// last point.
const Train = "train"

// Loss is the name of the result that every run has: the last point of the series Train.
const Loss = "loss"

// A Scale is a size at which an experiment is declared.
type Scale string

const (
	Quick   Scale = "quick"   // minutes on two cores, with nothing to download
	Reduced Scale = "reduced" // where Paper takes hours, or a GPU
	Paper   Scale = "paper"   // the paper's size
)

// Scales are all of them, from the smallest to the paper's own.
var Scales = []Scale{Quick, Reduced, Paper}

// A Record is the evidence that one run leaves.
type Record struct {
	Header
	Points   []Point
	Diverged []Diverged `json:",omitempty"` // the trials whose curve stops, in the order in which they did
	Resumed  []Resumed  // where the run went on in another environment
	End      *End       // nil if the run is unfinished; Read never returns such a record, ReadPartial does
	Path     string     // the file it was read from
}

// A Header is a record's first line: everything that determines a run, and where it ran.
type Header struct {
	Paper  string  `json:"paper"`          // "warp"
	Figure string  `json:"figure"`         // "fig3"
	Panel  string  `json:"panel"`          // "copy500"
	Scale  Scale   `json:"scale"`          // one of Scales
	Part   string  `json:"part,omitempty"` // of the panel, where one graph does not hold all of its trials
	Trials []Trial `json:"trials"`         // [R] what trained side by side; every list of values has this order

	Updates int            `json:"updates"`          // of training, in all
	Window  int            `json:"window"`           // updates between two points of the series "train"
	Batch   int            `json:"batch"`            // sequences in one
	Units   int            `json:"units"`            // hidden units
	Steps   int            `json:"steps"`            // of time in a sequence; in a sweep, in the longest
	Series  map[string]int `json:"series,omitempty"` // updates between two points of each other series

	// Experiment is the whole declaration that was run. It is compared as text, white space aside, and never
	// interpreted.
	Experiment json.RawMessage `json:"experiment"`

	Backend string `json:"backend"` // "xla:cpu"
	Environment
	Started string `json:"started"` // RFC 3339

	// Rules are the claims that the run was made to decide, each with the hash of its rule when the run began.
	Rules map[string]string `json:"rules,omitempty"`
}

// Environment is what a run ran with. A run may be resumed in another one, and its record then says so.
type Environment struct {
	Commit string `json:"commit"` // of the program; "+changes" if it was built from edited files

	// EngineVersion is raised when the program computes other last bits. It is 0 in records older than the field, which
	// are of version 1.
	EngineVersion int `json:"engine,omitempty"`

	Versions     map[string]string `json:"versions"`     // go, goexperiment, gomlx, compute, goxla
	Device       string            `json:"device"`       // as the backend describes it
	CPU          string            `json:"cpu"`          // the processor's name
	Instructions string            `json:"instructions"` // the instruction set in use, "avx512": last bits depend on it

	Plugin string `json:"plugin,omitempty"` // SHA-256 of XLA's plugin, in hexadecimal; empty on other engines
}

// Traceable reports whether the commit says exactly which program this was.
func (e Environment) Traceable() bool {
	return e.Commit != "unknown" && !strings.HasSuffix(e.Commit, "+changes")
}

// Engine is the backend without the number of its threads, on which no number depends: "simd" for "simd:threads=1".
func (h Header) Engine() string {
	engine, _, _ := strings.Cut(h.Backend, ":threads=")
	return engine
}

// A Trial is one of the R models of a run.
type Trial struct {
	Arm        string   `json:"arm"`                  // what the panel compares: "standard" and "chrono"
	X          *float64 `json:"x,omitempty"`          // the swept value; nil if the panel sweeps none
	Number     int      `json:"number"`               // 0, 1, … within its arm and x
	Seed       uint64   `json:"seed"`                 // of its weights and its data
	Memoryless *float64 `json:"memoryless,omitempty"` // loss of the best model without memory; nil if not known
	Best       *float64 `json:"best,omitempty"`       // the lowest loss that any model can have; nil if not known
}

// A Point has one value, or one list of them, for each trial after one update.
type Point struct {
	Update int    `json:"update"`           // updates done
	Series string `json:"series"`           // Train, or one of Header.Series
	Values Values `json:"values,omitempty"` // [R]

	// Vectors stand in place of Values in a series of several numbers of each trial.
	Vectors []Values `json:"vectors,omitempty"` // [R][n]
}

// Diverged says that a trial's loss was NaN or infinite at an update, for the first time. Its training curve stops
// there: no later point of the series "train" has a number for it.
type Diverged struct {
	Update int    `json:"update"`
	Trial  int    `json:"trial"` // its place among Header.Trials
	Norms  Values `json:"norms"` // of its gradients at the update before and at this one; NaN where there are none
}

// Resumed says that the updates after Update were done in another environment than those before.
type Resumed struct {
	Update int `json:"update"`
	Environment
}

// End is a record's last line.
type End struct {
	Updates int     `json:"updates"` // done in all: those of the header
	Seconds float64 `json:"seconds"` // wall-clock time of training and tests, over all resumptions

	Final   map[string]Values   `json:"final,omitempty"`   // results by name, [R] each
	Vectors map[string][]Values `json:"vectors,omitempty"` // results of several numbers by name, [R][n]; each its own n

	SHA256 string `json:"sha256,omitempty"` // of every byte of the file before `,"sha256":`, in hexadecimal
}

// Values are numbers that survive JSON even where they are NaN or infinite.
type Values []float64

// MarshalJSON implements json.Marshaler: NaN and the infinities are strings. It never fails.
func (v Values) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if Finite(x) {
			b = strconv.AppendFloat(b, x, 'g', -1, 64)
		} else {
			b = strconv.AppendQuote(b, strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON implements json.Unmarshaler: it reads what MarshalJSON writes, and other spellings of the same numbers,
// in memory of eight bytes a number.
func (v *Values) UnmarshalJSON(data []byte) error {
	inside, ok := bytes.CutPrefix(bytes.TrimSuffix(data, []byte("]")), []byte("["))
	if !ok {
		return fmt.Errorf("%.20q is no list of numbers", data)
	}
	out := make(Values, 0, bytes.Count(inside, []byte(","))+1)
	for item := range bytes.SplitSeq(inside, []byte(",")) {
		if len(item) == 0 {
			continue // of an empty list
		}
		x, err := strconv.ParseFloat(strings.Trim(string(item), `"`), 64)
		if err != nil {
			return fmt.Errorf("%.20q is no number", item)
		}
		out = append(out, x)
	}
	*v = out
	return nil
}

// Path returns where under dir the record of a run lies: dir/paper/figure/panel.scale[.part].jsonl.
func Path(dir string, h Header) string {
	name := h.Panel + "." + string(h.Scale)
	if h.Part != "" {
		name += "." + h.Part
	}
	return filepath.Join(dir, h.Paper, h.Figure, name+".jsonl")
}

// Name says which run it is: "warp/fig3 copy500 quick", and the part if there is one.
func (h Header) Name() string {
	return strings.TrimSuffix(fmt.Sprintf("%s/%s %s %s %s", h.Paper, h.Figure, h.Panel, h.Scale, h.Part), " ")
}

// PanelName says which panel it is, and at which scale: "warp/fig3 copy500 quick".
func (h Header) PanelName() string {
	h.Part = ""
	return h.Name()
}

// SameExperiment reports whether two headers ask for the same training. The backend, the environment and the time of
// the start may differ.
func (h Header) SameExperiment(other Header) bool {
	return bytes.Equal(mustJSON(h.asked()), mustJSON(other.asked()))
}

// asked returns what of a header is asked for, without what it happened to run on and what it is to decide.
func (h Header) asked() Header {
	h.Backend, h.Environment, h.Started, h.Rules = "", Environment{}, "", nil
	h.Experiment = PresentNames(h.Experiment)
	return h
}

// Arm returns the places of an arm's trials, in the order of Trials.
func (r *Record) Arm(arm string) (places []int) {
	for i, t := range r.Trials {
		if t.Arm == arm {
			places = append(places, i)
		}
	}
	return places
}

// Series returns a series' points, in the order of their updates. (The field of this name is r.Header.Series.)
func (r *Record) Series(name string) (points []Point) {
	for _, p := range r.Points {
		if p.Series == name {
			points = append(points, p)
		}
	}
	return points
}

// Until returns the unfinished record that there was after an update.
func (r *Record) Until(update int) *Record {
	so := *r
	so.End = nil
	so.Points = slices.DeleteFunc(slices.Clone(r.Points), func(p Point) bool { return p.Update > update })
	so.Diverged = slices.DeleteFunc(slices.Clone(r.Diverged), func(d Diverged) bool { return d.Update > update })
	return &so
}

var word = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// validate rejects a header that could not be found again, or read, or that asks for nothing.
func (h Header) validate() error {
	for _, s := range []string{h.Paper, h.Figure, h.Panel, string(h.Scale)} {
		if !word.MatchString(s) {
			return fmt.Errorf("paper, figure, panel and scale must be words of a-z, 0-9, _ and -, not %q", s)
		}
	}
	if h.Part != "" && !word.MatchString(h.Part) {
		return fmt.Errorf("part must be a word of a-z, 0-9, _ and -, not %q", h.Part)
	}
	if !slices.Contains(Scales, h.Scale) {
		return fmt.Errorf("scale %q is none of %q", h.Scale, Scales)
	}
	if h.Commit == "" {
		return errNoCommit
	}
	if len(h.Trials) == 0 {
		return errors.New("no trials: a run has at least one")
	}
	for i, t := range h.Trials {
		if t.Arm == "" {
			return fmt.Errorf("trial %d has no arm", i)
		}
		for _, x := range []*float64{t.X, t.Memoryless, t.Best} {
			if x != nil && !Finite(*x) {
				return fmt.Errorf("trial %d has x, memoryless or best loss %g, want a finite number or none", i, *x)
			}
		}
	}
	for name, n := range map[string]int{
		"updates": h.Updates, "window": h.Window, "batch": h.Batch, "units": h.Units, "steps": h.Steps,
	} {
		if n < 1 {
			return fmt.Errorf("%d %s, want at least 1", n, name)
		}
	}
	for name, every := range h.Series {
		if name == "" || name == Train || every < 1 {
			return fmt.Errorf("series %q every %d updates: wants another name than %q, and at least 1",
				name, every, Train)
		}
	}
	if !json.Valid(h.Experiment) || bytes.TrimSpace(h.Experiment)[0] != '{' {
		return errors.New("experiment is not a JSON object")
	}
	return nil
}

// Finite reports whether x is neither NaN nor infinite.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
