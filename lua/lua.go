// Package lua holds the scripts of the rate limiters, one per algorithm, as one would deploy them. A second script,
// NAME-atomic.lua, decides by several limits in one call; its header says where it differs from what follows. Each has
// at most 40 lines of code. The following holds for all scripts. Their headers do not repeat it.
//
//   - State is stored in KEYS[1], and a script uses no other key. So each script runs in a cluster with any key,
//     without a hash tag.
//   - ARGV[1] is the time in whole microseconds since 1970, or empty for the server's own TIME. ARGV[2] is the cost in
//     tokens, at least 1. The algorithm's own parameters follow. Numbers are decimal integers. The caller must check
//     them. A script does not check its arguments, but it fails before its first write if an argument is missing or not
//     a number.
//   - The reply is {allowed, remaining, retry_after_us, reset_after_us}, all integers. allowed is 1 for admitted, 0 for
//     rejected and −1 for not configured. retry_after_us is 0 for an admitted request, and −1 if waiting will not help.
//   - A rejected request takes nothing from later requests. It writes only those changes of the state that follow from
//     a clock that stepped back, or from changed parameters.
//   - The parameters of a key may change between calls. Used tokens stay used, remaining is never negative, and no wait
//     is longer than a full bucket or window of the new parameters.
//   - If the clock stepped back, times in the state that are later than now count as now. So no client is locked out
//     for longer than a full bucket or window. An aligned window that is entered again has its own count.
//   - If the client passes the time, the clocks of clients may differ by a second, or count in whole seconds. So each
//     key lives a second longer than its state matters, and only times more than a second later than now count as now.
//     Otherwise a client whose clock is behind would give back tokens that a client with a faster clock has used.
//   - All arithmetic is on integers below 2^53, which Lua numbers represent exactly.
//
// The package runs nothing and does not depend on algorithms. Package algorithms describes the arguments of each
// script.
package lua

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.lua
var files embed.FS

// Source returns the script of an algorithm, such as "gcra".
func Source(name string) (string, error) {
	text, err := files.ReadFile(name + ".lua")
	if err != nil {
		return "", fmt.Errorf("no script lua/%s.lua", name)
	}
	return string(text), nil
}

const atomic = "-atomic"

// AtomicSource returns the script that asks several limits of an algorithm in one call.
func AtomicSource(name string) (string, error) { return Source(name + atomic) }

// Atomic returns the names of the algorithms that have such a script.
func Atomic() (names []string) {
	found, _ := fs.Glob(files, "*"+atomic+".lua") // the pattern is valid
	for _, file := range found {
		names = append(names, strings.TrimSuffix(file, atomic+".lua"))
	}
	return names
}
