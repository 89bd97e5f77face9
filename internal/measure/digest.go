package measure

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/zeebo/xxh3"

	"ratelab/internal/limit"
)

// digest adds up the hashes of one line "t_us,key,cost,0|1\n" for each request. Two runs with the same decisions have
// the same digest, whatever the order of their keys.
type digest struct {
	sum  Sum128
	line []byte
}

// add adds the hash of one request.
func (d *digest) add(q limit.Request, admitted bool) {
	b := strconv.AppendInt(d.line[:0], q.AtUS, 10)
	b = append(b, ',')
	b = append(b, q.Key...)
	b = append(b, ',')
	b = strconv.AppendInt(b, q.Cost, 10)
	if admitted {
		b = append(b, ",1\n"...)
	} else {
		b = append(b, ",0\n"...)
	}
	d.line = b
	hash := xxh3.Hash128(b)
	d.sum.add(Sum128{hash.Hi, hash.Lo})
}

// Sum128 is a sum modulo 2^128.
type Sum128 struct{ High, Low uint64 }

func (s *Sum128) add(o Sum128) {
	var carry uint64
	s.Low, carry = bits.Add64(s.Low, o.Low, 0)
	s.High, _ = bits.Add64(s.High, o.High, carry)
}

// String returns the sum in hexadecimal.
func (s Sum128) String() string { return fmt.Sprintf("%016x%016x", s.High, s.Low) }
