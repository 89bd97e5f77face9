package virtualtime

import (
	"errors"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// Calls are commands that scripts issued. Those of the init script, and of a call that gave no decision, are in the
// total alone.
type Calls struct {
	Decisions            int64 // that the script was asked for
	Total                int64
	Admitting, Rejecting int64 // what decisions of either kind took
	Admitted, Rejected   int64 // how many decisions those are
}

var errTook = errors.New("the wrapper's account of the commands that it issued makes no sense")

// add takes in a batch: how many commands it issued, and then, for the first decision and each that took another number
// than the one before it, its number and what it took.
func (c *Calls) add(took []resp.Value, decisions []limit.Decision) error {
	if len(took)%2 == 0 {
		return errTook
	}
	c.Decisions += int64(len(decisions))
	c.Total += took[0].Int
	spans := took[1:]
	for i := 0; i < len(spans); i += 2 {
		first, end := spans[i].Int, int64(len(decisions))+1
		if i+2 < len(spans) {
			end = spans[i+2].Int
		}
		if first < 1 || end <= first || end > int64(len(decisions))+1 {
			return errTook
		}
		c.count(spans[i+1].Int, decisions[first-1:end-1])
	}
	return nil
}

func (c *Calls) count(each int64, decisions []limit.Decision) {
	for i := range decisions {
		switch decisions[i].Verdict {
		case limit.Allowed:
			c.Admitted, c.Admitting = c.Admitted+1, c.Admitting+each
		case limit.Rejected, limit.NotConfigured:
			c.Rejected, c.Rejecting = c.Rejected+1, c.Rejecting+each
		}
	}
}
