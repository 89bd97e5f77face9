// Package script describes a rate limiter's Lua as it is deployed: its source, the KEYS and ARGV of a call, and the
// meaning of a reply. It runs no script; virtualtime and load do.
package script

import (
	"crypto/sha1"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// Call is one way of calling a script: the elements of KEYS and ARGV.
type Call struct {
	Keys, Args []Template
}

// TTLs are what every relative TTL that a script sets becomes in virtual time: so many times as long, and longer by
// PlusMS. It tells what a script would decide if its keys lived longer.
type TTLs struct{ Times, PlusMS int64 }

// Program is everything that is needed to let a script decide requests.
type Program struct {
	Label  string // what the result row is called
	Source string // the Lua, as deployed
	Decide Call

	Foreign bool // not one of this module's own: nobody knows what it does
	// TimeMoves: TIME is another one in each call, as it is for every Foreign script in virtual time.
	TimeMoves bool

	// Init, where it is not nil, is called once for each key before the key's first request; InitSource is its
	// script, which may be the same.
	Init       *Call
	InitSource string

	// Remove, where it is not nil, is a call of InitSource that undoes Init, with as many KEYS and ARGV. Managed says
	// when which of them happens to every key, in the order of time.
	Remove  *Call
	Managed []limit.ManagedStep

	// TellsRetry: a rejection says when to come back; RetryAt: as an instant, which Decode leaves as it is.
	TellsRetry, RetryAt bool

	// SurvivesErrors: Decode makes a decision of an error reply, too, so that one ends nothing.
	SurvivesErrors bool

	TTLs TTLs // in virtual time; zero: those that the script sets

	Own *limit.Policy // the limit that is written into the script; nil: it goes by the one that it is called for

	Terms string // with which Decode compares replies, where the limit fixes them

	// Decode turns the reply to Decide into a decision, or says why it is none.
	Decode func(resp.Value) (limit.Decision, error)
}

// Decision is what a reply means to a client whose clock showed nowUS at the request.
func (p *Program) Decision(reply resp.Value, nowUS int64) (limit.Decision, error) {
	d, err := p.Decode(reply)
	if p.RetryAt && d.RetryAfterUS > 0 {
		d.RetryAfterUS = max(0, d.RetryAfterUS-nowUS)
	}
	return d, err
}

// SHA1 is the digest under which Redis caches source.
func SHA1(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// TakesCost reports whether a request's cost reaches the script.
func (p *Program) TakesCost() bool {
	return slices.ContainsFunc(p.Decide.Args, func(t Template) bool { return !t.Same(Vars{Cost: 1}, Vars{Cost: 2}) })
}

// TakesTime reports whether the caller's clock reaches the script.
func (p *Program) TakesTime() bool {
	return slices.ContainsFunc(p.Decide.Args, func(t Template) bool { return !t.Same(Vars{NowUS: 1}, Vars{NowUS: 2}) })
}

// AsksTime reports whether the script asks the server for TIME, by that name.
func (p *Program) AsksTime() bool {
	return strings.Contains(strings.ToUpper(Analyse(p.Source).Body), "'TIME'")
}

// CalledAlike reports whether q, made from the same script, is called with the same elements, and its replies mean the
// same.
func (p *Program) CalledAlike(q *Program) bool {
	return reflect.DeepEqual(p.Decide, q.Decide) && reflect.DeepEqual(p.Init, q.Init) && p.Terms == q.Terms
}

// InKeyspace is p with prefix before each of its keys, so that runs on one server keep apart.
func (p *Program) InKeyspace(prefix string) *Program {
	q := *p
	q.Decide = *p.Decide.inKeyspace(prefix)
	q.Init, q.Remove = p.Init.inKeyspace(prefix), p.Remove.inKeyspace(prefix)
	return &q
}

// inKeyspace is a call with prefix before each of its keys; of none there is none.
func (c *Call) inKeyspace(prefix string) *Call {
	if c == nil {
		return nil
	}
	in := &Call{Args: c.Args}
	for _, k := range c.Keys {
		in.Keys = append(in.Keys, k.WithPrefix(prefix))
	}
	return in
}
