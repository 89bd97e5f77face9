// Package scripttest provides a script for tests, and a program that calls it.
package scripttest

import "ratelab/internal/script"

// Counting admits the first requests of a key. Its third argument is their number. It returns the time that it was
// given.
const Counting = `local allowed = redis.call('INCR', KEYS[1]) <= tonumber(ARGV[3])
return {allowed and 1 or 0, tonumber(ARGV[1]), 0, 0}`

// Program returns a program named mine for source. Its arguments are the caller's clock, the cost and most.
func Program(source, most string) *script.Program {
	return &script.Program{Label: "mine", Source: source, Decode: script.Contract,
		Decide: script.Call{Keys: []script.Template{script.KeyIn("mine:")},
			Args: []script.Template{script.NowUS(1), script.Cost(), script.Literal(most)}}}
}
