package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/clients"
)

// surroundings writes the clients, the server's clock and the sequences, where there are any.
func (w *writer) surroundings(s *Scenario) {
	if s.Clients != nil {
		w.line("clients:")
	}
	for _, g := range s.Clients {
		w.line("  - {%s}", groupFields(g))
	}
	if s.ServerClock != nil {
		w.line("server_clock:")
	}
	for _, step := range s.ServerClock {
		w.line("  - {at: %s, step: %s}", signedDuration(step.AtUS), signedDuration(step.ByUS))
	}
	if s.Sequences != nil {
		labels := make([]string, len(s.Sequences))
		for i, label := range s.Sequences {
			labels[i] = scalar(label)
		}
		w.line("sequences: [%s]", strings.Join(labels, ", "))
	}
	w.faults(s)
}

// faults writes what befalls limits and server.
func (w *writer) faults(s *Scenario) {
	if s.Managed != nil {
		w.line("managed:")
	}
	for _, step := range s.Managed {
		do := "init"
		if step.Deletes {
			do = "delete"
		}
		w.line("  - {at: %s, do: %s}", signedDuration(step.AtUS), do)
	}
	if s.Outages != nil {
		w.line("server_outage:")
	}
	for _, o := range s.Outages {
		w.line("  - {at: %s, for: %s}", signedDuration(o.FromUS), signedDuration(o.UntilUS-o.FromUS))
	}
}

func groupFields(g clients.Group) string {
	fields := []string{"name: " + scalar(g.Name)}
	add := func(when bool, name, value string) {
		if when {
			fields = append(fields, name+": "+value)
		}
	}
	add(g.Count != 1, "count", strconv.FormatInt(g.Count, 10))
	add(g.OnReject != clients.OnRejects[0], "on_reject", string(g.OnReject))
	add(g.Attempts != 0, "attempts", strconv.FormatInt(g.Attempts, 10))
	add(g.WaitUS != 0, "wait", signedDuration(g.WaitUS))
	add(g.OnReject == clients.BackOff, "backoff", "{"+backoffFields(g.Backoff)+"}")
	add(g.OffsetUS != clients.Range{}, "offset", spread(g.OffsetUS, signedDuration))
	add(g.DriftPPM != clients.Range{}, "drift",
		spread(g.DriftPPM, func(n int64) string { return strconv.FormatInt(n, 10) }))
	add(g.DelayUS != clients.Range{}, "delay", spread(g.DelayUS, signedDuration))
	add(g.LocalFlag, "local_flag", "true")
	return strings.Join(fields, ", ")
}

func backoffFields(b clients.Backoff) string {
	fields := "base: " + signedDuration(b.BaseUS)
	if b.Factor != 2 {
		fields += ", factor: " + formatNumber(b.Factor)
	}
	fields += ", max: " + signedDuration(b.MaxUS)
	if b.Jitter != clients.Jitters[0] {
		fields += ", jitter: " + string(b.Jitter)
	}
	return fields
}

// spread is one value, or the ends of a range.
func spread(r clients.Range, text func(int64) string) string {
	if r.Min == r.Max {
		return text(r.Min)
	}
	return fmt.Sprintf("{uniform: [%s, %s]}", text(r.Min), text(r.Max))
}

func signedDuration(us int64) string { return duration(time.Duration(us) * time.Microsecond) }
