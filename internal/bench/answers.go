package bench

import (
	"encoding/binary"
	"errors"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/play"
)

// answersKept is for how long answers are on the server at the most, after all that is measured at one time.
const answersKept = 10 * time.Minute

// packed are answers as bytes: of each whether it was sent, and if so the verdict, the delay, and the two instants.
func packed(answers []play.Answer) []byte {
	var out []byte
	var lastUS int64
	for _, a := range answers {
		if !a.Sent {
			out = append(out, 0)
			continue
		}
		out = append(out, 1)
		for _, n := range []int64{int64(a.Decision.Verdict), a.Decision.DelayUS, a.WrittenUS - lastUS,
			a.RepliedUS - a.WrittenUS} {
			out = binary.AppendVarint(out, n)
		}
		lastUS = a.WrittenUS
	}
	return out
}

// errTorn are bytes that are no answers.
var errTorn = errors.New("they are torn")

// unpacked reads what packed wrote.
func unpacked(in []byte) ([]play.Answer, error) {
	var all []play.Answer
	var lastUS int64
	for len(in) > 0 {
		sent := in[0]
		in = in[1:]
		if sent == 0 {
			all = append(all, play.Answer{})
			continue
		}
		var read [4]int64
		for i := range read {
			n, size := binary.Varint(in)
			if size <= 0 || sent != 1 {
				return nil, errTorn
			}
			read[i], in = n, in[size:]
		}
		lastUS += read[2]
		all = append(all, play.Answer{Sent: true, WrittenUS: lastUS, RepliedUS: lastUS + read[3],
			Decision: limit.Decision{Verdict: limit.Verdict(read[0]), DelayUS: read[1]}})
	}
	return all, nil
}
