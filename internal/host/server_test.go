package host

import (
	"testing"
	"time"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/replay"
)

// In a run with users' scripts one server decides all rows, and it is bounded.
func TestOneServerDecidesAllRows(t *testing.T) {
	for _, kind := range []string{redis.KindProcess, redis.KindEmbedded} {
		t.Run(kind, func(t *testing.T) {
			if kind == redis.KindProcess {
				redistest.Private(t) // or skip
			}
			s := Server{Spec: kind, Foreign: true, Clock: replay.Clock{Now: time.Now}}
			if err := s.Start(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if len(s.all) != 1 || !s.all[0].Bounded {
				t.Errorf("%d servers, the first bounded: %t; want one bounded server", len(s.all), s.all[0].Bounded)
			}
		})
	}
}
