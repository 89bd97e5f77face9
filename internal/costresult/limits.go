package costresult

import (
	"time"

	"ratelab/internal/limit"
)

// DefaultLimits are those under which scripts are counted and compared besides the scenario's own: a permit takes from
// 86 ms to 36 s to come back, or a time that is no whole number of microseconds.
func DefaultLimits() []limit.Policy {
	return []limit.Policy{
		{Requests: 10, Window: time.Second},
		{Requests: 100, Window: time.Hour},
		{Requests: 333, Window: time.Second},
		{Requests: 1_000_000, Window: 24 * time.Hour},
	}
}

// Limits are own and the default ones, each once.
func Limits(own limit.Policy) []limit.Policy {
	all := []limit.Policy{own}
	for _, p := range DefaultLimits() {
		if p.Requests != own.Requests || p.Window != own.Window || own.Capacity() != own.Requests {
			all = append(all, p)
		}
	}
	return all
}
