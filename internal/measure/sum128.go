package measure

import (
	"encoding/hex"
	"fmt"
	"math/bits"
)

// Sum128 is a sum modulo 2^128. In JSON it is 32 hexadecimal digits.
type Sum128 struct{ High, Low uint64 }

func (s *Sum128) add(o Sum128) {
	var carry uint64
	s.Low, carry = bits.Add64(s.Low, o.Low, 0)
	s.High, _ = bits.Add64(s.High, o.High, carry)
}

// String is the sum in hexadecimal.
func (s Sum128) String() string { return fmt.Sprintf("%016x%016x", s.High, s.Low) }

// MarshalText implements encoding.TextMarshaler.
func (s Sum128) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sum128) UnmarshalText(text []byte) error {
	digits, err := hex.DecodeString(string(text))
	if err != nil || len(digits) != 16 {
		return fmt.Errorf("%q is no sum of 32 hexadecimal digits", text)
	}
	*s = Sum128{}
	for i, b := range digits[:8] {
		s.High, s.Low = s.High<<8|uint64(b), s.Low<<8|uint64(digits[8+i])
	}
	return nil
}
