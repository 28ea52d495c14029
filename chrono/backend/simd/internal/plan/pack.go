package plan

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"
)

// Alignment of all memory in bytes: one cache line, and one AVX-512 register.
const Alignment = 64

// AlignedBytes returns n zeroed bytes that start on a cache line.
func AlignedBytes(n int) []byte {
	raw := make([]byte, n+Alignment)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (Alignment - 1))
	return raw[skip : skip+n : skip+n]
}

// pack gives slots their offsets and returns what they need in bytes. Large ones are placed first, each at the lowest
// offset where it overlaps none that is in use at the same time.
//
// What is in use when is kept in a tree of periods: node 1 is all time, and nodes 2i and 2i+1 are the halves of node i,
// down to single positions. So a slot is compared with the memory of a few periods instead of with all other slots.
func pack(slots []*Slot) int {
	end := 0
	for _, s := range slots {
		end = max(end, s.last)
	}
	leaves := 1 << bits.Len(uint(end))
	throughout := make([]memory, 2*leaves) // in use for all of a period
	sometime := make([]memory, 2*leaves)   // in use in a period
	order := slices.Clone(slots)
	slices.SortStableFunc(order, func(a, b *Slot) int { return cmp.Compare(b.Size, a.Size) })
	total := 0
	for _, s := range order {
		var inside, around []int // the periods that make up the time of the slot, and those that contain some of it
		for first, last := leaves+s.first, leaves+s.last; first <= last; first, last = (first+1)/2, (last-1)/2 {
			if first%2 == 1 {
				inside = append(inside, first)
			}
			if last%2 == 0 {
				inside = append(inside, last)
			}
		}
		for first, last := leaves+s.first, leaves+s.last; first > 0; first, last = first/2, last/2 {
			around = append(around, first, last)
		}
		for at := -1; at < s.off; {
			at = s.off
			for _, i := range inside {
				s.off = sometime[i].free(s.off, s.Size)
			}
			for _, i := range around {
				s.off = throughout[i].free(s.off, s.Size)
			}
		}
		for _, i := range inside {
			throughout[i].use(s.off, s.off+s.Size)
			sometime[i].use(s.off, s.off+s.Size)
		}
		for _, i := range around {
			sometime[i].use(s.off, s.off+s.Size)
		}
		total = max(total, s.off+s.Size)
	}
	return total
}

// A memory is the pieces that are in use, in order. None touches the next.
type memory []piece

type piece struct{ from, to int }

// free is the lowest offset from off on where size bytes are free.
func (m memory) free(off, size int) int {
	i, _ := slices.BinarySearchFunc(m, off, func(p piece, off int) int { return cmp.Compare(p.to, off+1) })
	for ; i < len(m) && m[i].from < off+size; i++ {
		off = m[i].to
	}
	return off
}

// use adds a piece.
func (m *memory) use(from, to int) {
	i, _ := slices.BinarySearchFunc(*m, from, func(p piece, from int) int { return cmp.Compare(p.to, from) })
	k := i
	for ; k < len(*m) && (*m)[k].from <= to; k++ {
		from, to = min(from, (*m)[k].from), max(to, (*m)[k].to)
	}
	*m = slices.Replace(*m, i, k, piece{from, to})
}
