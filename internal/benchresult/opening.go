package benchresult

import (
	"fmt"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// opening says on what and how it was measured, and whether that can be trusted.
func (r *Document) opening() sheet.Part {
	lines := []string{
		fmt.Sprintf("on %s, %s, %s %s", r.Machine.CPU, message.Count(r.Machine.Cores, "core"), r.Machine.OS,
			r.Machine.Kernel),
		fmt.Sprintf("%s, %s; warm-up %s; pacer: %s; seed %s", message.Count(r.Settings.Rounds, "round"),
			message.Count(r.Settings.Connections,
				"connection"), sheet.Span(r.Settings.WarmUpUS), r.Generator.Pacer, r.seeds()),
	}
	if r.Validity.Valid {
		lines = append(lines, "valid: the generator kept up with what it measured")
	}
	lines = append(lines, r.NoiseFloor.String())
	if len(r.Runs) > 0 {
		lines = append(lines, "times in µs: response is from when a request was due to its reply, service from the "+
			"write to the reply, lag the pacer's; differs counts decisions that are not those of virtual time, in "+
			"which x limit and calls are exact")
	}
	for _, n := range r.Notes {
		lines = append(lines, "note: "+n)
	}
	return sheet.Part{Title: fmt.Sprintf("%s %s of %s", r.Tool.Name, r.Tool.Version, r.Server.describe()),
		Lead: sheet.Items(lines...)}
}

// describe names a server: redis 8.0.3 (container redis:8.0, tcp, host network), maxmemory-policy noeviction.
func (s *Server) describe() string {
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
func (r *Document) seeds() string {
	var list []string
	seen := map[uint64]bool{}
	for i := range r.Runs {
		if seed := r.Runs[i].Seed; !seen[seed] {
			seen[seed] = true
			list = append(list, fmt.Sprint(seed))
		}
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// String says how much less than which is no difference.
func (n NoiseFloor) String() string {
	if n.Pairs == 0 {
		return "noise floor: unknown; the same code was never measured twice"
	}
	line := "noise floor: the same code measured again differs by up to "
	if n.ServerUS > 0 {
		line += sheet.Above(n.ServerUS) + " in server time and "
	}
	return line + fmt.Sprintf("%s in the client's median (95%% of %s); less is no difference",
		sheet.Above(n.ClientP50US), message.Count(n.Pairs, "pair"))
}

// unavailable says which figures are missing, and why.
func (r *Document) unavailable() []string {
	var lines []string
	if !r.Server.Own {
		lines = append(lines, "server time, commands, network bytes and the check that every call was executed once: "+
			"others use this server, and its counters are of all of them")
	}
	if !r.anyMemory() && len(r.Costs) > 0 {
		why := "the server does not tell, or it was not asked"
		if !r.Server.Own {
			why = "it is not measured on a server that others use"
		}
		lines = append(lines, "memory by requests: "+why)
	}
	return lines
}

func (r *Document) anyMemory() bool {
	for i := range r.Costs {
		if len(r.Costs[i].Memory) > 0 {
			return true
		}
	}
	return false
}
