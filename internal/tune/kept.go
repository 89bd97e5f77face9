package tune

import (
	"math"
	"strings"

	"ratelab/internal/limit"
)

// kept is the requests of the keys that are played, so that later passes need not read everything again.
type kept struct {
	stretches []stretch
	pages     [][]brief // of the stretch that has not ended
	names     []string  // of the keys
	count     int64
	most      int64 // that are kept; of more none is
	tooMany   bool
	complete  bool
}

// stretch is traffic that meets limiters which remember nothing.
type stretch struct {
	pages [][]brief
	part  part
}

// brief is a request, with the key's number.
type brief struct {
	atUS         int64
	number, cost int32
}

// mostKept is how many requests are kept: 400 MB. Where there are more none is, and each pass reads everything.
const mostKept = 25_000_000

const briefsOnPage = 8192

// add keeps a request.
func (k *kept) add(m moment) {
	if k.count++; k.tooMany || k.count > k.most || m.Cost > math.MaxInt32 {
		*k = kept{tooMany: true}
		return
	}
	for int64(len(k.names)) <= m.number {
		k.names = append(k.names, "")
	}
	if k.names[m.number] == "" {
		k.names[m.number] = strings.Clone(m.Key) // without the line that it is part of
	}
	last := len(k.pages) - 1
	if last < 0 || len(k.pages[last]) == briefsOnPage {
		k.pages = append(k.pages, make([]brief, 0, briefsOnPage))
		last++
	}
	k.pages[last] = append(k.pages[last], brief{m.AtUS, int32(m.number), int32(m.Cost)})
}

// rest ends a stretch.
func (k *kept) rest(p part) {
	k.stretches = append(k.stretches, stretch{k.pages, p})
	k.pages = nil
}

// play hands on what was kept, as a census does.
func (k *kept) play(visit func(moment) error, rest func(part) error) error {
	for _, s := range k.stretches {
		for _, page := range s.pages {
			for _, b := range page {
				q := limit.Request{AtUS: b.atUS, Key: k.names[b.number], Cost: int64(b.cost)}
				if err := visit(moment{q, int64(b.number), s.part}); err != nil {
					return err
				}
			}
		}
		if err := rest(s.part); err != nil {
			return err
		}
	}
	return nil
}
