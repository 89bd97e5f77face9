// Package lua holds the rate limiters' scripts, one per algorithm, as one would deploy them. What the scripts
// have in common, which no header repeats:
//
//   - State lives in KEYS[1], and no script touches another key. So each runs in a cluster with any key: no hash tag is
//     needed.
//   - The parameters of a key may change from one call to the next. What was used stays used, and its wait is at most
//     that of the longer of the two windows.
//   - ARGV[1] is the time in whole microseconds since 1970, or empty for the server's own TIME; ARGV[2] is the
//     cost in permits, at least 1. Then come the algorithm's own parameters. Numbers are decimal integers.
//   - The reply is {allowed, remaining, retry_after_us, reset_after_us}, of integers. allowed is 1 for admitted, 0 for
//     rejected and −1 for not configured; retry_after_us is 0 when admitted and −1 where no waiting will help.
//   - A rejected request writes nothing. Arguments are checked before anything is written.
//   - All arithmetic is on integers below 2^53, which a Lua number counts without gaps.
//   - Where the client passes the time, each key lives a second longer than its state matters: the clients'
//     clocks may lag, or count in whole seconds.
//   - A script is plain. What looks clever saves a tenth of some path's instructions, and its comment says how much,
//     and which command counted it.
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
