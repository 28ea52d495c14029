package simd

import (
	"testing"

	"github.com/gomlx/compute/support/backendtest"
)

func TestCompliance(t *testing.T) {
	b, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	backendtest.RunAll(t, b, nil)
}
