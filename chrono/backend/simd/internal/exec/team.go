package exec

import (
	"github.com/warptime/warptime/chrono/backend/simd/internal/ir"
	"github.com/warptime/warptime/chrono/backend/simd/internal/plan"
)

// A dividedStep is a step of a loop that threads divide.
type dividedStep struct {
	step
	shared plan.Sharing
}

// A rowStep can compute some rows only.
type rowStep interface {
	step
	rows(m *machine, worker, lo, hi int)
}

// dividedSteps makes the steps of a plan.
func (c *lowerer) dividedSteps(p *plan.Plan) []dividedStep {
	var steps []dividedStep
	add := func(s plan.Sharing, make func() []step) {
		if c.rows = 0; p.Division != nil && s == plan.Rowwise {
			c.rows, c.division = p.Division.Rows, p.Division
		}
		for _, made := range make() {
			if _, ok := made.(rowStep); !ok && c.rows > 0 {
				ir.Fail("internal error: a %T cannot be divided by rows", made)
			}
			steps = append(steps, dividedStep{made, s})
		}
		c.rows = 0
	}
	for _, u := range p.Units {
		s := plan.Joint
		if p.Division != nil {
			s = p.Division.Shared[u]
		}
		add(s, func() []step { return c.unitSteps(p, u) })
	}
	for _, t := range p.Final {
		add(t.Kind, func() []step { return []step{c.transferStep(t)} })
	}
	return steps
}

// A loop runs its body while a condition holds.
type loop struct {
	cond sequence
	body []dividedStep
	goOn plan.Address
}

func (c *lowerer) loop(p *plan.Plan, n *ir.Node) step {
	cond, body := p.Inner[n][0], p.Inner[n][1]
	l := loop{c.steps(cond), c.dividedSteps(body), cond.Outputs[0].Address()}
	c.lookAhead(l.body)
	if d := c.Divisions[n]; d != nil {
		return &dividedLoop{l, d.Rows}
	}
	return &l
}

func (l *loop) run(m *machine) {
	for l.goesOn(m) {
		for _, s := range l.body {
			s.run(m)
		}
	}
}

func (l *loop) goesOn(m *machine) bool {
	l.cond.run(m)
	return *(*bool)(m.at(l.goOn))
}

// dividedLoop is a loop that threads divide. All of them run it: each computes its rows, and its own counters.
type dividedLoop struct {
	loop
	rows int
}

func (l *dividedLoop) run(m *machine) {
	w := m.workers
	if w == nil {
		l.loop.run(m)
		return
	}
	for _, each := range m.team[1:] {
		copy(each.roots[plan.RootParameters:], m.roots[plan.RootParameters:])
		copy(each.private, m.private)
	}
	m.workers = nil // within the loop it is not steps that are divided
	w.run(m, l, w.n)
	m.workers, m.worker = w, 0
}

// part runs the loop as member i of n.
func (l *dividedLoop) part(m *machine, worker, i, n int) {
	m = m.team[i]
	m.worker = worker
	barrier := m.barrier
	lo, hi := share(l.rows, i, n)
	for l.goesOn(m) {
		met := true // since what was last done together
		for k := range l.body {
			s := &l.body[k]
			if s.shared == plan.Joint || !met {
				barrier.wait(n)
				met = true
			}
			switch s.shared {
			case plan.Rowwise:
				s.step.(rowStep).rows(m, worker, lo, hi)
			case plan.Own:
				s.run(m)
			case plan.Joint:
				met = false
				if t, ok := s.step.(task); ok {
					t.part(m, worker, i, n)
				} else if i == 0 {
					s.run(m)
				}
			}
		}
		if !met {
			barrier.wait(n)
		}
	}
}
