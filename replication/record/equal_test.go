package record

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// passedOver are the fields that two equal records may differ in.
var passedOver = []string{
	".Header.Environment.Commit", ".Header.Environment.Versions[go]", ".Header.Environment.Device",
	".Header.Environment.CPU", ".Header.Environment.Instructions",
	".Header.Environment.Plugin", ".Header.Started",
	".Resumed", ".Path", ".End.Seconds", ".End.SHA256",
}

// A change of any field, of any element of any list and of any value in any map makes two records unequal, except where
// it may not.
func TestEqualSeesEveryField(t *testing.T) {
	diverged := func() *Record {
		r := testRecord() // anew: maps and slices are not shared
		r.Diverged = []Diverged{{14, 1, Values{7e29, math.NaN()}}}
		return r
	}
	want, places := diverged(), 0
	for i := 0; ; i++ {
		got := diverged()
		n := 0
		name, changed := mutate(reflect.ValueOf(got).Elem(), "", &n, i)
		if !changed {
			break
		}
		places++
		if equal := Equal(want, got); equal != slices.Contains(passedOver, name) {
			t.Errorf("%s is another: equal = %v", name, equal)
		}
		if Equal(got, want) != Equal(want, got) {
			t.Errorf("%s: it depends on the order", name)
		}
	}
	if !Equal(want, diverged()) {
		t.Error("a record is not equal to itself")
	}
	if places < 60 { // 16 values in points, 12 in results, and the header
		t.Errorf("only %d places were changed", places)
	}
}

// mutate changes the i-th thing that can be changed in v, counting with n, and returns its name.
func mutate(v reflect.Value, name string, n *int, i int) (string, bool) {
	here := func() bool { *n++; return *n == i+1 }
	switch v.Kind() {
	case reflect.Struct:
		for f := range v.NumField() {
			if name, ok := mutate(v.Field(f), name+"."+v.Type().Field(f).Name, n, i); ok {
				return name, true
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			if here() {
				v.Set(reflect.New(v.Type().Elem()))
				return name, true
			}
			return "", false
		}
		if here() {
			v.SetZero()
			return name, true
		}
		return mutate(v.Elem(), name, n, i)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if here() {
				v.SetBytes([]byte(`{"data":1}`))
				return name, true
			}
			return "", false
		}
		if here() { // one more
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			return name, true
		}
		for k := range v.Len() {
			if name, ok := mutate(v.Index(k), fmt.Sprintf("%s[%d]", name, k), n, i); ok {
				return name, true
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem() // a map's own values cannot be set
			value.Set(v.MapIndex(key))
			if name, ok := mutate(value, fmt.Sprintf("%s[%s]", name, key), n, i); ok {
				v.SetMapIndex(key, value)
				return name, true
			}
		}
	case reflect.String:
		if here() {
			v.SetString(v.String() + "x")
			return name, true
		}
	case reflect.Int:
		if here() {
			v.SetInt(v.Int() + 1)
			return name, true
		}
	case reflect.Uint64:
		if here() {
			v.SetUint(v.Uint() - 1)
			return name, true
		}
	case reflect.Float64:
		if here() { // to the next number, from NaN and the infinities to 1
			x := math.Nextafter(v.Float(), math.Inf(1))
			if !finite(v.Float()) {
				x = 1
			}
			v.SetFloat(x)
			return name, true
		}
	default:
		panic(v.Kind())
	}
	return "", false
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(r *Record)
		want   []string
	}{
		{"nothing", func(r *Record) {}, nil},
		{"clock and place", func(r *Record) { r.Started, r.Commit, r.End.Seconds = "now", "def", 9 }, nil},
		{"backend", func(r *Record) { r.Backend = "xla:cpu" }, nil}, // this is what it is for
		{"another run", func(r *Record) { r.Trials[0].Seed++; r.Updates++ },
			[]string{"not the same run: they differ in trials, updates"}},
		{"part", func(r *Record) { r.Part = "b" }, []string{"not the same run: they differ in part"}},
		{"experiment", func(r *Record) { r.Experiment = []byte("{}") },
			[]string{"not the same run: they differ in experiment"}},
		{"points", func(r *Record) { r.Points[3].Values[1], r.Points[1].Values[1] = -4, 1.1e-300 },
			[]string{"train: 2 of 8 numbers differ, by up to 0.2 of their size (trial 1 of chrono)"}},
		{"a NaN less", func(r *Record) { r.Points[0].Values[0] = 1 },
			[]string{"train: 1 of 8 numbers differ, by up to ∞ of their size (trial 0 of standard)"}},
		{"signs", func(r *Record) { r.Points[2].Values[1] = 0; r.Points[1].Values[0] = math.Inf(1) }, []string{
			"train: 1 of 8 numbers differ, by up to ∞ of their size (trial 0 of standard)",
			"valid: 1 of 2 numbers differ, by up to 0 of their size (trial 1 of chrono)", // 0 and −0
		}},
		{"opposite", func(r *Record) { r.Points[3].Values[0] *= -1 },
			[]string{"train: 1 of 8 numbers differ, by up to 2 of their size (trial 0 of standard)"}},
		{"results", func(r *Record) { r.End.Final["loss"][1] = 2.000001; r.End.Vectors["forget"][1][0] = 8 }, []string{
			"final loss: 1 of 2 numbers differ, by up to 1 of their size (trial 1 of chrono)",
			"final forget: 1 of 6 numbers differ, by up to 0.5 of their size (trial 1 of chrono)",
		}},
		{"a result less", func(r *Record) { delete(r.End.Final, "loss"); delete(r.End.Vectors, "forget") },
			[]string{"final loss: only one of them has it", "final forget: only one of them has it"}},
		{"longer vectors", func(r *Record) { r.End.Vectors["none"] = []Values{{1}, {1}} },
			[]string{"final none: 0 values for each trial against 1"}},
		{"unfinished", func(r *Record) { r.End, r.Points = nil, r.Points[:4] },
			[]string{"train: 4 values for each trial against 3", "only one of them is finished"}},
	} {
		a, b := testRecord(), testRecord()
		c.change(b)
		got := Compare(a, b)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if len(Compare(b, a)) != len(got) {
			t.Errorf("%s: %q the other way around", c.name, Compare(b, a))
		}
	}
}
