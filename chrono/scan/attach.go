package scan

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// attach makes the loop's results differentiable, and returns them.
//
// Arguments and results go through one optimization barrier, behind which the loop itself is out of the gradient's
// sight. The results leave it through identities that note the gradients which arrive; the arguments enter it through
// identities that give the gradients out. GoMLX comes to the former first; the first of the latter builds the backward
// loop. It comes to arguments under StopGradient, to integers and to what the step captures, too, which then show that
// a call of Gradient has been here; they have no gradient.
func (l *loop) attach() (ys, final []*Node) {
	results := append(append([]*Node{}, l.final...), l.outputs...)
	arrived := make([]*Node, len(results))
	var computed *gradients // nil until the backward loop is built for the present call of Gradient.
	over := false           // the gradients that arrived are those of the last call of Gradient

	var barrier, refused []*Node
	enter := func(nodes []*Node, choose func(*gradients) []*Node) {
		for i, node := range nodes {
			if !needsGradient(node) {
				refused = append(refused, node)
				continue
			}
			barrier = append(barrier, IdentityWithCustomGradient(node, func(_, _ *Node) *Node {
				over = true
				if computed == nil {
					g := l.guarded(l.backward(arrived[:len(l.final)], arrived[len(l.final):]))
					computed = &g
				}
				return choose(computed)[i]
			}))
		}
	}
	enter(l.init, func(g *gradients) []*Node { return g.state })
	enter(l.xs, func(g *gradients) []*Node { return g.xs })
	enter(l.weights, func(g *gradients) []*Node { return g.weights })
	without := func(node *Node) {
		// Of a node that is a StopGradient itself GoMLX asks for nothing.
		barrier = append(barrier, IdentityWithCustomGradient(Identity(node), func(_, _ *Node) *Node {
			over = true
			return nil
		}))
	}
	for _, node := range l.around {
		without(node)
	}
	for _, node := range refused {
		// GoMLX asks for gradients behind a StopGradient, too, when a parameter stands behind it.
		if !isFloat(node) || upstream(node, nil, (*Node).StopGradient) {
			without(node)
			continue
		}
		barrier = append(barrier, IdentityWithCustomGradient(node, func(_, _ *Node) *Node {
			exceptions.Panicf("scan: %s depends on no float parameter, so the loop computes no gradient for it; "+
				"make it depend on one to differentiate with respect to it", node)
			return nil
		}))
	}
	entries := len(barrier)
	for _, node := range results {
		barrier = append(barrier, StopGradient(node))
	}
	for i, node := range OptimizationBarriers(barrier...)[entries:] {
		if !node.DType().IsFloat() {
			results[i] = StopGradient(node) // else it would reach the arguments' identities without one that notes it
			continue
		}
		results[i] = IdentityWithCustomGradient(node, func(_, v *Node) *Node {
			if over {
				over, computed = false, nil
				clear(arrived)
			}
			arrived[i] = v
			return v
		})
	}
	// Clipped, so that who appends to the one does not overwrite the other.
	return slices.Clip(results[len(l.final):]), slices.Clip(results[:len(l.final)])
}

// guarded makes a second derivative panic instead of silently being zero. The gradients come out of the backward loop,
// where GoMLX sees no connection with the arguments; a barrier gives them one, and the identities behind it refuse.
func (l *loop) guarded(in gradients) gradients {
	var barrier []*Node
	groups := [][]*Node{in.state, in.xs, in.weights}
	for _, group := range groups {
		for _, gradient := range group {
			if gradient != nil {
				barrier = append(barrier, gradient)
			}
		}
	}
	barrier = OptimizationBarriers(slices.Concat(barrier, l.init, l.xs, l.weights)...)
	for _, group := range groups {
		for i, gradient := range group {
			if gradient == nil {
				continue
			}
			group[i] = IdentityWithCustomGradient(barrier[0], func(_, _ *Node) *Node {
				exceptions.Panicf("scan: the gradient of a loop over time has no gradient itself (second derivatives)")
				return nil
			})
			barrier = barrier[1:]
		}
	}
	return in
}
