// Package replication holds the papers' experiments, and what is needed to run them and to believe the results.
//
// An experiment is a declaration: a [Figure] of [Panel]s, one file for each (fig1.go, fig3.go, …). A [Runner] trains what it
// declares and writes a [Record], from which figures are drawn and [Claim]s are judged.
package replication
