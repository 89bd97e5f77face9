package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/accesslog"
	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// FromTrace is the scenario of a recorded log under a limit. Both have been validated.
func FromTrace(t accesslog.Trace, p limit.Policy) *Scenario {
	base := t.Title()
	question := fmt.Sprintf("What does a limit of %v admit of %s?", p, base)
	if len(question) > maxQuestion {
		question = fmt.Sprintf("What does a limit of %v admit of the trace?", p)
	}
	described := t
	described.Stdin = nil // its address differs from run to run
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v %s", described, p))
	s := &Scenario{
		Name:     traceName(base),
		Question: question,
		Limit:    p,
		Seed:     1,
		Start:    DefaultStart,
		OnLate:   OnLates[0],
		Phases:   []traffic.Phase{{Name: "trace", Trace: &t}},
		SHA256:   hex.EncodeToString(sum[:]),
	}
	s.keepClock()
	return s
}

// keepClock begins on the default start's day, or window if that is longer, where the log has the place in its window,
// minute and hour that it had. Aligned windows begin there where they began in the log.
func (s *Scenario) keepClock() {
	before := time.Duration(0)
	for _, p := range s.Phases {
		if p.Trace != nil {
			if us, err := p.Trace.(*accesslog.Trace).Began(); err == nil { // or else whoever reads the log tells it
				s.Begin(us, before)
			}
			return
		}
		before += p.Duration
	}
}

// Begin does so with a log whose first request was at us, in microseconds since 1970, after what is played before.
func (s *Scenario) Begin(us int64, before time.Duration) {
	step := s.Limit.Window * max(1, 24*time.Hour/s.Limit.Window)
	began := time.UnixMicro(us).Sub(DefaultStart) - before
	s.Start = DefaultStart.Add((began%step + step) % step)
}

// Trace is the log that a scenario of FromTrace plays.
func (s *Scenario) Trace() *accesslog.Trace { return s.Phases[0].Trace.(*accesslog.Trace) }

// UnderRule is the scenario of a recorded log with another rule for whole seconds.
func (s *Scenario) UnderRule(rule accesslog.WithinSecond) *Scenario {
	again, trace := *s, *s.Trace()
	trace.WithinSecond = rule
	again.Phases = []traffic.Phase{{Name: s.Phases[0].Name, Trace: &trace}}
	return &again
}

// Part is the scenario of a recorded log with one of so many parts of its keys.
func (s *Scenario) Part(part, parts uint64) *Scenario {
	again, trace := *s, *s.Trace()
	trace.Part, trace.Parts = part, parts
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
