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

// FromTrace returns the scenario of a recorded log under a limit. Both have been validated.
func FromTrace(t accesslog.Trace, p limit.Policy) *Scenario {
	base := t.Title()
	question := fmt.Sprintf("What does a limit of %v admit of %s?", p, base)
	if len(question) > maxQuestion {
		question = fmt.Sprintf("What does a limit of %v admit of the trace?", p)
	}
	described := t
	described.Stdin = nil // its address differs between runs
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

// UnderLimits puts the scenario of a recorded log under several limits. They have been validated.
func (s *Scenario) UnderLimits(all []limit.Limit) {
	s.Limits, s.Limit = all, all[0].Policy
	s.Question = fmt.Sprintf("What do limits of %s admit of %s?", limit.Names(all), s.Trace().Title())
	if len(s.Question) > maxQuestion {
		s.Question = "What do these limits admit of the trace?"
	}
	s.keepClock()
}

// keepClock sets the start of virtual time so that the log keeps its position within the window, the minute and the
// hour. Aligned windows then begin at the same requests as in the log. The start is on the day of the default start, or
// up to a window later if the window is longer.
func (s *Scenario) keepClock() {
	before := time.Duration(0)
	for _, p := range s.Phases {
		if p.Trace != nil {
			if us, err := p.Trace.(*accesslog.Trace).Began(); err == nil { // errors are reported later
				s.Begin(us, before)
			}
			return
		}
		before += p.Duration
	}
}

// Begin sets the start of virtual time, near DefaultStart. The first request of the log was at us, in microseconds
// since 1970, and before is the duration of the traffic before the log. The request keeps its position in the window.
// It also keeps its time of day, if windows divide a day, or days a window.
func (s *Scenario) Begin(us int64, before time.Duration) {
	longest := s.Limit.Window
	for _, l := range s.Limits {
		longest = max(longest, l.Window)
	}
	if longest == 0 { // a limit on requests in flight has no window
		longest = 24 * time.Hour
	}
	step := longest * max(1, 24*time.Hour/longest)
	began := time.UnixMicro(us).Sub(DefaultStart) - before
	s.Start = DefaultStart.Add((began%step + step) % step)
}

// Trace returns the log of a scenario from FromTrace.
func (s *Scenario) Trace() *accesslog.Trace { return s.Phases[0].Trace.(*accesslog.Trace) }

// UnderRule returns the scenario of a recorded log with another rule for whole seconds.
func (s *Scenario) UnderRule(rule accesslog.WithinSecond) *Scenario {
	again, trace := *s, *s.Trace()
	trace.WithinSecond = rule
	again.Phases = []traffic.Phase{{Name: s.Phases[0].Name, Trace: &trace}}
	return &again
}

// Part returns the scenario of a recorded log, with one of several parts of its keys.
func (s *Scenario) Part(part, parts uint64) *Scenario {
	again, trace := *s, *s.Trace()
	trace.Part, trace.Parts = part, parts
	again.Phases = []traffic.Phase{{Name: s.Phases[0].Name, Trace: &trace}}
	return &again
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// traceName derives a scenario's name from a file's: access.log.gz becomes access-log.
func traceName(base string) string {
	base = strings.TrimSuffix(strings.ToLower(base), ".gz")
	name := notName.ReplaceAllString(base, "-")
	name = strings.Trim(name[:min(len(name), maxName)], "-")
	if name == "" {
		return "trace"
	}
	return name
}
