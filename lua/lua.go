// Package lua holds the rate limiters' scripts, one per algorithm, as one would deploy them: at most 40 lines of code
// each. What the scripts have in common, which no header repeats:
//
//   - State lives in KEYS[1], and no script touches another key. So each runs in a cluster with any key: no hash tag is
//     needed.
//   - ARGV[1] is the time in whole microseconds since 1970, or empty for the server's own TIME; ARGV[2] is the
//     cost in permits, at least 1. Then come the algorithm's own parameters. Numbers are decimal integers. The caller
//     checks them; a script checks none, but fails before its first write where one is missing or no number.
//   - The reply is {allowed, remaining, retry_after_us, reset_after_us}, of integers. allowed is 1 for admitted, 0 for
//     rejected and −1 for not configured; retry_after_us is 0 when admitted and −1 where no waiting will help.
//   - A rejected request takes nothing from a later one. It writes only what a clock that stepped back, or parameters
//     that changed, make of the state.
//   - The parameters of a key may change from one call to the next. What was used stays used, nothing that remains is
//     negative, and no wait is longer than a full bucket or window of the new parameters.
//   - What lies later than now, because the clock stepped back, counts as now, so that nobody is locked out for longer
//     than a full bucket or window. An aligned window that is entered again has its own count.
//   - Where the client passes the time, the clients' clocks may be a second apart, or count in whole seconds: each key
//     lives a second longer than its state matters, and only what is more than a second later than now counts as now.
//     Otherwise a client whose clock is behind would give back what one that is ahead has used.
//   - All arithmetic is on integers below 2^53, which a Lua number counts without gaps.
//
// The package runs nothing and knows no algorithm; package algorithms says what each script takes.
package lua

import (
	"embed"
	"fmt"
)

//go:embed *.lua
var files embed.FS

// Source gives the script of the algorithm called name, such as "gcra".
func Source(name string) (string, error) {
	text, err := files.ReadFile(name + ".lua")
	if err != nil {
		return "", fmt.Errorf("no script lua/%s.lua", name)
	}
	return string(text), nil
}
