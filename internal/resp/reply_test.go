package resp

import (
	"slices"
	"strings"
	"testing"
)

// Each reply ends where it ends, in whatever pieces it comes.
func TestRepliesAreFollowed(t *testing.T) {
	all := []string{"+OK\r\n", "-ERR no\r\n", ":7\r\n", "$-1\r\n", "*-1\r\n", "$0\r\n\r\n",
		"$4\r\n\r\n:1\r\n", "*0\r\n",
		"*3\r\n:1\r\n*2\r\n:2\r\n$1\r\nx\r\n:3\r\n", "+" + strings.Repeat("x", 100_000) + "\r\n",
		strings.Repeat("*1\r\n", 8000) + ":1\r\n"}
	for _, step := range []int{1, 2, 7, 4096, 1 << 20} {
		var r Reply
		var got []string
		var one []byte
		for piece := range slices.Chunk([]byte(strings.Join(all, "")), step) {
			for len(piece) > 0 {
				n, ends, err := r.Next(piece)
				if err != nil {
					t.Fatal(err)
				}
				one, piece = append(one, piece[:n]...), piece[n:]
				if ends {
					got, one = append(got, string(one)), nil
				}
			}
		}
		if !slices.Equal(got, all) || r.Begun {
			t.Errorf("in pieces of %d bytes: %.60q; want %.60q", step, got, all)
		}
	}
}
