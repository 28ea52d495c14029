//go:build !amd64 && !arm64

package kernel

func detect() Level { return Portable }

func instructionSetOf(Level) instructionSet { return plainGo }

func compute(t *blockArgs) { computeTiles(t) }

func computeTile(t *blockArgs) { tileGo(t) }
