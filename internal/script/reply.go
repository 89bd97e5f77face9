package script

import (
	"errors"
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

var errShape = errors.New("want {allowed, remaining, retry_after_us, reset_after_us} or the same with delay_us, all " +
	"integers")

// Contract decodes the reply of a script that keeps to the Lua contract: four integers, five from a shaper.
func Contract(r resp.Value) (limit.Decision, error) {
	if r.Kind == resp.Error {
		return limit.Decision{}, errors.New(r.Text)
	}
	if r.Kind != resp.Array || len(r.Items) != 4 && len(r.Items) != 5 {
		return limit.Decision{}, fmt.Errorf("reply %v: %w", r, errShape)
	}
	for i := range r.Items {
		if r.Items[i].Kind != resp.Int {
			return limit.Decision{}, fmt.Errorf("reply %v: %w", r, errShape)
		}
	}
	verdict := r.Items[0].Int
	if verdict < -1 || verdict > 1 {
		return limit.Decision{}, fmt.Errorf("reply %v: allowed is %d; want 1, 0 or -1", r, verdict)
	}
	d := limit.Decision{
		Verdict:      limit.Verdict(verdict),
		Remaining:    r.Items[1].Int,
		RetryAfterUS: r.Items[2].Int,
		ResetAfterUS: r.Items[3].Int,
	}
	if len(r.Items) == 5 {
		d.DelayUS = r.Items[4].Int
	}
	return d, nil
}
