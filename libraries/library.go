// Command libraries puts unmodified rate limiting libraries under virtual time. Redis follows a redisclock.Clock. Each
// process that uses a library has its own clock: that of a testing/synctest bubble. Each file of this folder adds a
// library. The type servers is a run.Engine, so that scenarios and examinations can use a library like a script.
package main

import (
	"context"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/script"
)

// library is a limiter of a library, in one configuration.
type library struct {
	name, module string
	rule, away   string // for the page: the rule, and the documented behaviour without Redis, with the source
	costs, burst bool   // accepts costs other than 1; accepts a burst other than the limit
	silent       bool   // returns no retry-after
	fits         func(limit.Policy) error
	// open makes the limiter, in its own process.
	open func(*process) (decide, error)
}

// decide decides one request. It returns the error of the library.
type decide func(ctx context.Context, key string, cost int64) (limit.Decision, error)

// libraries are all libraries. Each file adds its own.
var libraries []*library

func add(l library) bool { libraries = append(libraries, &l); return true }

// find returns the library with a name, or nil.
func find(name string) *library {
	i := slices.IndexFunc(libraries, func(l *library) bool { return l.name == name })
	if i < 0 {
		return nil
	}
	return libraries[i]
}

// commit matches the end of a pseudo-version.
var commit = regexp.MustCompile("-[0-9a-f]{12}$")

// version returns the version of the library's module.
func (l *library) version() string {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == l.module {
			return commit.ReplaceAllString(m.Version, "")
		}
	}
	return "?"
}

// label returns the label of the library's row.
func (l *library) label() string { return l.name + "@" + l.version() }

// under returns the library's limiter for a limit. It is not a script: its source is the label, and its call lists the
// values on which a decision depends.
func (l *library) under(p limit.Policy) (*limiter.Limiter, error) {
	err := p.Validate()
	if !l.burst && p.Capacity() != p.Requests && err == nil {
		err = fmt.Errorf("it has no burst, and the limit is %v", p)
	}
	if l.fits != nil && err == nil {
		err = l.fits(p)
	}
	if err != nil {
		return nil, err
	}
	number := func(n int64) script.Template { return script.Literal(strconv.FormatInt(n, 10)) }
	call := script.Call{Keys: []script.Template{script.KeyIn("")}, Args: []script.Template{number(p.Requests),
		number(p.WindowUS()), number(p.Capacity()), script.NowUS(1)}}
	if l.costs {
		call.Args = append(call.Args, script.Cost())
	}
	return &limiter.Limiter{Rule: algorithms.Rule{Label: l.label(), Policy: p,
		Parameters: map[string]string{"name": l.name, "module": l.module, "version": l.version()}}, Aligned: true,
		Program: &script.Program{Label: l.label(), Source: l.label(), Foreign: true, TellsRetry: !l.silent,
			Decide: call}}, nil
}

// wholeSeconds refuses windows that are not whole seconds.
func wholeSeconds(p limit.Policy) error {
	if p.Window%time.Second != 0 {
		return fmt.Errorf("it has whole seconds, and the limit is %v", p)
	}
	return nil
}

// client returns a go-redis client of the process, under the clock. It does not retry.
func (p *process) client() *goredis.Client {
	c := goredis.NewClient(&goredis.Options{Addr: "127.0.0.1:1", Dialer: p.dialer.DialContext, MaxRetries: -1,
		Protocol: 2, DisableIdentity: true, ReadTimeout: -1, WriteTimeout: -1})
	p.atEnd(func() { c.Close() })
	return c
}

// answer returns a decision for a library that reports only these values.
func answer(admitted bool, remaining int64, retry time.Duration) limit.Decision {
	if admitted {
		return limit.Decision{Verdict: limit.Allowed, Remaining: remaining}
	}
	return limit.Decision{Verdict: limit.Rejected, Remaining: max(0, remaining),
		RetryAfterUS: max(0, retry.Microseconds())}
}
