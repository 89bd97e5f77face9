// Package script describes a rate limiter's Lua as it is deployed: its source, the KEYS and ARGV of a call, and the
// meaning of a reply. The packages virtualtime and load run scripts; this package does not.
package script

import (
	"crypto/sha1"
	"encoding/hex"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// Call is one way to call a script: the elements of KEYS and ARGV.
type Call struct {
	Keys, Args []Template
}

// TTLs changes the relative TTLs that a script sets in virtual time: each TTL is multiplied by Times, and PlusMS is
// added. It shows what a script would decide if its keys lived longer.
type TTLs struct{ Times, PlusMS int64 }

// Program has all information that is needed to let a script decide requests.
type Program struct {
	Label  string // name of the result row
	Source string // the Lua, as deployed
	Decide Call

	Foreign bool // a user's script, whose behaviour is unknown
	// TimeMoves: TIME returns a new value in each call. In virtual time this holds for all Foreign scripts.
	TimeMoves bool

	// Init, if it is not nil, is called once for each key before the key's first request. InitSource is its script, and
	// may be the same as Source.
	Init       *Call
	InitSource string

	// Remove, if it is not nil, is a call of InitSource that undoes Init. It has as many KEYS and ARGV as Init. Managed
	// lists when Init or Remove happens to every key, in order of time.
	Remove  *Call
	Managed []limit.ManagedStep

	// TellsRetry: a rejection says when to retry. RetryAt: it does so as an instant, and Decode does not convert it.
	TellsRetry, RetryAt bool

	// SurvivesErrors: Decode converts an error reply to a decision too, so an error does not end the run.
	SurvivesErrors bool

	// Ends and Renews are the calls at the end of an admitted request, and those that renew it; nil: there are none.
	// Their decisions are allowed if the script still knew the request.
	Ends, Renews *Program
	Undo         *Program // with several limits, takes back what another limit refused; nil: there is none
	RenewUS      int64    // how often a request is renewed
	KeepsReply   bool     // Ends or Renews need the reply of the start

	TTLs TTLs // in virtual time; zero: TTLs do not change

	Own *limit.Policy // the limit that is written into the script; nil: the limit comes with the call

	Terms string // the values that the limit fixes in Decode's comparisons

	// Decode turns the reply to Decide into a decision. The error says why a reply is not a decision.
	Decode func(resp.Value) (limit.Decision, error)
}

// Decision returns the meaning of a reply for a client whose clock showed nowUS at the request.
func (p *Program) Decision(reply resp.Value, nowUS int64) (limit.Decision, error) {
	d, err := p.Decode(reply)
	if p.RetryAt && d.RetryAfterUS > 0 {
		d.RetryAfterUS = max(0, d.RetryAfterUS-nowUS)
	}
	if p.KeepsReply && d.Allowed() {
		all := []string{}
		for _, v := range reply.Items {
			text := strings.Clone(v.Text)
			if v.Kind == resp.Int {
				text = strconv.FormatInt(v.Int, 10)
			}
			all = append(all, text)
		}
		d.Reply = &all
	}
	return d, err
}

// repliedTo reports whether the call has an element of another call's reply.
func (p *Program) repliedTo() bool {
	return p != nil && slices.ContainsFunc(slices.Concat(p.Decide.Keys, p.Decide.Args),
		func(t Template) bool { return t.names()&replied != 0 })
}

// SHA1 returns the digest under which Redis caches source.
func SHA1(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// TakesCost reports whether a request's cost, as it is known at the start or at the end, is an argument of the script.
func (p *Program) TakesCost() bool {
	return slices.ContainsFunc(p.Decide.Args, func(t Template) bool {
		return !t.Same(Vars{Cost: 1, Actual: 1}, Vars{Cost: 2, Actual: 2})
	})
}

// TakesTime reports whether the caller's clock is an argument of the script.
func (p *Program) TakesTime() bool {
	return slices.ContainsFunc(p.Decide.Args, func(t Template) bool { return !t.Same(Vars{NowUS: 1}, Vars{NowUS: 2}) })
}

// AsksTime reports whether the script asks the server for TIME, by that literal name.
func (p *Program) AsksTime() bool {
	return strings.Contains(strings.ToUpper(Analyse(p.Source).Body), "'TIME'")
}

// CalledAlike reports whether p and q are called with the same elements, and their replies mean the same. Both must
// have the same script.
func (p *Program) CalledAlike(q *Program) bool {
	return reflect.DeepEqual(p.Decide, q.Decide) && reflect.DeepEqual(p.Init, q.Init) && p.Terms == q.Terms
}

// InKeyspace returns p with prefix before each of its keys, so that runs on one server use different keys.
func (p *Program) InKeyspace(prefix string) *Program {
	q := *p
	q.Decide = *p.Decide.inKeyspace(prefix)
	q.Init, q.Remove = p.Init.inKeyspace(prefix), p.Remove.inKeyspace(prefix)
	for _, other := range []**Program{&q.Ends, &q.Renews, &q.Undo} {
		if *other != nil {
			*other = (*other).InKeyspace(prefix)
		}
	}
	return &q
}

// inKeyspace returns a call with prefix before each of its keys. If c is nil, the result is nil.
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
