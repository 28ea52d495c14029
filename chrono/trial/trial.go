// Package trial trains R models, the trials, side by side in one graph: it has their batches, losses, metrics and
// optimizer.
//
// Whatever belongs to one trial has the trials as an axis. Weights, and what an optimizer keeps of them, have it
// first, [R, …]; sequences are [T, R, B] or [R, B]; losses and rates are [R]. A graph has one number R: the first layer
// of package cell or loss fixes it, and all others must agree. For one model, whose batches are GoMLX's [B, T, …], use
// GoMLX's losses and metrics; [Optimizer] trains it, too. Functions that build a graph panic, as GoMLX's do, if R, a
// shape or a type is not what their comments say. The error is one line.
//
// Every part keeps two promises: a trial that diverges, even to NaN, does not change the others; and a trial gives the
// same results as it does alone, bit for bit on simd. (XLA and GoMLX's Go backend choose the order of additions by the
// shapes in a graph, R among them.)
//
// Data and optimizers are plain structs, so that a declaration made of them can be compared and written down. Models
// are GoMLX's, and [Optimizer], [Metric] and package chrono/loader fit its Trainer.
// [Repeat] gives all trials the same batch, and [Take] takes one trial's weights out.
package trial
