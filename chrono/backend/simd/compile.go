package simd

import (
	"github.com/gomlx/compute"
	"github.com/pkg/errors"
)

// compile turns what was built into a program.
func compile(b *builder) (exec compute.Executable, err error) {
	defer func() {
		if r := recover(); r != nil {
			g, ok := r.(graphError)
			if !ok {
				panic(r)
			}
			err = errors.WithMessagef(g.err, "computation %q", b.name)
		}
	}()
	main := simplify(b.main)
	u := group(findViews(main), main)
	l := newLayout(u, main, findDivisions(u, main, b.backend.threads, parallelWork))
	return lower(l, b), nil
}

func lower(l *layout, b *builder) *program {
	c := &lowerer{layout: l, threads: b.backend.threads}
	p := &program{backend: b.backend, names: b.main.names, inputs: shapesOf(b.main.params),
		outputs: shapesOf(b.main.outputs), arena: l.arena, private: l.private, steps: c.steps(l.main)}
	p.constants = alignedBytes(len(l.constants))
	copy(p.constants, l.constants)
	p.scratch, p.loads = c.scratch, c.inputs
	return p
}
