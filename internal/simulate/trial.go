package simulate

import (
	"context"

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
	requests, err := lineup.FirstRequests(p.runs[0].stream)
	if err != nil {
		return err
	}
	return lineup.Try(ctx, own, j.Server, p.runs[0].Scenario.Start, requests, j.clock())
}

func (j *Job) clock() replay.Clock { return replay.Clock{Now: j.Now, Sleep: j.Sleep} }
