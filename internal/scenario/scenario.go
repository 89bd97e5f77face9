package scenario

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

const (
	maxName     = 64
	maxQuestion = 90
	maxPhases   = 1000
	maxExpect   = 1000
	maxDuration = 366 * 24 * time.Hour // of a phase, and of all together
)

var nameText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// scenario reads the whole file.
func (r *reader) scenario(v strictyaml.Value) *Scenario {
	f, ok := v.Fields("name", "question", "limit", "seed", "start", "on_late", "phases", "keys", "cost",
		"clients", "server_clock", "sequences", "managed", "server_outage", "rows", "parameters", "expect")
	if !ok {
		return nil
	}
	s := &Scenario{Seed: 1, Start: DefaultStart, OnLate: OnLates[0]}
	r.head(f, s)
	s.Limit, s.NamesContract = readLimit(f)
	s.Phases = r.phases(f)
	r.surroundings(f, s)
	if v, ok := f.Get("rows"); ok {
		s.Rows = r.rows(v)
	}
	if v, ok := f.Get("parameters"); ok {
		s.Parameters = readParameters(v)
	}
	if v, ok := f.Get("expect"); ok {
		s.Expect = r.expect(v, s)
	}
	return s
}

// surroundings reads who sends the traffic, and what the clocks do.
func (r *reader) surroundings(f strictyaml.Fields, s *Scenario) {
	if v, ok := f.Get("clients"); ok {
		s.Clients = readClients(v)
	}
	if v, ok := f.Get("server_clock"); ok {
		s.ServerClock = readServerClock(v, s.Phases)
	}
	if v, ok := f.Get("sequences"); ok {
		s.Sequences = readSequences(v)
	}
	readFaults(f, s)
	if r.Noted() == 0 {
		checkEpoch(f, s)
	}
}

// head reads the fields that are one scalar each.
func (r *reader) head(f strictyaml.Fields, s *Scenario) {
	if v, ok := f.Get("name"); ok {
		s.Name = r.name(v)
	} else if s.Name = baseName(r.Name); !nameText.MatchString(s.Name) || len(s.Name) > maxName {
		f.Need("name", "one of small letters, digits and hyphens, since the file's own name is none")
	}
	if v, ok := f.Need("question", "the question that the scenario answers"); ok {
		s.Question, ok = v.Text("a question", maxQuestion)
		if ok && !strings.HasSuffix(s.Question, "?") {
			v.Bad("%s does not end with a question mark; want a question", v.Shown())
		}
	}
	if v, ok := f.Get("seed"); ok {
		n, _ := v.Integer(0, limit.MaxExact)
		s.Seed = uint64(n)
	}
	if v, ok := f.Get("start"); ok {
		s.Start = readStart(v)
	}
	if v, ok := f.Get("on_late"); ok {
		s.OnLate, _ = v.Choice(OnLates...)
	}
}

// name reads the scenario's name, which becomes file names and key prefixes. Without one it is the file's base name.
func (r *reader) name(v strictyaml.Value) string {
	s, ok := v.Text("a name", maxName)
	if !ok {
		return ""
	}
	if !nameText.MatchString(s) {
		v.Bad("%s is not a name; want small letters, digits and hyphens between them", v.Shown())
		return ""
	}
	return s
}

// baseName is the last element of a path, written with either slash, without its extension.
func baseName(file string) string {
	base := path.Base(strings.ReplaceAll(filepath.ToSlash(file), `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}

// readStart reads when virtual time begins. Scripts count microseconds in doubles, which are exact until 2255.
func readStart(v strictyaml.Value) time.Time {
	const want = "want a time from 1970 to 2199 such as 2024-01-01T00:00:00Z"
	t, err := time.Parse(time.RFC3339Nano, v.Node.Value)
	if !v.IsText() || err != nil {
		v.Bad("%s is not an RFC 3339 time; %s", v.Shown(), want)
		return t
	}
	if t = t.UTC(); t.Unix() < 0 || t.Year() > 2199 || t.Nanosecond()%1000 != 0 {
		v.Bad("%s is out of range or finer than a microsecond; %s", v.Shown(), want)
	}
	return t
}

// readLimit reads the policy, and whether it names its contract.
func readLimit(f strictyaml.Fields) (p limit.Policy, named bool) {
	v, ok := f.Need("limit", "1000/3s, or {requests: 1000, per: 3s}")
	if !ok {
		return p, false
	}
	if v.IsText() {
		p, err := limit.ParsePolicy(v.Node.Value)
		if err != nil {
			v.Bad("%s", strings.TrimPrefix(err.Error(), "limit "))
		}
		return p, false
	}
	f, ok = v.Fields("requests", "per", "burst", "contract")
	if !ok {
		return p, false
	}
	if v, ok := f.Need("requests", "how many requests a window admits"); ok {
		p.Requests, _ = v.Integer(1, limit.MaxRequests)
	}
	if v, ok := f.Need("per", "the window, such as 3s"); ok {
		p.Window, _ = readDuration(v, limit.MinWindow, limit.MaxWindow)
	}
	if v, ok := f.Get("burst"); ok {
		p.Burst, _ = v.Integer(1, limit.MaxRequests)
	}
	if v, ok := f.Get("contract"); ok {
		named = true
		if name, ok := v.Choice(limit.Contracts()...); ok {
			p.Contract, _ = limit.ParseContract(name)
		}
	}
	return p, named
}

// phases reads the traffic, with the keys and the cost of the top level as defaults.
func (r *reader) phases(f strictyaml.Fields) []traffic.Phase {
	defaults := traffic.Phase{Keys: traffic.Uniform{Count: 1}, Cost: traffic.FixedCost(1)}
	readKeysAndCost(f, &defaults)
	v, ok := f.Need("phases", "a list of at least one phase")
	if !ok {
		return nil
	}
	items, ok := v.List("a list of at least one phase", maxPhases)
	if !ok {
		return nil
	}
	phases := make([]traffic.Phase, len(items))
	lines := map[string]int{}
	var total time.Duration
	endless := false
	for i, item := range items {
		phases[i] = r.phase(item, defaults, lines)
		total += min(phases[i].Duration, maxDuration)
		endless = endless || phases[i].Trace != nil && phases[i].Duration == 0
	}
	switch {
	case r.Noted() > 0 || endless:
	case total == 0:
		v.Bad("the phases last 0s together; want some time to measure over, such as {name: rest, duration: 1s, " +
			"pause: true} after them")
	case total > maxDuration:
		v.Bad("the phases last %s together; want at most %s", days(total), days(maxDuration))
	}
	return phases
}
