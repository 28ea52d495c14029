package claim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
)

// What is done to rules as values stands here: finding parts of one type, replacing them, and writing a rule as a text
// that is hashed. Rules are structs of exported fields.

// parts returns all values of a type within a value, in order.
func parts[T any](of any) (all []T) {
	Rewritten(of, func(part any) (any, bool) {
		if part, ok := part.(T); ok {
			all = append(all, part)
		}
		return part, false
	})
	return all
}

// swapped is a rule, or another value, with each part that equals s.From replaced.
func swapped[T any](of T, s Swap) T {
	return Rewritten(of, func(part any) (any, bool) {
		from, isArm := s.From.(Arm)
		switch is, ok := part.(Arm); {
		case isArm && ok && from.over(is) == is:
			return s.To.(Arm).over(is), true
		case !isArm && equal(part, s.From):
			return s.To, true
		}
		return part, false
	})
}

// Rewritten returns a value, such as a rule, with what replace makes of each of its parts. Where replace returns true,
// the parts of what it returns are not visited.
func Rewritten[T any](of T, replace func(part any) (any, bool)) T {
	return rewrite(reflect.ValueOf(&of).Elem(), replace).Interface().(T)
}

func rewrite(v reflect.Value, replace func(part any) (any, bool)) reflect.Value {
	if v.Kind() != reflect.Interface {
		part, done := replace(v.Interface())
		if v = reflect.ValueOf(part); done {
			return v
		}
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(rewrite(v.Elem(), replace))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(rewrite(v.Field(i), replace))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(rewrite(v.Index(i), replace))
		}
	}
	return out
}

// version is how often the code of rules, or a constant in it, has changed what rules mean. It is raised by hand, and
// all verdicts are *after* then; TestConstantsOfRules holds the constants.
const version = 0

// Hash identifies a claim's rule under the main condition, in twelve hexadecimal digits. It changes with everything
// that the verdict can depend on, and with nothing else.
func (s Set) Hash(c Claim) string {
	var b strings.Builder
	encode(&b, reflect.ValueOf(c.Rule))
	fmt.Fprintf(&b, " of %d trials", c.minTrials())
	if version > 0 {
		fmt.Fprintf(&b, ", version %d", version)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:6])
}

// encode writes a value with the names of its types and fields.
func encode(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		encode(b, v.Elem())
	case reflect.Struct:
		b.WriteString(v.Type().Name() + "{")
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				continue // a field that is added later changes no older rule
			}
			b.WriteString(v.Type().Field(i).Name + ":")
			encode(b, v.Field(i))
			b.WriteString(" ")
		}
		b.WriteString("}")
	case reflect.Slice, reflect.Array:
		b.WriteString("[")
		for i := range v.Len() {
			encode(b, v.Index(i))
			b.WriteString(" ")
		}
		b.WriteString("]")
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	case reflect.Invalid:
		b.WriteString("nil")
	default:
		fmt.Fprint(b, v)
	}
}

// equal tells whether two values have the same type and parts.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// Numbers are those of a rule, thresholds and all.
func Numbers(r Rule) []float64 { return parts[float64](r) }
