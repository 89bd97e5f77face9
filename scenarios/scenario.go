package scenarios

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/limit"
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
func (d *decoder) scenario(v value) *Scenario {
	f, ok := v.fields("name", "question", "limit", "seed", "start", "on_late", "phases", "keys", "cost", "parameters", "expect")
	if !ok {
		return nil
	}
	s := &Scenario{Seed: 1, Start: DefaultStart, OnLate: OnLates[0]}
	d.head(f, s)
	s.Limit = d.limit(f)
	s.Phases = d.phases(f)
	if v, ok := f.get("parameters"); ok {
		s.Parameters = d.parameters(v)
	}
	if v, ok := f.get("expect"); ok {
		s.Expect = d.expect(v)
	}
	return s
}

// head reads the fields that are one scalar each.
func (d *decoder) head(f fields, s *Scenario) {
	if v, ok := f.need("name", "the file's base name"); ok {
		s.Name = d.name(v)
	}
	if v, ok := f.need("question", "the question that the scenario answers"); ok {
		s.Question, ok = v.text("a question", maxQuestion)
		if ok && !strings.HasSuffix(s.Question, "?") {
			v.bad("%s does not end with a question mark; want a question", v.shown())
		}
	}
	if v, ok := f.get("seed"); ok {
		n, _ := v.integer(0, limit.MaxExact)
		s.Seed = uint64(n)
	}
	if v, ok := f.get("start"); ok {
		s.Start = d.start(v)
	}
	if v, ok := f.get("on_late"); ok {
		s.OnLate, _ = v.choice(OnLates...)
	}
}

// name reads the scenario's name, which becomes file names and key prefixes.
func (d *decoder) name(v value) string {
	s, ok := v.text("a name", maxName)
	if !ok {
		return ""
	}
	if !nameText.MatchString(s) {
		v.bad("%s is not a name; want small letters, digits and hyphens between them", v.shown())
		return ""
	}
	if base := baseName(d.file); s != base {
		v.bad("%s is not the file's base name; want %s", v.shown(), quote(base))
	}
	return s
}

// baseName is the last element of a path, written with either slash, without its extension.
func baseName(file string) string {
	base := path.Base(strings.ReplaceAll(filepath.ToSlash(file), `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}

// start reads when virtual time begins. Scripts count microseconds in doubles, which are exact until 2255.
func (d *decoder) start(v value) time.Time {
	const want = "want a time from 1970 to 2199 such as 2024-01-01T00:00:00Z"
	t, err := time.Parse(time.RFC3339Nano, v.node.Value)
	if !v.isText() || err != nil {
		v.bad("%s is not an RFC 3339 time; %s", v.shown(), want)
		return t
	}
	if t = t.UTC(); t.Unix() < 0 || t.Year() > 2199 || t.Nanosecond()%1000 != 0 {
		v.bad("%s is out of range or finer than a microsecond; %s", v.shown(), want)
	}
	return t
}

// limit reads the policy.
func (d *decoder) limit(f fields) limit.Policy {
	v, ok := f.need("limit", "{requests: 1000, per: 3s}")
	if !ok {
		return limit.Policy{}
	}
	f, ok = v.fields("requests", "per", "burst")
	if !ok {
		return limit.Policy{}
	}
	var p limit.Policy
	if v, ok := f.need("requests", "how many requests a window admits"); ok {
		p.Requests, _ = v.integer(1, limit.MaxRequests)
	}
	if v, ok := f.need("per", "the window, such as 3s"); ok {
		p.Window, _ = v.duration(limit.MinWindow, limit.MaxWindow)
	}
	if v, ok := f.get("burst"); ok {
		p.Burst, _ = v.integer(1, limit.MaxRequests)
	}
	return p
}

// phases reads the traffic, with the keys and the cost of the top level as defaults.
func (d *decoder) phases(f fields) []traffic.Phase {
	defaults := traffic.Phase{Keys: traffic.Uniform{Count: 1}, Cost: traffic.FixedCost(1)}
	d.keysAndCost(f, &defaults)
	v, ok := f.need("phases", "a list of at least one phase")
	if !ok {
		return nil
	}
	items, ok := v.list("a list of at least one phase", maxPhases)
	if !ok {
		return nil
	}
	phases := make([]traffic.Phase, len(items))
	lines := map[string]int{}
	var total time.Duration
	endless := false
	for i, item := range items {
		phases[i] = d.phase(item, defaults, lines)
		total += min(phases[i].Duration, maxDuration)
		endless = endless || phases[i].Trace != nil && phases[i].Duration == 0
	}
	if len(d.problems) == 0 && !endless && (total == 0 || total > maxDuration) {
		v.bad("the phases last %s together; want more than 0s and at most %s", days(total), days(maxDuration))
	}
	return phases
}
