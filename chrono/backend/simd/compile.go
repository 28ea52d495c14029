package simd

import (
	"github.com/gomlx/compute"
	"github.com/pkg/errors"
)

// passes turn the function that was built into a program, one after the other.
var passes = []struct {
	name string // of what follows, and its file's
	run  func(c *compiler)
}{
	{"simplify", (*compiler).simplify}, // → main: operations that compute the same with less
	{"view", (*compiler).findViews},    // → needed and stored: which of them need memory
	{"plan", (*compiler).plan},         // → layout: in which order they run, as units, and where their values are
	{"lower", (*compiler).lower},       // → program: steps that know all addresses
}

// A compiler holds what passes leave for one another.
type compiler struct {
	backend *Backend
	built   *function
	main    *function

	needed map[*node]bool
	// stored are the views that get memory of their own all the same, because an operation needs them in a fixed order.
	stored map[*node]bool
	views  map[*node]view        // memo of viewOf, once it is known what is stored
	read   map[*node][]*node     // memo of reads
	order  map[*function][]*unit // memo of unitsOf
	unitOf map[*node]*unit

	layout *plan
	memory map[*node]*slot
	placed map[*node]*placement
	// constants are the bytes of all constants, one after the other.
	constants []byte
	private   int // bytes of what each thread has for itself in loops that threads divide

	program *program
	scratch int // bytes that each thread needs for tiles and packed operands
	loads   int // most loads of any group
	rows    int // of the loop whose unit becomes steps, if threads divide it by rows
}

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
	c := &compiler{backend: b.backend, built: b.main}
	for _, pass := range passes {
		pass.run(c)
	}
	return c.program, nil
}

func (c *compiler) simplify() { c.main = simplify(c.built) }

func (c *compiler) findViews() {
	c.needed, c.stored = make(map[*node]bool), make(map[*node]bool)
	for _, o := range c.main.outputs {
		c.markAll(o)
	}
	c.requireStored(c.main)
	c.views = make(map[*node]view)
}

func (c *compiler) plan() {
	c.read, c.order, c.unitOf = make(map[*node][]*node), make(map[*function][]*unit), make(map[*node]*unit)
	c.memory, c.placed = make(map[*node]*slot), make(map[*node]*placement)
	var parameters, outputs []*slot
	for i := range c.main.params {
		parameters = append(parameters, &slot{root: rootParameters + i})
	}
	for i := range c.main.outputs {
		outputs = append(outputs, &slot{root: rootParameters + len(c.main.params) + i, until: -1})
	}
	c.layout = c.planFunction(c.main, parameters, outputs, false, nil)
}

func (c *compiler) lower() {
	p := &program{backend: c.backend, names: c.built.names, inputs: shapesOf(c.built.params),
		outputs: shapesOf(c.built.outputs), arena: c.layout.frame.layout()}
	c.program = p
	p.steps = c.steps(c.layout)
	p.constants = alignedBytes(len(c.constants))
	copy(p.constants, c.constants)
	p.private, p.scratch, p.loads = c.private, c.scratch, c.loads
}
