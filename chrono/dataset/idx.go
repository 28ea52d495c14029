package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// IDX is an array of bytes in the format of MNIST's files.
type IDX struct {
	Shape []int
	Data  []uint8 // the last axis varies fastest
}

// ParseIDX reads an array of unsigned bytes, uncompressed:
//
//	0, 0, 8, rank      a byte each; 8 is the type, unsigned byte
//	shape              rank numbers of four bytes, the highest first
//	data               a byte each, as many as the shape says
//
// Data is a part of raw. Another type, and fewer or more bytes than that, are errors. Source: LeCun's page of MNIST.
func ParseIDX(raw []byte) (IDX, error) {
	const unsigned = 8
	if len(raw) < 4 || raw[0] != 0 || raw[1] != 0 {
		return IDX{}, fmt.Errorf("no IDX file: it begins with %x, want 0000", raw[:min(4, len(raw))])
	}
	if raw[2] != unsigned || raw[3] == 0 {
		return IDX{}, fmt.Errorf("IDX file of type %d and rank %d, want type %d and rank 1 or more", raw[2], raw[3],
			unsigned)
	}
	rank, rest := int(raw[3]), raw[4:]
	if len(rest) < 4*rank {
		return IDX{}, fmt.Errorf("IDX file of rank %d ends within its shape: it has %d bytes", rank, len(raw))
	}
	shape, data := make([]int, rank), rest[4*rank:]
	size := 1
	for i := range shape {
		n := int(binary.BigEndian.Uint32(rest[4*i:]))
		shape[i] = n
		if n > 0 && size > len(data)/n {
			size = len(data) + 1 // more than there are; the product might overflow
		} else {
			size *= n
		}
	}
	if size != len(data) {
		return IDX{}, fmt.Errorf("IDX file of shape %s has %d bytes of data", times(shape), len(data))
	}
	return IDX{shape, data}, nil
}

// times writes a shape as 60000×28×28.
func times(shape []int) string {
	text := make([]string, len(shape))
	for i, n := range shape {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, "×")
}

// gunzip unpacks a whole gzip file and refuses one that is too large. Its format has a checksum of its own.
func gunzip(packed []byte, most int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return readAtMost(z, most)
}

func readAtMost(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("more than %s bytes when unpacked", thousands(most))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("ends too early")
	}
	return data, err
}
