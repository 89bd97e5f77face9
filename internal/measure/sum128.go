package measure

import (
	"fmt"
	"math/bits"
)

// Sum128 is a sum modulo 2^128.
type Sum128 struct{ High, Low uint64 }

func (s *Sum128) add(o Sum128) {
	var carry uint64
	s.Low, carry = bits.Add64(s.Low, o.Low, 0)
	s.High, _ = bits.Add64(s.High, o.High, carry)
}

// String is the sum in hexadecimal.
func (s Sum128) String() string { return fmt.Sprintf("%016x%016x", s.High, s.Low) }
