package cost

import (
	"context"
	"fmt"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
)

// Control is the subject that is counted in every job, as the first row.
func Control() Subject {
	c, err := algorithms.Parse(costresult.Control)
	if err != nil {
		panic(err) // the name comes from the registry
	}
	return Algorithm(c)
}

// Algorithm is a built-in algorithm.
func Algorithm(c algorithms.Choice) Subject {
	return Subject{Label: c.Label, Under: func(p limit.Policy) (*lineup.Entry, error) {
		e, err := lineup.Builtin(c, p)
		if err != nil {
			err = fmt.Errorf("%w (under the limit %v)", err, p)
		}
		return e, err
	}}
}

// Own is a user's script, with the binding beside it; without a label it has the binding's name.
func Own(label, file string) Subject {
	return Subject{Label: label, Under: func(p limit.Policy) (*lineup.Entry, error) { return lineup.Own(file, p) }}
}

// A script keeps a log if so many requests at nearly one instant make its keys larger by so many bytes each than
// half as many do.
const (
	logged        = 8
	bytesPerEntry = 2
)

// keepsLog reports whether a script remembers each request by itself.
func (s *stage) keepsLog(ctx context.Context, e *lineup.Entry, at time.Time) (bool, error) {
	few, err := s.sizeAfter(ctx, e, at, logged/2)
	if err != nil {
		return false, err
	}
	many, err := s.sizeAfter(ctx, e, at, logged)
	return many-few >= bytesPerEntry*logged/2, err
}

// sizeAfter is how long the state is after so many requests, a millisecond apart.
func (s *stage) sizeAfter(ctx context.Context, e *lineup.Entry, at time.Time, n int) (int, error) {
	if err := s.Client.FlushAll(ctx).Err(); err != nil {
		return 0, err
	}
	runner, err := lineup.Runner(ctx, s.Server, e.Program, lineup.Times{Start: at}, 0, s.clock)
	if err != nil {
		return 0, err
	}
	requests := make([]limit.Request, n)
	for i := range requests {
		requests[i] = limit.Request{AtUS: int64(i) * 1000, Key: template, Cost: 1}
	}
	if _, err := decide(ctx, runner, requests); err != nil {
		return 0, err
	}
	keys, err := s.copies(ctx, runner.Deadline)
	size := 0
	for _, k := range keys {
		size += len(k.dump)
	}
	return size, err
}

// Subjects are algorithms, all of them where choices is nil, and users' scripts. The control is no subject: it is in
// every job.
func Subjects(choices []algorithms.Choice, scripts []string) []Subject {
	if choices == nil {
		for _, name := range algorithms.Names() {
			c, err := algorithms.Parse(name)
			if err != nil {
				panic(err) // the name comes from the registry
			}
			choices = append(choices, c)
		}
	}
	var all []Subject
	for _, c := range choices {
		if c.Label != costresult.Control {
			all = append(all, Algorithm(c.AtTheLimit()))
		}
	}
	for _, file := range scripts {
		all = append(all, Own("", file))
	}
	return all
}
