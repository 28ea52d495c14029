// Package trial is what it takes to train R models, the trials, side by side in one graph: their batches, losses,
// metrics, optimizers and rules for the learning rates.
//
// Whatever belongs to one trial has the trials as an axis. Weights, and what an optimizer keeps of them, have it
// first, [R, …]; sequences are [T, R, B] or [R, B]; losses and rates are [R]. Every part keeps two promises: trial r
// becomes bit for bit what it becomes alone, and whatever becomes of it, a NaN included, leaves the others alone.
//
// The parts are plain structs behind interfaces of one or two methods, so that a declaration made of them can be
// compared and written down. Models are GoMLX's, and [Optimizer], [Metric] and package chrono/loader fit its Trainer.
package trial
