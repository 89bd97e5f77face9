package tune

import "testing"

// The values are those of the reference implementation's vectors: the key is 00 01 … 0f, the text 00 01 ….
func TestSipHashIsTheReference(t *testing.T) {
	text := ""
	for length, want := range map[int]uint64{0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 8: 0x93f5f5799a932462,
		15: 0xa129ca6149be45e5} {
		for text = ""; len(text) < length; {
			text += string(rune(len(text)))
		}
		if got := sipHash(0x0706050403020100, 0x0f0e0d0c0b0a0908, text); got != want {
			t.Errorf("of %d bytes: %#x, want %#x", length, got, want)
		}
	}
}
