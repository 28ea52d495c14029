// Package scan provides a differentiable loop over time for GoMLX graphs.
//
// GoMLX's While has no gradient, and a loop that is unrolled into the graph grows with the number of steps T. This
// package runs a recurrent step T times in one While loop, and computes its gradient in a second loop that runs
// backwards. The graph does not grow with T: it holds the steps of one iteration (see [Builder.Unroll]), and those left
// over, of which there are fewer, or none if their number divides T. Backwards, the last iterations are left over, too,
// if gradients reach other states there than in the iterations before.
//
// # How the gradient is computed
//
// The forward loop takes chunks of k steps. For each chunk it stores the state at the start of the chunk, the result of
// every product with a weight matrix ([Ctx.Dot]) and of every activation ([Ctx.Sigmoid], [Ctx.Tanh]), and the outputs.
// The backward loop goes through the chunks from the last to the first. It runs the k steps again from the stored state
// but reuses the stored results, so only cheap elementwise arithmetic is repeated; it has GoMLX differentiate these k
// steps; and it computes the gradient of each weight as one product over the k steps instead of k small ones.
//
// The gradient is that of the steps unrolled (see [Unrolled]), whatever k is. What the loss does not depend on gets no
// gradient, not even one of zero, which an infinite derivative would make NaN. Nor do states, inputs, weights and
// outputs that are integers or booleans.
//
// # What a step may do
//
// A [Step] must be pure: everything that needs a gradient must be one of its arguments. Done rejects a step that
// captures a float which depends on a parameter, because the gradient would silently be zero. It also rejects variables
// that the step fetches or creates itself, as a layer does. Captured constants, integers and nodes under
// graph.StopGradient are fine. Done rejects random numbers too, such as dropout, unless their state is an argument of
// the step: make it part of the carry, as Example_randomNumbers does. A loop cannot be built inside another loop or
// closure (GoMLX has no nested closures), but a step may take steps of its own with [Unrolled]. There are no second
// derivatives: differentiating twice panics. A step may call graph.Gradient, but not through results of its Ctx: use
// GoMLX's own functions for what it differentiates. States, inputs, weights and outputs cannot be complex numbers; make
// them pairs of real ones, as cell.LRU does.
//
// A step may use what the engine has (its Capabilities). Of those that package chrono/backend starts, go has no dynamic
// slices and no loops with float16.
package scan

import (
	"cmp"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/xslices"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/warptime/warptime/chrono/internal/require"
)

// Step computes one step of time: the next state and the step's outputs, from the state (carry), this step's row of
// each input (x) and the weights, which are the same for all steps. The next state has the shapes of the state. The
// slices are the step's own: it may assign to them.
type Step func(c *Ctx, carry, x, weights []*Node) (nextCarry, y []*Node)

// DefaultUnroll is the number of steps per iteration of the loop if Unroll is not called.
const DefaultUnroll = 10

// Builder holds the options of a loop. Create one with [New] and build the loop with Done. Like all graph-building
// functions, New and the methods panic on invalid arguments. The error is one line with what was given and what is
// wanted.
type Builder struct {
	step      Step
	unroll    int
	length    int // 0 if not set
	reverse   bool
	recompute bool
}

// New starts the configuration of a loop over the given step.
func New(step Step) *Builder {
	require.That(step != nil, "scan: the step is nil, want a function")
	return &Builder{step: shielded(step), unroll: DefaultUnroll}
}

// shielded makes errors of the step's panics: after one with a string, GoMLX waits for ever. It also gives the step
// slices of its own, so that a step that assigns to carry[0] does not change what the loop still needs, and no gradient
// to integers.
func shielded(step Step) Step {
	return func(c *Ctx, carry, x, weights []*Node) (nextCarry, y []*Node) {
		defer require.Errors("scan: the step")
		nextCarry, y = step(c, slices.Clone(carry), slices.Clone(x), slices.Clone(weights))
		nextCarry = integersStopped(nextCarry)
		for i, node := range nextCarry {
			if node != nil && isFloat(node) && node.StopGradient() {
				nextCarry[i] = own(nextCarry[i : i+1])[0]
			}
		}
		return nextCarry, integersStopped(y)
	}
}

// integersStopped puts integers and booleans under StopGradient: GoMLX passes gradients through them, rounded.
func integersStopped(nodes []*Node) []*Node {
	out := slices.Clone(nodes)
	for i, node := range nodes {
		if node != nil && !isFloat(node) {
			out[i] = StopGradient(node)
		}
	}
	return out
}

// own are the same values as nodes of one step, which may ask for a gradient with respect to them: other steps use
// others, and none is a StopGradient itself, of which GoMLX says zero.
func own(nodes []*Node) []*Node {
	return xslices.Map(nodes, func(node *Node) *Node { // GoMLX has no gradient for a mere Identity
		return IdentityWithCustomGradient(node, func(_, v *Node) *Node { return v })
	})
}

// Unroll sets the number k of steps per iteration of the loop; the default is [DefaultUnroll]. A larger k makes the
// graph larger, and needs fewer iterations and fewer stored states. It changes no result beyond rounding.
func (b *Builder) Unroll(k int) *Builder {
	require.That(k >= 1, "scan: Unroll(%d): at least one step per iteration is needed", k)
	b.unroll = k
	return b
}

// Length sets the number of steps T of a loop without inputs. If there are inputs, it must equal their number of steps.
func (b *Builder) Length(steps int) *Builder {
	require.That(steps >= 1, "scan: Length(%d): want at least one step", steps)
	b.length = steps
	return b
}

// Recompute trades time for memory: the forward loop stores only the state at the start of each chunk of k steps (see
// Unroll), and the backward loop recomputes the products and activations of a chunk before it differentiates it. Values
// and gradients are bit-identical. The only data stored for every step are the outputs y that are used. For the
// gradient of an LSTM with 64 units and 16 sequences of 20,000 steps, simd takes 101 MB instead of 413; with the loss
// on the last state alone and Unroll(32), 15 MB instead of 327. On one thread of an EPYC (Zen 4) that is 24 and 26 %
// more time (BenchmarkRecompute).
func (b *Builder) Recompute() *Builder {
	b.recompute = true
	return b
}

// Reverse makes the loop run from t = T-1 down to 0. Outputs stay in the order of the inputs: ys[t] belongs to xs[t].
func (b *Builder) Reverse() *Builder {
	b.reverse = true
	return b
}

// Done builds the loop. Its arguments are:
//
//   - init: the states before the first step, of any shapes.
//   - xs: the inputs, each [T, …]; step t gets row t of each. There may be none if Length is set.
//   - weights: the nodes that all steps share, of any shapes.
//
// It returns ys, each output of the step for all steps, [T, …], and final, the states after the last step, with the
// shapes of init. Both are differentiable with respect to init, xs and weights. An argument that depends on no float
// parameter of the graph, or only through graph.StopGradient, counts as data, and no gradient is computed for it. A
// float input of the graph is such a parameter: put it under StopGradient if it needs no gradient.
//
// Like all graph-building functions it panics if a node is nil, if shapes do not match, if the step changes the shape
// of a state, or if it captures a float that would need a gradient.
func (b *Builder) Done(init, xs, weights []*Node) (ys, final []*Node) {
	l := newLoop(b, init, xs, weights)
	l.dryRun()
	l.forward()
	return l.attach()
}

// loop is one scan under construction. Nodes are those of the enclosing function.
type loop struct {
	g          *Graph
	step       Step
	rows       rows
	reverse    bool
	recompute  bool
	length     int     // T
	chunk      int     // k, steps per iteration
	iterations int     // of the loop; length - iterations*chunk steps are left over, all of them where there is no loop
	size       *Node   // the chunk's
	offsets    []*Node // of its steps

	init, xs, weights []*Node
	ordered           []*Node // xs, in the order in which the loop takes them

	// From the dry run.
	ys     []shapes.Shape // one step's outputs
	dots   []dot          // the products of one step, in the order of the calls
	keep   []shapes.Shape // of what one step keeps, likewise
	around []*Node        // what the step captures, which has no gradient
	want   reach          // the arguments with respect to which a gradient could lead anywhere
	direct []bool         // per weight: wanted, and used other than through Ctx.Dot

	// From the forward loop.
	starts    []*Node // [iterations, …] per state: where each chunk began
	kept      []*Node // [T, …] per result that a step keeps
	tailStart []*Node // the state before the steps left over
	final     []*Node
	outputs   []*Node // [T, …] per output
}

func newLoop(b *Builder, init, xs, weights []*Node) *loop {
	length := stepsOf(xs, b.length)
	require.NoNil("scan: state", init)
	require.NoNil("scan: weight", weights)
	given := slices.Concat(xs, init, weights)
	require.That(len(given) > 0, "scan: no inputs, states or weights, want at least one")
	refuseComplex("state", init)
	refuseComplex("input", xs)
	refuseComplex("weight", weights)
	g := given[0].Graph()
	require.That(g.State(inStep{}) == nil,
		"scan: a loop inside the step of another one, want scan.Unrolled: GoMLX cannot nest loops")
	require.That(g.CurrentFunc().IsMain(),
		"scan: called inside a closure or function, want the main function: GoMLX cannot nest loops")
	l := &loop{g: g, step: b.step, rows: rowsFor(g), reverse: b.reverse, recompute: b.recompute, length: length,
		// The backward loop is built later, when the caller may have changed its slices.
		init: slices.Clone(init), xs: slices.Clone(xs), weights: slices.Clone(weights)}
	l.chunk = min(b.unroll, l.length)
	if l.length > l.chunk { // else a While would cost more than it saves: half of the time of a single step
		l.iterations = l.length / l.chunk
	}
	l.size = Const(g, int32(l.chunk))
	for u := range l.chunk {
		l.offsets = append(l.offsets, Const(g, int32(u)))
	}
	l.ordered = l.xs
	if l.reverse {
		l.ordered = reversed(l.xs)
	}
	return l
}

// stepsOf is the number of steps T of the inputs, on which they must agree, also with the given one unless it is 0.
func stepsOf(xs []*Node, length int) int {
	require.That(len(xs) > 0 || length > 0,
		"scan: no inputs and no Length, want an input [T, …] (T steps) or Length(T)")
	require.NoNil("scan: input", xs)
	for i, x := range xs {
		require.That(x.Rank() > 0 && x.Shape().Dimensions[0] > 0,
			"scan: input %d has shape %s: it needs a first axis of T > 0 steps", i, x.Shape())
		steps := x.Shape().Dimensions[0]
		length = cmp.Or(length, steps)
		require.That(steps == length, "scan: input %d has %d steps, want %d as Length or input 0", i, steps, length)
	}
	return length
}

func refuseComplex(what string, nodes []*Node) {
	if i := slices.IndexFunc(nodes, isComplex); i >= 0 {
		exceptions.Panicf("scan: %s %d is complex, %s: its gradient would silently be zero; want its real and "+
			"imaginary parts", what, i, nodes[i].Shape())
	}
}

func isComplex(node *Node) bool { return node.DType().IsComplex() }

// reversed turns the first axis around of what is not nil.
func reversed(xs []*Node) []*Node {
	out := slices.Clone(xs)
	for i, x := range xs {
		if x != nil {
			out[i] = Reverse(x, 0)
		}
	}
	return out
}

// inStep is a state of the graph during the dry run, so that newLoop sees that it is called by a step.
type inStep struct{}

// dryRun takes one step outside the loop, where nobody uses its result, so that it costs nothing when the graph runs.
// It tells the shapes of the outputs and which products the step makes, and it refuses steps that could not be
// differentiated. It also fills GoMLX's cache of scalar constants, which does not know closures: a constant first made
// inside the loop would be taken from there by the code after it.
func (l *loop) dryRun() {
	before := NodeId(len(l.g.Nodes()))
	x := inputsAt(0, l.xs)
	// Aliases, so that a state or weight which the step captures is not mistaken for the one that it was given.
	init, weights := leaves(l.init), leaves(l.weights)
	c := &Ctx{weights: weights, dry: true}
	l.g.AttachState(inStep{}, true)
	defer l.g.AttachState(inStep{}, nil)
	carry, y := l.step(c, init, x, weights)
	require.That(len(carry) == len(l.init), "scan: the step returned %d states, it was given %d", len(carry),
		len(l.init))
	require.NoNil("scan: the step's next state", carry)
	require.NoNil("scan: the step's output", y)
	refuseComplex("the step's output", y)
	for i := range carry {
		require.That(carry[i].Shape().Equal(l.init[i].Shape()), "scan: the step turned state %d from shape %s into "+
			"%s; it must keep its shape", i, l.init[i].Shape(), carry[i].Shape())
	}
	l.dots, l.keep, l.ys = c.dots, xslices.Map(c.keep, (*Node).Shape), xslices.Map(y, (*Node).Shape)
	l.direct = make([]bool, len(l.weights))
	l.inspect(slices.Concat(carry, y), slices.Concat(init, x), weights, before)
	l.refuseRandom(slices.Concat(init, x, weights), before)
	l.around = captured(slices.Concat(carry, y), slices.Concat(init, x, weights), before)
	l.choose(carry, slices.Concat(init, x, weights))
}

// inputsAt are the inputs of step t.
func inputsAt(t int, xs []*Node) []*Node {
	return xslices.Map(xs, func(all *Node) *Node { return Squeeze(Slice(all, AxisRange(t, t+1)), 0) })
}

// choose notes for which arguments gradients are computed: for those that depend on a parameter and, if there is a
// loop, for states that come to do so in it, since a step turns what it is given into the next states.
func (l *loop) choose(next, given []*Node) {
	l.want = reach{xslices.Map(l.init, needsGradient), xslices.Map(l.weights, needsGradient),
		xslices.Map(l.xs, needsGradient)}
	for more := l.iterations > 0; more; {
		wanted := slices.Concat(l.want.state, l.want.xs, l.want.weights)
		state := either(l.want.state, xslices.Map(next, func(node *Node) bool {
			return dependsOn(node, func(node *Node) bool {
				i := slices.Index(given, node)
				return i >= 0 && wanted[i]
			})
		}))
		more = !slices.Equal(state, l.want.state)
		l.want.state = state
	}
	for i, wanted := range l.want.weights {
		l.direct[i] = l.direct[i] && wanted
	}
}

// refuseRandom refuses random numbers of the step whose state it was not given: the backward loop would draw others
// than the forward loop did, and each iteration the same ones.
func (l *loop) refuseRandom(given []*Node, before NodeId) {
	fromGiven := func(state *Node) bool {
		reaches, others := false, false
		walk([]*Node{state}, func(node *Node) []*Node {
			switch {
			case slices.Contains(given, node):
				reaches = true
			case node.Type() == NodeTypeConstant:
			case node.Id() < before || node.Type() == NodeTypeParameter:
				others = true
			default:
				return node.Inputs()
			}
			return nil
		})
		return reaches && !others
	}
	for _, node := range l.g.Nodes()[before:] {
		require.That(node.Type() != NodeTypeRNGBitGenerator || fromGiven(node.Inputs()[0]),
			"scan: the step draws random numbers (dropout, say) from a state that it was not given; make the state "+
				"part of the carry: rng, u := RandomUniform(carry[1], shape), and return rng")
	}
}

// inspect walks from the step's results to what the step was given. It notes which weights are used directly, and
// refuses captured floats: those that were there before and depend on a parameter, and parameters that the step brings
// in itself, by asking for a variable that the graph did not have yet.
func (l *loop) inspect(results, given, weights []*Node, before NodeId) {
	walk(results, func(node *Node) []*Node {
		weight := slices.Index(weights, node)
		product := slices.IndexFunc(l.dots, func(d dot) bool { return d.out == node })
		switch {
		case weight >= 0:
			l.direct[weight] = true
		case slices.Contains(given, node):
		case product >= 0:
			return []*Node{l.dots[product].lhs}
		case node.StopGradient():
		case node.Id() < before || node.Type() == NodeTypeParameter:
			require.That(!needsGradient(node), "scan: the step captures %s, a float of the enclosing function: its "+
				"gradient would silently be zero; pass it in weights or xs, or put it under StopGradient", node)
		default:
			return node.Inputs()
		}
		return nil
	})
}

// captured are the nodes that the results are computed from beside what was given, of those that were there before and
// depend on a parameter of floats.
func captured(results, given []*Node, before NodeId) (around []*Node) {
	walk(results, func(node *Node) []*Node {
		switch {
		case slices.Contains(given, node):
		case node.Id() >= before:
			return node.Inputs()
		case upstream(node, nil, func(node *Node) bool { return node.Type() == NodeTypeParameter && isFloat(node) }):
			around = append(around, node)
		}
		return nil
	})
	return around
}

// needsGradient tells whether a gradient with respect to node could lead anywhere.
func needsGradient(node *Node) bool {
	number := func(node *Node) bool { return node.NumOutputs() == 1 && (isFloat(node) || isComplex(node)) }
	return number(node) && dependsOn(node, func(node *Node) bool {
		return node.Type() == NodeTypeParameter && number(node)
	})
}

// dependsOn tells whether a source stands upstream of node, with no StopGradient between.
func dependsOn(node *Node, source func(*Node) bool) bool {
	return upstream(node, (*Node).StopGradient, source)
}

// upstream tells whether node, or one that it is computed from, is such. The search stops where end is true, unless it
// is nil.
func upstream(node *Node, end, such func(*Node) bool) (found bool) {
	walk([]*Node{node}, func(node *Node) []*Node {
		if found || end != nil && end(node) {
			return nil
		}
		found = such(node)
		return node.Inputs()
	})
	return found
}

// walk visits the nodes, each once, and after each those that next returns, such as its inputs.
func walk(nodes []*Node, next func(node *Node) []*Node) {
	seen := make(map[*Node]bool)
	var visit func(nodes []*Node)
	visit = func(nodes []*Node) {
		for _, node := range nodes {
			if !seen[node] {
				seen[node] = true
				visit(next(node))
			}
		}
	}
	visit(nodes)
}

func isFloat(node *Node) bool { return node.DType().IsFloat() }

// Unrolled computes the same as a loop over step, but with every step in the graph and GoMLX's own gradient. It is the
// reference for the tests of the loop, and fine for a handful of steps. It panics if there are no inputs, if one is
// nil, or if they differ in their number of steps.
func Unrolled(step Step, init, xs, weights []*Node) (ys, final []*Node) {
	steps, step := stepsOf(xs, 0), shielded(step)
	carry, xs, weights := own(integersStopped(init)), integersStopped(xs), integersStopped(weights)
	var outputs [][]*Node
	for t := range steps {
		var y []*Node
		c := &Ctx{weights: own(weights)}
		carry, y = step(c, carry, inputsAt(t, xs), c.weights)
		for i, node := range y {
			if t == 0 {
				outputs = append(outputs, nil)
			}
			outputs[i] = append(outputs[i], node)
		}
	}
	for _, all := range outputs {
		ys = append(ys, Stack(all, 0))
	}
	return ys, carry
}
