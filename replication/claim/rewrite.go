package claim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"

	"github.com/warptime/warptime/internal/parts"
)

// What is done to rules as values stands here: replacing parts of them, and writing a rule as a text that is hashed.
// Rules are structs of exported fields.

// swapped is a rule, or another value, with each part that equals s.From replaced.
func swapped[T any](of T, s Swap) T {
	return parts.Rewritten(of, func(part any) (any, bool) {
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

// Hash identifies a claim's rule under the main condition, in twelve hexadecimal digits. It changes with everything
// that the verdict can depend on, and with nothing else. Whoever changes what rules mean by another code of theirs, or
// another constant in it (TestConstantsOfRules has them), adds to what is hashed: all verdicts are *after* then.
func (s Set) Hash(c Claim) string {
	var b strings.Builder
	encode(&b, reflect.ValueOf(c.Rule))
	fmt.Fprintf(&b, " of %d trials", c.minTrials())
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
	default:
		fmt.Fprint(b, v)
	}
}

// equal tells whether two values have the same type and parts.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
