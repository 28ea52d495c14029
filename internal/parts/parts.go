// Package parts finds and replaces the parts of values, such as experiments and rules: structs of exported fields,
// slices, arrays, and what interfaces hold.
package parts

import "reflect"

// Of returns all values of a type within a value, itself included, in order.
func Of[T any](of any) (all []T) {
	Rewritten(of, func(part any) (any, bool) {
		if part, ok := part.(T); ok {
			all = append(all, part)
		}
		return part, false
	})
	return all
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
