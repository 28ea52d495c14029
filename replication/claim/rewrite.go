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
	rewrite(reflect.ValueOf(of), func(v reflect.Value) (reflect.Value, bool) {
		if part, ok := v.Interface().(T); ok && v.Kind() != reflect.Interface {
			all = append(all, part)
		}
		return v, false
	})
	return all
}

// swapped is a rule, or another value, with each part that equals s.From replaced.
func swapped[T any](of T, s Swap) T {
	return rewrite(reflect.ValueOf(of), func(v reflect.Value) (reflect.Value, bool) {
		from, isArm := s.From.(Arm)
		switch is, ok := v.Interface().(Arm); {
		case isArm && ok && from.over(is) == is:
			return reflect.ValueOf(s.To.(Arm).over(is)), true
		case !isArm && equal(v.Interface(), s.From):
			return reflect.ValueOf(s.To), true
		}
		return v, false
	}).Interface().(T)
}

// Rewritten returns a value, such as a rule, with what replace makes of each of its parts.
func Rewritten[T any](of T, replace func(part any) any) T {
	return rewrite(reflect.ValueOf(&of).Elem(), func(v reflect.Value) (reflect.Value, bool) {
		if v.Kind() == reflect.Interface {
			return v, false
		}
		return reflect.ValueOf(replace(v.Interface())), false
	}).Interface().(T)
}

// rewrite returns a copy of a value with what replace makes of each part. Where replace returns true, the parts of what
// it returns are not visited.
func rewrite(v reflect.Value, replace func(reflect.Value) (reflect.Value, bool)) reflect.Value {
	if !v.IsValid() || v.Kind() == reflect.Interface && v.IsNil() {
		return v
	}
	if v.Kind() == reflect.Interface {
		out := reflect.New(v.Type()).Elem()
		out.Set(rewrite(v.Elem(), replace))
		return out
	}
	v, done := replace(v)
	if done {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
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
