package scenario

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

const (
	maxName     = 64
	maxQuestion = 200
	maxPhases   = 1000
	maxExpect   = 1000
	maxDuration = 366 * 24 * time.Hour // of a phase, and of all phases together
)

// scenario reads a whole file.
func (r *reader) scenario(v strictyaml.Value) *Scenario {
	f := v.Fields("name", "question", "limit", "limits", "seed", "start", "on_late", "boundary", "phases", "keys",
		"cost", "takes", "actual", "clients", "server_clock", "sequences", "managed", "server_outage", "crashes",
		"rows", "parameters", "expect")
	if !f.Given() {
		return nil
	}
	s := &Scenario{Seed: 1, Start: DefaultStart, OnLate: OnLates[0]}
	r.head(f, s)
	if limits := f.Get("limits"); limits.Given() {
		readLimits(limits, f.Get("limit"), s)
	} else {
		s.Limit, s.NamesContract = readLimit(f.Need("limit", "1000/3s, or {requests: 1000, per: 3s}"))
	}
	s.Phases = r.phases(f)
	checkParts(f.Get("limits"), s)
	s.Clients = readClients(f.Get("clients"))
	s.ServerClock = readServerClock(f.Get("server_clock"), lastMoment(s.Phases))
	s.Sequences = readLabels(f.Get("sequences"), "a list of labels such as [read-then-increment]", maxSequences, nil)
	readFaults(f, s)
	s.Rows = r.rows(f.Get("rows"))
	s.Parameters = readParameters(f.Get("parameters"))
	s.Expect = r.expect(f.Get("expect"), s)
	return s
}

// head reads the scalar fields. The name is used in file names and key prefixes. Its default is the base name of the
// file.
func (r *reader) head(f strictyaml.Fields, s *Scenario) {
	if v := f.Get("name"); v.Given() {
		if v.Text(&s.Name, "a name", maxName) && !scenarioName.MatchString(s.Name) {
			v.Bad("%s is not a name; want small letters, digits, and _ or - between them", v.Shown())
		}
	} else if s.Name = baseName(r.Name); !scenarioName.MatchString(s.Name) || len(s.Name) > maxName {
		f.Need("name", "a name of small letters, digits, _ and -, because the file's name is not a valid one")
	}
	f.Need("question", "the question that the scenario answers").Text(&s.Question, "a question", maxQuestion)
	readTruth(f.Get("boundary"), &s.Boundary)
	seed := int64(s.Seed)
	f.Get("seed").Integer(&seed, 0, limit.MaxExact)
	s.Seed = uint64(seed)
	if v := f.Get("start"); v.Given() {
		s.Start, s.NamesStart = readStart(v), true
	}
	strictyaml.Choice(f.Get("on_late"), &s.OnLate, OnLates)
}

// baseName returns the last element of a path without its extension. Both kinds of slashes separate elements.
func baseName(file string) string {
	base := path.Base(strings.ReplaceAll(filepath.ToSlash(file), `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}

// readStart reads the start of virtual time. Scripts count microseconds in doubles, which are exact until 2255. The
// year 1980 leaves room for clocks that are wrong: they must not show a time before 1970.
func readStart(v strictyaml.Value) time.Time {
	const want = "want a time from 1980 to 2199 such as 2024-01-01T00:00:00Z"
	t, err := time.Parse(time.RFC3339Nano, v.Node.Value)
	if !v.IsText() || err != nil {
		v.Bad("%s is not an RFC 3339 time; %s", v.Shown(), want)
		return t
	}
	if t = t.UTC(); t.Year() < 1980 || t.Year() > 2199 || t.Nanosecond()%1000 != 0 {
		v.Bad("%s is out of range or finer than a microsecond; %s", v.Shown(), want)
	}
	return t
}

// readLimit reads the limit. named reports whether the file names the contract. A burst implies a bucket.
func readLimit(v strictyaml.Value) (p limit.Policy, named bool) {
	if v.IsText() {
		p, other, err := limit.ParseFlight(v.Node.Value)
		if other {
			p, err = limit.ParsePolicy(v.Node.Value)
		}
		if err != nil {
			v.Bad("%s", strings.TrimPrefix(err.Error(), "limit "))
		}
		return p, false
	}
	f := v.Fields("requests", "per", "burst", "contract", "in_flight")
	if flight := f.Get("in_flight"); flight.Given() && len(f.Entries) == 1 {
		p.Contract = limit.ByFlight
		flight.Integer(&p.Requests, 1, limit.MaxRequests)
		return p, true
	} else if flight.Given() {
		flight.Bad("a limit on requests in flight has no window; leave out the other fields")
	}
	return readPolicy(f)
}

// readPolicy reads the fields of a limit.
func readPolicy(f strictyaml.Fields) (p limit.Policy, named bool) {
	f.Need("requests", "how many requests a window admits").Integer(&p.Requests, 1, limit.MaxRequests)
	readDuration(f.Need("per", "the window, such as 3s"), &p.Window, limit.MinWindow, limit.MaxWindow)
	burst := f.Get("burst")
	if burst.Integer(&p.Burst, 1, limit.MaxRequests) {
		p.Contract = limit.ByBucket
	}
	contract, name := f.Get("contract"), ""
	if strictyaml.Choice(contract, &name, limit.Contracts()) {
		p.Contract, _ = limit.ParseContract(name)
	}
	return p, contract.Given() || burst.Given()
}

// phases reads the traffic, with the keys and the cost of the top level as defaults.
func (r *reader) phases(f strictyaml.Fields) []traffic.Phase {
	defaults := traffic.Phase{Keys: traffic.Uniform{Count: 1}, Cost: traffic.FixedCost(1)}
	readKeysAndCost(f, &defaults)
	v := f.Need("phases", "a list of at least one phase")
	var phases []traffic.Phase
	lines := map[string]int{}
	for _, item := range v.List("a list of at least one phase", maxPhases) {
		phases = append(phases, r.phase(item, defaults, lines))
	}
	switch total := together(phases); {
	case r.Noted() > 0 || endless(phases):
	case total == 0:
		v.Bad("the phases last 0s together; want some time to measure over, such as {name: rest, duration: 1s, " +
			"pause: true} after them")
	case total > maxDuration:
		v.Bad("the phases last %s together; want at most %s", days(total), days(maxDuration))
	}
	return phases
}

// endless reports whether the phases last until the end of a trace.
func endless(phases []traffic.Phase) bool {
	return slices.ContainsFunc(phases, func(p traffic.Phase) bool { return p.Trace != nil && p.Duration == 0 })
}

// lastMoment returns the duration of all phases, or the longest allowed one if the duration is unknown.
func lastMoment(phases []traffic.Phase) time.Duration {
	if endless(phases) {
		return maxDuration
	}
	return min(together(phases), maxDuration)
}

// together returns the sum of the phases' durations. The sum may exceed the allowed maximum.
func together(phases []traffic.Phase) (total time.Duration) {
	for _, p := range phases {
		total += min(p.Duration, maxDuration)
	}
	return total
}
