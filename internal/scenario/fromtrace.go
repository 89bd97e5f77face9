package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// FromTrace is the scenario of a recorded log under a limit. Both have been validated.
func FromTrace(t traffic.Trace, p limit.Policy) *Scenario {
	base := t.Title()
	question := fmt.Sprintf("What does a limit of %v admit of %s?", p, base)
	if len(question) > maxQuestion {
		question = fmt.Sprintf("What does a limit of %v admit of the trace?", p)
	}
	described := t
	described.Stdin = nil // its address differs from run to run
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v %s", described, p))
	return &Scenario{
		Name:     traceName(base),
		Question: question,
		Limit:    p,
		Seed:     1,
		Start:    DefaultStart,
		OnLate:   OnLates[0],
		Phases:   []traffic.Phase{{Name: "trace", Trace: &t}},
		SHA256:   hex.EncodeToString(sum[:]),
	}
}

// InPhase is an instant of the default start's day, or window if that is longer, with the place in its window, minute
// and hour that another instant has. Aligned windows begin there where they began in a log.
func InPhase(us int64, window time.Duration) time.Time {
	step := window * max(1, 24*time.Hour/window)
	return DefaultStart.Add((time.UnixMicro(us).Sub(DefaultStart)%step + step) % step)
}

// UnderRule is the scenario of a recorded log with another rule for whole seconds.
func (s *Scenario) UnderRule(rule traffic.WithinSecond) *Scenario {
	again, trace := *s, *s.Phases[0].Trace
	trace.WithinSecond = rule
	again.Phases = []traffic.Phase{{Name: s.Phases[0].Name, Trace: &trace}}
	return &again
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// traceName makes a scenario's name from a file's: access.log.gz becomes access-log.
func traceName(base string) string {
	base = strings.TrimSuffix(strings.ToLower(base), ".gz")
	name := notName.ReplaceAllString(base, "-")
	name = strings.Trim(name[:min(len(name), maxName)], "-")
	if name == "" {
		return "trace"
	}
	return name
}
