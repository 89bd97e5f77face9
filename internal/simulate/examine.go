package simulate

import (
	"context"
	"errors"

	"ratelab/internal/examine"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/report"
)

// examine plays standard traffics past each of the users' scripts, on a server of ours: nobody else's may be kept busy
// by what was not asked for.
func (j *Job) examine(ctx context.Context, p *plan, b *backend, doc *report.Document) (err error) {
	own := p.own()
	if len(own) == 0 || j.Clock == RealClock {
		return nil
	}
	server := b.servers[0]
	if !server.Own {
		if server, err = redisserver.Start(ctx, redisserver.KindEmbedded); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Close()) }()
	}
	for _, e := range own {
		s := examine.Subject{Own: p.runs[0].Policy, Costs: costly(doc), Watch: lineup.NewWatch(ctx, server),
			Clock: j.clock(),
			Under: func(p limit.Policy) (*lineup.Entry, error) { return lineup.Own(e.File, p) }}
		found, err := s.Examine(ctx)
		if err != nil {
			return err
		}
		doc.Examinations = append(doc.Examinations, *found)
	}
	return nil
}

// costly reports whether any request of the document cost another than 1.
func costly(doc *report.Document) bool {
	for i := range doc.Runs {
		for _, row := range doc.Runs[i].Results {
			if row.OfferedCost != row.Offered {
				return true
			}
		}
	}
	return false
}
