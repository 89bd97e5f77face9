package tune

import (
	"iter"
	"math/bits"
)

// slab is a row of so many cells for each key, by the key's number. It grows by pages, so that nothing is copied and
// memory follows the number of keys.
type slab[T any] struct {
	width int
	pages [][]T
}

// keysOnPage is how many keys share a page.
const keysOnPage = 1024

// row is the cells of a key, zero where nobody has written them.
func (s *slab[T]) row(number int64) []T {
	page, at := int(number/keysOnPage), int(number%keysOnPage)*s.width
	for page >= len(s.pages) {
		s.pages = append(s.pages, make([]T, keysOnPage*s.width))
	}
	return s.pages[page][at : at+s.width : at+s.width]
}

// clear makes all cells zero.
func (s *slab[T]) clear() {
	for _, page := range s.pages {
		clear(page)
	}
}

// set is a set of keys, by their numbers.
type set []uint64

// add puts a key into it.
func (s *set) add(number int64) {
	for int(number/64) >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[number/64] |= 1 << (number % 64)
}

// has reports whether a key is in it.
func (s set) has(number int64) bool {
	return int(number/64) < len(s) && s[number/64]&(1<<(number%64)) != 0
}

// all is the keys in it, ascending.
func (s set) all() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(int64(i)*64 + int64(bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
