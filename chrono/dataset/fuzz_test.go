package dataset

import (
	"bytes"
	"strings"
	"testing"
)

// refused reports whether an error is there, which must have one line.
func refused(t *testing.T, err error) bool {
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q, want one line", err)
	}
	return err != nil
}

// Whatever the bytes, they are refused, or an array that is written as the same bytes.
func FuzzIDX(f *testing.F) {
	whole := idx([]int{2, 1, 3}, []uint8{1, 2, 3, 4, 5, 6})
	huge := idx([]int{1 << 31, 1 << 31, 4}, nil)
	for _, raw := range [][]byte{whole, whole[:len(whole)-1], whole[:7], huge, {0, 0, 8, 255}} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		array, err := ParseIDX(raw)
		if !refused(t, err) && !bytes.Equal(idx(array.Shape, array.Data), raw) {
			t.Errorf("%x is read as %v", raw, array)
		}
	})
}

// Whatever the two files, they are refused, or as many images as labels.
func FuzzImages(f *testing.F) {
	images, labels := idx([]int{2, 1, 3}, []uint8{1, 2, 3, 4, 5, 6}), idx([]int{2}, []uint8{1, 9})
	f.Add(images, labels, false)
	f.Add(labels, images, false)
	f.Add(gzipped(f, images), gzipped(f, labels), true)
	f.Add(gzipped(f, images)[:20], gzipped(f, labels), true)
	f.Fuzz(func(t *testing.T, images, labels []byte, packed bool) {
		if !packed { // else hardly anything would pass gzip's checksum
			images, labels = gzipped(t, images), gzipped(t, labels)
		}
		i, err := parseImages(images, labels)
		if refused(t, err) {
			return
		}
		for n := range i.Len() {
			if len(i.Image(n)) != i.Rows*i.Columns || i.Labels[n] >= Digits {
				t.Errorf("image %d of %+v", n, i)
			}
		}
	})
}

// Whatever the bytes, they are refused, or symbols that are written as the same bytes.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", " anarchism originated as", "Anarchism", "a\n", "\x60\x7b"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		symbols, err := ParseCharacters(text)
		if !refused(t, err) && letters(symbols) != string(text) {
			t.Errorf("%q is read as %v", text, symbols)
		}
	})
}

// Whatever the bytes, they are no zip file of that text, or the text.
func FuzzZip(f *testing.F) {
	content := text(30)
	c := corpus{entry: "text", characters: len(content)}
	f.Add(zipped(f, content, "text"))
	f.Add(zipped(f, content, "text")[:60])
	f.Add(zipped(f, content[:29], "text"))
	f.Add(zipped(f, content, "text", "text"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := c.unpack(data)
		if !refused(t, err) && len(text) != c.characters {
			t.Errorf("%d characters", len(text))
		}
	})
}

// Whatever the bytes, they are refused, or lines of words that are written as the same bytes but for spaces.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"", " the <unk> N \n a \n", "a", "\n", "<eos>\n", "a\x00\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		words, err := ParseWords(text)
		if refused(t, err) {
			return
		}
		var b strings.Builder
		for _, word := range words {
			if word == EndOfSentence {
				word = "\n"
			}
			b.WriteString(word)
		}
		if b.String() != strings.ReplaceAll(string(text), " ", "") {
			t.Errorf("%q is read as %q", text, words)
		}
	})
}
