package bench

import (
	"context"
	"errors"
	"ratelab/internal/recording"
)

type pairPlan struct{}

func (c *Comparison) plan() (*pairPlan, error)                         { return nil, errors.New("bench: not built yet") }
func (p *pairPlan) run(ctx context.Context) (*recording.Paired, error) { return nil, nil }
