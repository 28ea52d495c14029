package kernel

import (
	"os"
	"regexp"
	"testing"
)

// TestAVX2Only checks that the AVX2 kernels keep to what AVX2 has: a processor with AVX-512, on which tests may run,
// would not notice.
func TestAVX2Only(t *testing.T) {
	source, err := os.ReadFile("avx2_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{`AVX512\w*`, `BMI2`, `\b[XY](1[6-9]|[23][0-9])\b`, `\b[ZK][0-9]+\b`} {
		if found := regexp.MustCompile(pattern).Find(source); found != nil {
			t.Errorf("avx2_amd64.s has %s", found)
		}
	}
}
