//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64)))

package backend

// noXLA says why XLA was left out of this program.
const noXLA = "this program was built without XLA, which needs a C compiler (and CGO_ENABLED=1) on linux/amd64, linux/arm64 or darwin/arm64"

func xlaEngines() []Engine {
	return []Engine{{Name: "xla:cuda", Missing: noXLA}, {Name: "xla:cpu", Missing: noXLA}}
}

func rawXLA(options string) Engine {
	return Engine{Name: "xla:" + options, Missing: noXLA}
}
