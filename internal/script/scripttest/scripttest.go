// Package scripttest has the script that tests call, and how it is called.
package scripttest

import "ratelab/internal/script"

// Counting admits the first requests of a key, as many as its third argument says. It answers what time it was told.
const Counting = `local allowed = redis.call('INCR', KEYS[1]) <= tonumber(ARGV[3])
return {allowed and 1 or 0, tonumber(ARGV[1]), 0, 0}`

// Program is source called mine, with the caller's clock, the cost and the limit.
func Program(source, most string) *script.Program {
	return &script.Program{Label: "mine", Source: source, Decode: script.Contract,
		Decide: script.Call{Keys: []script.Template{script.KeyIn("mine:")},
			Args: []script.Template{script.NowUS(1), script.Cost(), script.Literal(most)}}}
}
