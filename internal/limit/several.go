package limit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
)

// MostLimits is the most limits on one request.
const MostLimits = 8

// Limit is one of several limits on one request.
type Limit struct {
	Name string // unique among the limits of a request; it names the limit's keys and figures
	Policy
	CountsRequests bool // each request counts 1; otherwise it counts its cost
	Part           int  // the part of a joined key that the limit applies to, from 1; 0: the whole key
}

// String formats l as ParseLimits reads it, followed by the settings that only a file can have.
func (l Limit) String() string {
	if l.Contract == ByFlight {
		text := l.Policy.String()
		if l.Part > 0 {
			text += fmt.Sprintf(":key=%d", l.Part)
		}
		return text
	}
	text := fmt.Sprintf("%d/%s", l.Requests, FormatDuration(l.Window))
	if l.CountsRequests {
		text += ":requests"
	}
	if l.Part > 0 {
		text += fmt.Sprintf(":key=%d", l.Part)
	}
	return text + strings.TrimPrefix(l.Policy.String(), fmt.Sprintf("%d/%s", l.Requests, FormatDuration(l.Window)))
}

// Names returns a list of the limits for messages.
func Names(all []Limit) string {
	var texts []string
	for _, l := range all {
		texts = append(texts, l.String())
	}
	return message.Enumerate(texts)
}

// IsPlain reports whether l may be the only limit: it counts the cost of requests, by the whole key.
func (l Limit) IsPlain() bool { return !l.CountsRequests && l.Part == 0 }

// counts are the words for what a limit counts. The first is the default.
var counts = []string{"cost", "requests"}

// AllCounts returns the words for what a limit counts, the default first.
func AllCounts() []string { return counts }

// Counts returns the word for what the limit counts.
func (l Limit) Counts() string {
	if l.CountsRequests {
		return counts[1]
	}
	return counts[0]
}

// View returns q as the limit sees it: with the limit's part of the key, and the cost that the limit counts. It returns
// an error if the key does not have this part.
func (l Limit) View(q Request) (Request, error) {
	if l.CountsRequests {
		q.Cost = 1
	}
	if l.Part > 0 {
		part, found := KeyPart(q.Key, l.Part)
		if !found {
			return q, fmt.Errorf("key %s has no part %d, which the limit %s applies to; join columns, as in "+
				"--trace-key user+org", message.Quote(q.Key), l.Part, l.Name)
		}
		q.Key = part
	}
	return q, nil
}

// KeyPart returns part n, from 1, of a joined key. The parts are separated by |. Within a part, | is written as \|.
func KeyPart(key string, n int) (string, bool) {
	begin := 0
	for i := 0; i <= len(key); i++ {
		switch {
		case i < len(key)-1 && key[i] == '\\':
			i++
		case i == len(key) || key[i] == '|':
			if n--; n == 0 {
				return key[begin:min(i, len(key))], true
			}
			begin = i + 1
		}
	}
	return "", false
}

// IsName reports whether text can be the name of a limit.
func IsName(text string) bool { return limitName.MatchString(text) }

var limitName = regexp.MustCompile(`^[a-z0-9-]{1,16}$`)

// ParseLimits reads one limit, or several limits that are separated by +, such as
// 120/1m:requests:name=rpm+300000/1m:key=2.
func ParseLimits(text string) (all []Limit, err error) {
	for i, one := range strings.Split(text, "+") {
		written, rest, more := strings.Cut(one, ":")
		l := Limit{Name: DefaultName(i)}
		other := true
		if l.Policy, other, err = ParseFlight(written); other {
			l.Policy, err = ParsePolicy(written)
		}
		if err != nil {
			return nil, err
		}
		l.CountsRequests = !other
		for more {
			var setting string
			setting, rest, more = strings.Cut(rest, ":")
			if err := l.set(setting); err != nil {
				return nil, fmt.Errorf("limit %s: %w", message.Quote(one), err)
			}
		}
		all = append(all, l)
	}
	return all, CheckLimits(all)
}

// DefaultName returns the name of the limit with index i if the user sets none.
func DefaultName(i int) string { return fmt.Sprintf("limit%d", i+1) }

// set reads a word after a limit: requests, cost, key=2, burst=20 or name=rpm.
func (l *Limit) set(setting string) (err error) {
	name, value, _ := strings.Cut(setting, "=")
	switch {
	case slices.Contains(counts, setting):
		l.CountsRequests = setting == counts[1]
	case name == "name":
		l.Name = value
	case name == "key":
		if l.Part, err = strconv.Atoi(value); err != nil || l.Part < 1 {
			return fmt.Errorf("key=%s: want the number of a part of the key, from 1", value)
		}
	case name == "burst":
		if l.Burst, err = strconv.ParseInt(value, 10, 64); err != nil || l.Burst < 1 {
			return fmt.Errorf("burst=%s: want a whole number from 1", value)
		}
		l.Contract = ByBucket
	default:
		return fmt.Errorf("%s is not a setting; want requests, cost, key=N, burst=N or name=NAME",
			message.Quote(setting))
	}
	return nil
}

// InFlight reports whether one of several limits is on requests in flight.
func InFlight(all []Limit) bool {
	return slices.ContainsFunc(all, func(l Limit) bool { return l.Contract == ByFlight })
}

// CheckLimits returns an error for the first limit that is invalid, or that cannot be used together with the others.
func CheckLimits(all []Limit) error {
	if len(all) > MostLimits {
		return fmt.Errorf("%d limits on one request; want at most %d", len(all), MostLimits)
	}
	seen := map[string]bool{}
	for i, l := range all {
		switch {
		case l.Contract == ByFlight && i == 0:
			return fmt.Errorf("limit %v: comes after a limit with a window; ask=reversed asks it first", l)
		case !IsName(l.Name):
			return fmt.Errorf("limit %v: name %s: want 1 to 16 small letters, digits and hyphens", l,
				message.Quote(l.Name))
		case seen[l.Name]:
			return fmt.Errorf("limit %v: there are two limits named %s", l, l.Name)
		case len(all) == 1 && !l.IsPlain():
			return errors.New("one limit counts the cost of whole keys; key= and requests are for several limits")
		}
		if err := l.Validate(); err != nil {
			return fmt.Errorf("limit %v: %w", l, err)
		}
		seen[l.Name] = true
	}
	return nil
}

// Each is a set of limits, by their indices: bit i stands for limit i.
type Each uint8

// Has reports whether limit i is in the set.
func (e Each) Has(i int) bool { return e&(1<<i) != 0 }

// Several reports whether more than one limit is in the set.
func (e Each) Several() bool { return e&(e-1) != 0 }

// Join adds the decision of limit i to d, the decision about all limits. d begins as Admitting. The request is admitted
// if no limit refuses it. The figures of a rejection come from the limits that refuse the request. The client must wait
// until the last of them admits it.
func (d *Decision) Join(i int, one Decision) {
	switch {
	case one.Allowed():
		d.Charged |= 1 << i
		if d.Allowed() {
			d.Remaining, d.ResetAfterUS = min(d.Remaining, one.Remaining), max(d.ResetAfterUS, one.ResetAfterUS)
		}
		return
	case d.Allowed():
		one.Refused, one.Charged = d.Refused, d.Charged
		*d = one
	default:
		d.Verdict, d.Remaining = min(d.Verdict, one.Verdict), min(d.Remaining, one.Remaining)
		d.ResetAfterUS = max(d.ResetAfterUS, one.ResetAfterUS)
		if d.RetryAfterUS != Never {
			d.RetryAfterUS = max(d.RetryAfterUS, one.RetryAfterUS)
		}
		if one.RetryAfterUS == Never {
			d.RetryAfterUS = Never
		}
	}
	d.Refused |= 1 << i
}

// Admitting returns the decision before any limit was asked.
func Admitting() Decision { return Decision{Verdict: Allowed, Remaining: MaxExact} }
