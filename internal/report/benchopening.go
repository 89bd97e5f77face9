package report

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// opening says on what and how it was measured, and whether that can be trusted.
func opening(r *result.Document) Part {
	lines := []string{
		fmt.Sprintf("on %s, %s, %s %s", r.Machine.CPU, message.Count(r.Machine.Cores, "core"), r.Machine.OS,
			r.Machine.Kernel),
		fmt.Sprintf("%s, %s; warm-up %s; pacer: %s; seed %s", message.Count(r.Settings.Rounds, "round"),
			message.Count(r.Settings.Connections,
				"connection"), Span(r.Settings.WarmUpUS), r.Generator.Pacer, seeds(r)),
	}
	if r.Validity.Valid {
		lines = append(lines, "valid: the generator kept up with what it measured")
	}
	lines = append(lines, NoiseFloor(r.NoiseFloor))
	if len(r.Runs) > 0 {
		lines = append(lines, "admitted: in a round, the median; virtual: in virtual time; differs: the most "+
			"requests of a round that were decided otherwise than there; times in µs: response is from when a "+
			"request was due to its reply, lag the pacer's")
	}
	for _, n := range r.Notes {
		lines = append(lines, "note: "+n)
	}
	return Part{Level: 2, Title: fmt.Sprintf("%s %s of %s", r.Tool.Name, r.Tool.Version, describe(&r.Server)),
		Lead: Items(lines...)}
}

// describe names a server: redis 8.0.3 (container redis:8.0, tcp, host network), maxmemory-policy noeviction.
func describe(s *result.BenchServer) string {
	where := []string{strings.TrimSpace(s.Kind + " " + s.Image), s.Transport}
	if s.Route != "" {
		where = append(where, s.Route)
	}
	name := fmt.Sprintf("%s %s (%s)", s.Name, s.Version, strings.Join(where, ", "))
	if s.MaxmemoryPolicy != "" {
		name += ", " + s.MaxmemoryPolicy
	}
	return name
}

// seeds are those of the runs, each once.
func seeds(r *result.Document) string {
	var list []string
	for i := range r.Runs {
		if seed := fmt.Sprint(r.Runs[i].Seed); !slices.Contains(list, seed) {
			list = append(list, seed)
		}
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// NoiseFloor says how much less than which is no difference.
func NoiseFloor(n result.NoiseFloor) string {
	if n.Pairs == 0 {
		return "noise floor: unknown; the same code was never measured twice"
	}
	line := "noise floor: the same code measured again differs by up to "
	if n.ServerUS > 0 {
		line += Above(n.ServerUS) + " in server time and "
	}
	return line + fmt.Sprintf("%s in the client's median (95%% of %s); less is no difference",
		Above(n.ClientP50US), message.Count(n.Pairs, "pair"))
}

// Trust says in a sentence how far the times can be relied on.
func Trust(r *result.Document) string {
	if fault := r.Fault(); fault != "" {
		return fault + "; " + NoiseFloor(r.NoiseFloor)
	}
	return NoiseFloor(r.NoiseFloor)
}

// warnings are the lines that stand above and below the figures of a run that must not be taken for what it is not:
// interrupted, or measured by a generator that was at fault.
func warnings(h *result.Measurement) []string {
	var lines []string
	if fault := h.Fault(); fault != "" {
		lines = append(lines, fault)
		for _, reason := range h.Validity.Summary() {
			lines = append(lines, "INVALID: "+reason)
		}
	}
	if h.Partial {
		lines = append(lines, "PARTIAL: interrupted; the figures are of the rounds that were finished")
	}
	return lines
}
