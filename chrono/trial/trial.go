// Package trial is what it takes to train R models, the trials, side by side in one graph: their batches, losses,
// metrics, optimizers and rules for the learning rates.
//
// Whatever belongs to one trial has the trials as an axis. Weights, and what an optimizer keeps of them, have it
// first, [R, …]; sequences are [T, R, B] or [R, B]; losses and rates are [R]. Every part keeps two promises:
// whatever becomes of a trial, a NaN included, leaves the others alone; and a trial becomes what it becomes by itself,
// bit for bit on simd. (XLA and GoMLX's Go backend choose the order of additions by the shapes in a graph, R among
// them.)
//
// The parts are plain structs behind interfaces of one or two methods, so that a declaration made of them can be
// compared and written down. Models are GoMLX's, and [Optimizer], [Metric] and package chrono/loader fit its Trainer.
package trial
