// Command libraries puts limiters' libraries, as they are, under virtual time. Redis goes by a redisclock.Clock, and
// each process that uses a library by a clock of its own, that of a bubble of testing/synctest. A library is a file of
// this folder. Server is a run.Server: simulate's scenarios and examine's questions meet a library as they meet a
// script.
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

// library is a limiter of a library, in one setting.
type library struct {
	name, module string
	rule, away   string // for the page: what it is, and what it says that it does while Redis is away, with the source
	costs, burst bool   // it takes costs other than 1, and a burst other than the limit
	silent       bool   // it does not tell when to come back
	fits         func(limit.Policy) error
	// open makes the limiter, in a process of its own.
	open func(*process) (decide, error)
}

// decide decides one request. Its error is the library's.
type decide func(ctx context.Context, key string, cost int64) (limit.Decision, error)

// libraries are all, each added by its file.
var libraries []*library

func add(l library) bool { libraries = append(libraries, &l); return true }

// find is the library with that name; nil: there is none.
func find(name string) *library {
	i := slices.IndexFunc(libraries, func(l *library) bool { return l.name == name })
	if i < 0 {
		return nil
	}
	return libraries[i]
}

// commit ends a pseudo-version.
var commit = regexp.MustCompile("-[0-9a-f]{12}$")

// version is the version of the library's module.
func (l *library) version() string {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == l.module {
			return commit.ReplaceAllString(m.Version, "")
		}
	}
	return "?"
}

// label names the library's row.
func (l *library) label() string { return l.name + "@" + l.version() }

// under is the library's limiter for a limit. It is no script: its source is the label, and its call says of what a
// decision depends.
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

// client is a go-redis client of the process under the clock, which tries nothing twice.
func (p *process) client() *goredis.Client {
	c := goredis.NewClient(&goredis.Options{Addr: "127.0.0.1:1", Dialer: p.dialer.DialContext, MaxRetries: -1,
		Protocol: 2, DisableIdentity: true, ReadTimeout: -1, WriteTimeout: -1})
	p.atEnd(func() { c.Close() })
	return c
}

// answer is a decision of a library that says no more than this.
func answer(admitted bool, remaining int64, retry time.Duration) limit.Decision {
	if admitted {
		return limit.Decision{Verdict: limit.Allowed, Remaining: remaining}
	}
	return limit.Decision{Verdict: limit.Rejected, Remaining: max(0, remaining),
		RetryAfterUS: max(0, retry.Microseconds())}
}
