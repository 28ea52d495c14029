// Package warp declares the figures of W, Tallec & Ollivier, "Can recurrent neural networks warp time?", ICLR 2018: one
// file for each, with the claims that the paper makes about it.
package warp

import (
	_ "embed"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/claim"
	"github.com/warptime/warptime/replication/experiment"
	"github.com/warptime/warptime/replication/record"
)

//go:embed open.md
var leftOpen string

// Paper is W: its figures in the paper's order, and then ours.
var Paper = figures.Paper{
	Name:  paper,
	Title: "Can recurrent neural networks warp time? (Tallec & Ollivier, 2018)",
	Terms: "[The paper](https://inria.hal.science/hal-01812064v1). " +
		"*Chrono* and *standard* are initializations: gate biases by the task's length, and forget biases of 1. " +
		"Networks are LSTMs; in Figures 1 and 5 RNNs: *plain*, *leaky* (a learned time scale per unit) or " +
		"*gated* (a gate per unit; chrono is one); on the Penn Treebank recurrent highway networks, whose " +
		"standard is a transform bias of −2.",
	Words: claim.Words{
		Arms: map[string]string{
			"rnn": "plain", standardFaster.Name: "standard, rate × 4", chronoFaster.Name: "chrono, rate × 4",
			bias0.Name: "forget bias 0", bias1.Name: "forget bias 1", bias2.Name: "forget bias 2",
			noTmax.Name: "chrono without Tmax", tiedChrono.Name: "tied chrono", tiedStandard.Name: "tied standard",
			weights01.Name: "σ = 0.1", weights03.Name: "σ = 0.3", weights1.Name: "σ = 1", weights3.Name: "σ = 3",
			"mingru": "minimal GRU", "mingru-2": "minimal GRU, two inputs", "mamba": "Mamba", "rg-lru": "RG-LRU",
			"mamba-4": "Mamba, with convolution", "lru": "LRU",
			k0.Name: "k = 0", k1.Name: "k = 1", k2.Name: "k = 2", twoSteps.Name: "2 steps",
		},
		Panels: map[string]string{
			"uniform-warp" + normal: "uniform warping", "uniform-pad" + normal: "uniform padding",
			"variable-warp" + normal: "variable warping", "variable-pad" + normal: "variable padding",
			"adding200": "adding, T = 200", "adding750": "adding, T = 750",
			"copy500" + normal: "copy, T = 500", "copy2000" + normal: "copy, T = 2000",
			"varcopy500" + normal: "variable copy, T = 500", "varcopy1000" + normal: "variable copy, T = 1000",
			"mnist": "MNIST", permuted: "permuted MNIST", "text8": "text8", "ptb": "Penn Treebank",
			"warp/beyond-pixels " + permuted: "permuted MNIST, ten epochs, rate 1e-3",
			"lstm-adding":                    "adding", "lstm-copy": "copy",
			"gru-adding": "adding, GRU", "gru-copy": "copy, GRU",
			"mingru-adding": "adding, minimal GRU", "mingru-copy": "copy, minimal GRU",
			"tmax-adding": "adding, Tmax", "tmax-copy": "copy, Tmax",
			"adding": "adding, tied or not", "copy": "copy, tied or not",
			"copy50": "copy, T = 50", "copy200": "copy, T = 200", "copy1000": "copy, T = 1000",
		},
		Results: map[record.Result]claim.Named{
			record.Train: {Name: "loss"}, experiment.TestLoss: {Name: "loss"},
			accuracy:                 {Name: "accuracy", Unit: claim.Percent},
			dummy:                    {Name: "the dummy's accuracy", Unit: claim.Percent},
			experiment.ValidAccuracy: {Name: "validation accuracy", Unit: claim.Percent},
			testAccuracy:             {Name: "test accuracy", Unit: claim.Percent},
			validBits:                {Name: "validation bits", Unit: bits}, testBits: {Name: "test bits", Unit: bits},
			lettersTrace: {Name: "letters' trace", Unit: claim.Plain},
			gateSum:      {Name: "input gates' sum", Unit: claim.Plain},
			validEntropy: {Name: "validation loss", Unit: nats},
		},
	},
	Figures: []figures.Figure{
		Fig1,
		Fig2,
		Fig3,
		Fig4,
		Fig5,
		Fig6,
		Fig7,
		BeyondSafe,
		BeyondGates,
		BeyondTied,
		BeyondPixels,
		BeyondTorch,
		BeyondTrace,
		Today,
		TodayScales,
	},
	Text: Text,
	Open: leftOpen,
	Hours: map[string]float64{
		"warp/fig6 mnist": 127, "warp/fig6 pmnist": 133, "warp/fig7 ptb": 448,
		"warp/beyond-safe lstm-adding": 7.3, "warp/beyond-safe lstm-copy": 14,
	},
}

var (
	bits = claim.Unit{Times: 1, Name: "bits"}
	nats = claim.Unit{Times: 1, Name: "nats per word"}
)
