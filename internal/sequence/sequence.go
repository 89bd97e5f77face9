// Package sequence is how limits are kept without a script: each client sends plain Redis commands, one
// after the other, and decides by their replies. Between two commands of one client those of others run, which is
// what the package is there to show: how many requests pass that the same commands would have rejected, had nobody
// come between them.
//
// The sequences are protocols of package clients, which plays the clients. The server's side is Store, a model in
// virtual time of the few commands that they need; Confirm sends what happened to a real server and compares every
// reply. What the decisions amount to is measured elsewhere.
//
// One danger is not played: a lock that outlives a failover.
package sequence

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Spec is one sequence, in words.
type Spec struct {
	Name       string // result row, and key prefix
	Rule       string // what is sent, and when a request is admitted
	Danger     string // what may come between
	Sources    []string
	Parameters []Parameter

	prepare func(*attempt)              // before the first command; may be nil
	suffix  func(*attempt) string       // of the counter's key; may be nil
	worker  bool                        // whether one takes elements from what the clients push
	begin   func(*attempt) clients.Move // the first command
	decide  func(*attempt) clients.Move // the same without a lock
}

// specs are all sequences, by name.
var specs = []Spec{distributedLock, incrPerWindow, incrThenCompare, pushThenTrim, readThenIncrement}

// All gives every sequence, ordered by name.
func All() []Spec { return slices.Clone(specs) }

// Names gives every sequence's name, sorted.
func Names() []string {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

// Choice is a sequence with the parameters that somebody set; all of them are legal.
type Choice struct {
	Label string // the name, and :k=v for each parameter that was set, in the order of the spec's
	Spec  *Spec
	set   map[string]int64
}

// Parse reads a label such as "distributed-lock" or "distributed-lock:lock_ttl=20ms:tries=5". The error says what is
// legal.
func Parse(label string) (Choice, error) {
	name, rest, more := strings.Cut(label, ":")
	index := slices.IndexFunc(specs, func(s Spec) bool { return s.Name == name })
	if index < 0 {
		return Choice{}, fmt.Errorf("no such sequence %s; %s", message.Quote(name), message.OneOf(name, Names()))
	}
	c := Choice{Label: name, Spec: &specs[index], set: map[string]int64{}}
	for more {
		var setting string
		setting, rest, more = strings.Cut(rest, ":")
		if err := c.read(setting); err != nil {
			return Choice{}, fmt.Errorf("sequence %s: %w", message.Quote(label), err)
		}
	}
	for _, p := range c.Spec.Parameters {
		if value, ok := c.set[p.Name]; ok {
			c.Label += ":" + p.Name + "=" + p.format(value)
		}
	}
	return c, nil
}

// read takes in one k=v.
func (c *Choice) read(setting string) error {
	key, value, found := strings.Cut(setting, "=")
	if !found {
		return fmt.Errorf("%s is no parameter; want name=value", message.Quote(setting))
	}
	if _, twice := c.set[key]; twice {
		return fmt.Errorf("parameter %s is set twice", message.Quote(key))
	}
	var legal []string
	for _, p := range c.Spec.Parameters {
		if p.Name == key {
			number, err := p.parse(value)
			c.set[key] = number
			return err
		}
		legal = append(legal, p.Name)
	}
	if len(legal) == 0 {
		return fmt.Errorf("no such parameter %s; it has none", message.Quote(key))
	}
	return fmt.Errorf("no such parameter %s; %s", message.Quote(key), message.OneOf(key, legal))
}

// value is a parameter's, or its default.
func (c *Choice) value(name string) int64 {
	if set, ok := c.set[name]; ok {
		return set
	}
	for _, p := range c.Spec.Parameters {
		if p.Name == name {
			return p.Default
		}
	}
	panic("sequence " + c.Spec.Name + " declares no parameter " + name)
}

// Parameters are all values of c as text, defaults included.
func (c *Choice) Parameters() map[string]string {
	all := map[string]string{}
	for _, p := range c.Spec.Parameters {
		all[p.Name] = p.format(c.value(p.Name))
	}
	return all
}

// window is the limit as the sequences keep it.
type window struct {
	limit, windowUS, windowMS int64 // L; W; and W as PEXPIRE takes it, rounded up
}

func newWindow(p limit.Policy) window {
	us := p.WindowUS()
	return window{limit: p.Requests, windowUS: us, windowMS: (us + 999) / 1000}
}

// reject is the answer to a request that found count permits used. No command tells how long the window still
// lasts, so that a client which is told to wait waits for a whole one.
func (w window) reject(count, cost int64) limit.Decision {
	d := limit.Decision{Verdict: limit.Rejected, Remaining: max(0, w.limit-count), RetryAfterUS: w.windowUS,
		ResetAfterUS: w.windowUS}
	if cost > w.limit {
		d.RetryAfterUS = limit.Never
	}
	return d
}

// admit is the answer to a request after which count permits are used.
func (w window) admit(count int64) limit.Decision {
	return limit.Decision{Verdict: limit.Allowed, Remaining: max(0, w.limit-count), ResetAfterUS: w.windowUS}
}
