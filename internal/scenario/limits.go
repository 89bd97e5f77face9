package scenario

import (
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
)

// readLimits reads several limits on each request. One limit that counts the cost of whole keys is the same as limit.
func readLimits(v, single strictyaml.Value, s *Scenario) {
	if single.Given() {
		single.Bad("there are limits, too; leave out one of them")
	}
	var all []limit.Limit
	for i, item := range v.List("a list of limits such as [10/1s, {requests: 1000, per: 24h}]", limit.MostLimits) {
		l := limit.Limit{Name: limit.DefaultName(i)}
		named := false
		if item.IsText() {
			l.Policy, _ = readLimit(item)
			l.CountsRequests = l.Contract == limit.ByFlight
		} else {
			f := item.Fields("name", "requests", "per", "burst", "contract", "counts", "key", "in_flight")
			flight := f.Get("in_flight")
			if flight.Given() {
				l.Contract = limit.ByFlight
				flight.Integer(&l.Requests, 1, limit.MaxRequests)
				for _, e := range f.Entries {
					if !slices.Contains([]string{"name", "key", "in_flight"}, e.Name) {
						e.Bad("a limit on requests in flight has no window, and counts requests; leave it out")
					}
				}
			} else {
				l.Policy, named = readPolicy(f)
			}
			name := f.Get("name")
			if name.Text(&l.Name, "a name", maxName) && !limit.IsName(l.Name) {
				name.Bad("%s is not a name; want 1 to 16 small letters, digits and hyphens", name.Shown())
			}
			counts := ""
			strictyaml.Choice(f.Get("counts"), &counts, limit.AllCounts())
			l.CountsRequests = counts == "requests" || flight.Given()
			var part int64
			f.Get("key").Integer(&part, 1, limit.MostLimits)
			l.Part = int(part)
		}
		if i == 0 && l.Contract == limit.ByFlight {
			item.Bad("a limit on requests in flight comes after a limit with a window; ask=reversed asks it first")
		}
		if slices.ContainsFunc(all, func(o limit.Limit) bool { return o.Name == l.Name }) {
			item.Bad("there are two limits named %s; want names that are unique", l.Name)
		}
		s.NamesContract = s.NamesContract || named
		all = append(all, l)
	}
	if len(all) == 0 {
		return
	}
	if s.Limit = all[0].Policy; len(all) > 1 || !all[0].IsPlain() {
		s.Limits = all
	}
}

// checkParts refuses limits on parts of a key that the traffic's keys do not have.
func checkParts(v strictyaml.Value, s *Scenario) {
	for _, p := range s.Phases {
		for _, l := range s.Limits {
			if parts := p.Parts(); p.Trace == nil && l.Part > parts { // a log's keys are known when it is read
				v.Bad("limit %s: key: %d, but the keys of phase %s have %s; for a second part, want keys: {count: "+
					"200, groups: 10}", l.Name, l.Part, p.Name, message.Count(int64(parts), "part"))
				return
			}
		}
	}
}
