package simulate

import (
	"context"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/replay"
)

// try lets every script of the users decide the first requests on a private server. Its error is an *InputError, or
// that of a server.
func (j *Job) try(ctx context.Context, p *plan) error {
	own := p.own()
	if len(own) == 0 {
		return nil
	}
	requests, err := firstRequests(p.runs[0])
	if err != nil {
		return err
	}
	return lineup.Try(ctx, own, j.Server, p.runs[0].Scenario.Start, requests, j.clock())
}

func (j *Job) clock() replay.Clock { return replay.Clock{Now: j.Now, Sleep: j.Sleep} }

func firstRequests(p *contest) ([]limit.Request, error) {
	var first []limit.Request
	for q, err := range p.stream.Requests() {
		if err != nil {
			return nil, &InputError{Err: err}
		}
		first = append(first, q)
		if len(first) == lineup.TrialRequests {
			break
		}
	}
	return first, nil
}
