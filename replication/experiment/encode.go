package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// Encode writes a declaration as JSON: structs field by field, in their order, and wherever a field is an interface the
// name of the part that it holds, as "is". encoding/json would leave that name out, so that Copy{T: 500} and
// VariableCopy{T: 500} had the same text; and it drops what it cannot say. A field tagged `json:",omitzero"` is left
// out while it is zero: so a part can get a new field, and older records still say the same.
//
// Encode panics at what it cannot say, because a declaration that cannot be written down is a mistake in the program:
// functions, channels, unexported fields, maps, numbers that are not finite.
func Encode(v any) []byte {
	return encode(nil, reflect.ValueOf(v), false)
}

// encode appends v to text, with its name if it stands in an interface.
func encode(text []byte, v reflect.Value, inInterface bool) []byte {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return append(text, "null"...)
		}
		return encode(text, v.Elem(), inInterface || v.Kind() == reflect.Interface)
	case reflect.Struct:
		return encodeStruct(text, v, inInterface)
	}
	if inInterface {
		panic(fmt.Sprintf("experiment: cannot encode the %s in an interface: only structs have their name written",
			v.Type()))
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		text = append(text, '[')
		for i := range v.Len() {
			if i > 0 {
				text = append(text, ',')
			}
			text = encode(text, v.Index(i), false)
		}
		return append(text, ']')
	case reflect.Bool:
		return strconv.AppendBool(text, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(text, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(text, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return strconv.AppendFloat(text, f, 'g', -1, v.Type().Bits())
		}
	case reflect.String:
		quoted, err := json.Marshal(v.String())
		if err == nil {
			return append(text, quoted...)
		}
	}
	panic(fmt.Sprintf("experiment: cannot encode %v of type %s", v, v.Type()))
}

func encodeStruct(text []byte, v reflect.Value, inInterface bool) []byte {
	t := v.Type()
	text = append(text, '{')
	if inInterface {
		text = fmt.Appendf(text, `"is":%q`, name(t))
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() {
			panic(fmt.Sprintf("experiment: cannot encode %s: its field %s is not exported", t, field.Name))
		}
		if field.Tag.Get("json") == ",omitzero" && v.Field(i).IsZero() {
			continue // a field younger than records, which have what its zero value says
		}
		if text[len(text)-1] != '{' {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "%q:", cmp.Or(fieldNames[t][field.Name], field.Name))
		text = encode(text, v.Field(i), false)
	}
	return append(text, '}')
}
