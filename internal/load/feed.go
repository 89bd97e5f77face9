package load

import (
	"iter"

	"ratelab/internal/limit"
)

// chunkSize is how many requests travel from the stream to the pacer at a time.
const chunkSize = 512

// feeder reads a stream ahead of its pacer, for which a generator of random numbers, let alone a compressed trace,
// would be too slow now and then.
type feeder struct {
	chunks chan []limit.Request
	blank  chan []limit.Request
	quit   <-chan struct{}
}

func newFeeder(quit <-chan struct{}) *feeder {
	return &feeder{chunks: make(chan []limit.Request, 16), blank: make(chan []limit.Request, 16), quit: quit}
}

// run reads the stream. The error is the stream's.
func (f *feeder) run(stream iter.Seq2[limit.Request, error]) error {
	defer close(f.chunks)
	chunk := make([]limit.Request, 0, chunkSize)
	for req, err := range stream {
		if err != nil {
			return err
		}
		chunk = append(chunk, req)
		if len(chunk) == chunkSize && !f.send(&chunk) {
			return nil
		}
	}
	f.send(&chunk)
	return nil
}

// send passes a chunk on and puts a blank one in its place; false: nobody wants it any more.
func (f *feeder) send(chunk *[]limit.Request) bool {
	select {
	case f.chunks <- *chunk:
	case <-f.quit:
		return false
	}
	select {
	case *chunk = <-f.blank:
	default:
		*chunk = make([]limit.Request, 0, chunkSize)
	}
	return true
}

// next is the next chunk for the one that was used up; ok is false at the end.
func (f *feeder) next(used []limit.Request) (chunk []limit.Request, ok bool) {
	if used != nil {
		select {
		case f.blank <- used[:0]:
		default:
		}
	}
	select {
	case chunk, ok = <-f.chunks:
		return chunk, ok
	case <-f.quit:
		return nil, false
	}
}
