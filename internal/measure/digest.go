package measure

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"

	"ratelab/internal/limit"
)

// digest hashes one line "t_us,key,cost,0|1\n" for each request: two runs that decided alike have the same.
type digest struct {
	hash  hash.Hash
	lines []byte
}

// digestBuffer is how much is hashed at once.
const digestBuffer = 8192

func newDigest() digest {
	return digest{hash: sha256.New(), lines: make([]byte, 0, digestBuffer+512)}
}

func (d *digest) add(q limit.Request, admitted bool) {
	b := strconv.AppendInt(d.lines, q.AtUS, 10)
	b = append(b, ',')
	b = append(b, q.Key...)
	b = append(b, ',')
	b = strconv.AppendInt(b, q.Cost, 10)
	if admitted {
		b = append(b, ",1\n"...)
	} else {
		b = append(b, ",0\n"...)
	}
	d.lines = b
	if len(b) >= digestBuffer {
		d.flush()
	}
}

func (d *digest) flush() {
	d.hash.Write(d.lines) // a hash returns no error
	d.lines = d.lines[:0]
}

// sum is the hash so far, in hexadecimal.
func (d *digest) sum() string {
	d.flush()
	return hex.EncodeToString(d.hash.Sum(nil))
}
