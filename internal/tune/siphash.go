package tune

import (
	"encoding/binary"
	"math/bits"
)

// sipHash is SipHash-2-4 of a text under a key of 128 bits (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast
// short-input PRF", INDOCRYPT 2012). Nothing else in this program uses it: whom it draws has nothing to do with how
// keys are spread by another hash, such as that of shards.
func sipHash(k0, k1 uint64, text string) uint64 {
	s := sipState{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}
	rest := text
	for ; len(rest) >= 8; rest = rest[8:] {
		s.word(uint64(rest[0]) | uint64(rest[1])<<8 | uint64(rest[2])<<16 | uint64(rest[3])<<24 |
			uint64(rest[4])<<32 | uint64(rest[5])<<40 | uint64(rest[6])<<48 | uint64(rest[7])<<56)
	}
	var last [8]byte
	copy(last[:], rest)
	last[7] = byte(len(text))
	s.word(binary.LittleEndian.Uint64(last[:]))
	s[2] ^= 0xff
	for range 4 {
		s.round()
	}
	return s[0] ^ s[1] ^ s[2] ^ s[3]
}

type sipState [4]uint64

// word takes eight bytes.
func (s *sipState) word(m uint64) {
	s[3] ^= m
	s.round()
	s.round()
	s[0] ^= m
}

func (s *sipState) round() {
	s[0] += s[1]
	s[1] = bits.RotateLeft64(s[1], 13) ^ s[0]
	s[0] = bits.RotateLeft64(s[0], 32)
	s[2] += s[3]
	s[3] = bits.RotateLeft64(s[3], 16) ^ s[2]
	s[0] += s[3]
	s[3] = bits.RotateLeft64(s[3], 21) ^ s[0]
	s[2] += s[1]
	s[1] = bits.RotateLeft64(s[1], 17) ^ s[2]
	s[2] = bits.RotateLeft64(s[2], 32)
}
