package algorithms

import (
	"strconv"
	"strings"
	"testing"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// The life of a managed bucket: its four answers, the fourth of which is a server that does not answer.
func TestTheLifeOfAManagedBucket(t *testing.T) {
	allow := func(remaining, resetUS int64) limit.Decision {
		return limit.Decision{Verdict: limit.Allowed, Remaining: remaining, ResetAfterUS: resetUS}
	}
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for i, step := range []struct {
			atUS int64
			args string
			want limit.Decision
		}{
			{0, "1 acquire app1", notConfigured}, // no such bucket
			{0, "0 init 3 1000000 1 app1 app2", allow(3, 0)},
			{0, "2 acquire app1", allow(1, 2_000_000)},
			// the bucket is shared
			{0, "2 acquire app2", limit.Decision{Remaining: 1, RetryAfterUS: 1_000_000, ResetAfterUS: 2_000_000}},
			{0, "1 acquire app10", notConfigured}, // app1 is compared whole
			{0, "1 acquire app", notConfigured},
			// the same, in another order: nothing changes
			{0, "0 init 3 1000000 1 app2 app1", allow(1, 2_000_000)},
			{0, "0 init 4 1000000 1 app1 app2", allow(4, 0)}, // another capacity: full
			{0, "4 acquire app1", allow(0, 4_000_000)},
			{0, "0 init 4 1000000 1 app1", allow(4, 0)}, // another list
			{0, "1 acquire app2", notConfigured},
			{0, "5 acquire app1", limit.Decision{Remaining: 4, RetryAfterUS: limit.Never}},
			{0, "0 init 4 1000000 1", allow(4, 0)}, // everyone
			{0, "1 acquire whoever", allow(3, 1_000_000)},
			{500_000, "0 init 4 1000000 1 *", allow(3, 500_000)}, // which * says too
			{500_000, "0 delete", allow(0, 0)},
			{500_000, "1 acquire whoever", notConfigured},
			{500_000, "0 delete", notConfigured},
			{500_000, "0 init 4 1000000 1 app1", allow(4, 0)}, // the old level is gone too
		} {
			args := append([]string{strconv.FormatInt(algotest.StartUS+step.atUS, 10)}, strings.Fields(step.args)...)
			d, err := eval(t, s, "token-bucket", "life", args...)
			if err != nil || d != step.want {
				t.Fatalf("step %d, %s: %+v, %v; want %+v", i, step.args, d, err, step.want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if d, err := eval(t, s, "token-bucket", "life", "", "1", "acquire", "app1"); err == nil {
			t.Fatalf("the server is gone, and answers %+v", d)
		}
	})
}

// notConfigured is the answer where there is no bucket, or the application is not on its list.
var notConfigured = limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: limit.Never}
