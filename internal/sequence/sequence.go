// Package sequence has limiters without a script. Each client sends several plain Redis commands and decides by their
// replies. Commands of other clients run in between. The package shows this race: how many requests are admitted that
// the same commands, run without interruption, would have rejected.
//
// The sequences are protocols of package clients, which simulates the clients. A model in virtual time replies to the
// few commands that they need. Confirm sends the same commands to a real server and compares all replies.
//
// One danger is not simulated: a lock that outlives a failover.
package sequence

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/clients"
	"ratelab/internal/message"
)

// Sequence is one sequence, with its texts and its commands.
type Sequence struct {
	Name       string // name of the result row, and key prefix
	Rule       string // which commands are sent, and when a request is admitted
	Danger     string // what can go wrong
	Sources    []string
	Parameters []algorithms.Parameter

	prepare func(*attempt)              // before the first command; may be nil
	suffix  func(*attempt) string       // of the counter's key; may be nil
	lock    func(*attempt) clients.Move // before decide; may be nil
	decide  func(*attempt) clients.Move // the first command
	worker  bool                        // a worker takes elements from the queues
}

// sequences are all sequences, sorted by name.
var sequences = []Sequence{distributedLock, incrPerWindow, incrThenCompare, pushThenTrim, readThenIncrement}

// All returns all sequences, sorted by name.
func All() []Sequence { return slices.Clone(sequences) }

// Names returns the names of all sequences, sorted.
func Names() []string {
	var names []string
	for _, s := range sequences {
		names = append(names, s.Name)
	}
	return names
}

// Choice is a sequence with the parameters that the user set. They are valid.
type Choice struct {
	Label    string // the name, and :k=v for each parameter that was set, in the order of Sequence.Parameters
	Sequence *Sequence
	set      map[string]string
}

// Parse reads a label such as "distributed-lock" or "distributed-lock:lock_ttl=20ms:tries=5". The error lists the legal
// values.
func Parse(label string) (Choice, error) {
	name, _, _ := strings.Cut(label, ":")
	index := slices.IndexFunc(sequences, func(s Sequence) bool { return s.Name == name })
	if index < 0 {
		return Choice{}, fmt.Errorf("no such sequence %s; %s", message.Quote(name), message.OneOf(name, Names()))
	}
	c := Choice{Sequence: &sequences[index]}
	var err error
	if c.Label, c.set, err = algorithms.Settings(label, c.Sequence.Parameters); err != nil {
		return Choice{}, fmt.Errorf("sequence %s: %w", message.Quote(label), err)
	}
	return c, nil
}

// Parameters returns all values of c as text, including the defaults.
func (c *Choice) Parameters() map[string]string {
	all := map[string]string{}
	for _, p := range c.Sequence.Parameters {
		all[p.Name] = p.Default
		if set, ok := c.set[p.Name]; ok {
			all[p.Name] = set
		}
	}
	return all
}

// numbers returns the values of c as numbers: microseconds of a duration, the index of a word, millionths of a share.
// none is 0.
func (c *Choice) numbers() map[string]int64 {
	texts, all := c.Parameters(), map[string]int64{}
	for _, p := range c.Sequence.Parameters {
		all[p.Name] = p.Number(texts[p.Name])
	}
	return all
}
