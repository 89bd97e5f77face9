package measure

import "math/bits"

// Marks are keys of a run by the number that a KeySet gave them, one bit each.
type Marks []uint64

func (m *Marks) add(number int64) {
	for number/64 >= int64(len(*m)) {
		*m = append(*m, 0)
	}
	(*m)[number/64] |= 1 << (number % 64)
}

// without counts the keys of m that are not in o.
func (m Marks) without(o Marks) (n int64) {
	for i, word := range m {
		if i < len(o) {
			word &^= o[i]
		}
		n += int64(bits.OnesCount64(word))
	}
	return n
}
