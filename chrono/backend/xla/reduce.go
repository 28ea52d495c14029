//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package xla

import (
	"reflect"

	"github.com/warptime/warptime/chrono/backend/internal/wrap"
)

// Defect 2 of go-xla v0.4.5 (compute/xla/ops_reduce.go, getReductionFn and two like it): the function that adds two
// numbers, say, is made once for the whole computation, and belongs to the function that was first to reduce. A
// reduction of the same kind in any other is refused: "reductionFn is not a StableHLO closure of …". Operations that
// scatter reduce, too.
//
// The way round: go-xla's caches of such functions are exchanged for empty ones while a closure or another function is
// built, which GoMLX does from its beginning to its end. They are not exported; a version of go-xla that has none of
// these names needs no exchange, or has the error again, which TestDefectReductions tells.
var caches = []string{"cacheReductions", "cacheArgMinMax", "cacheSelections"}

// beginReductions empties go-xla's caches for a new function, and returns what puts them back.
func beginReductions(f *wrap.Function) (end func()) {
	var restore []func()
	plain := reflect.ValueOf(wrap.Plain(f).Builder()).Elem()
	for _, name := range caches {
		if field := plain.FieldByName(name); field.IsValid() {
			field = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
			before := reflect.ValueOf(field.Interface())
			field.Set(reflect.MakeMap(field.Type()))
			restore = append(restore, func() { field.Set(before) })
		}
	}
	return func() {
		for _, put := range restore {
			put()
		}
	}
}
