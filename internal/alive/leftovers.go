package alive

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"
)

// Strange is how old a thing must be that a process of another machine or container has made, and of which nothing else
// is known, before it is taken for left over: longer than any run takes.
const Strange = 7 * 24 * time.Hour

// Pattern is for os.CreateTemp and os.MkdirTemp: prefix, the process that asks, and what makes each name another.
func Pattern(prefix, suffix string) string { return prefix + Self().String() + "-*" + suffix }

// random is what os.CreateTemp and os.MkdirTemp put in the place of the star.
var random = regexp.MustCompile(`^[0-9]+$`)

// Owner is the process that made the name of Pattern; ok is false for a name that Pattern did not make.
func Owner(name, prefix, suffix string) (p Process, ok bool) {
	rest, begins := strings.CutPrefix(name, prefix)
	rest, ends := strings.CutSuffix(rest, suffix)
	at := strings.LastIndexByte(rest, '-')
	if !begins || !ends || at < 0 || !random.MatchString(rest[at+1:]) {
		return Process{}, false
	}
	return Parse(rest[:at])
}

// Leftovers are the names in folder that Pattern made for processes that have ended. What a process of elsewhere made
// is among them once it is Strange; now is the time by the clock that dates the folder's files.
func Leftovers(folder, prefix, suffix string, now time.Time) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(folder)
	var left []fs.DirEntry
	for _, e := range entries {
		owner, ours := Owner(e.Name(), prefix, suffix)
		if ours && owner.Left(e, now) {
			left = append(left, e)
		}
	}
	return left, err
}

// Left reports whether e is left over, having been made by p: p has ended, or is elsewhere and e Strange.
func (p Process) Left(e fs.DirEntry, now time.Time) bool {
	if p.Here() {
		return p.Gone()
	}
	info, err := e.Info()
	return err == nil && now.Sub(info.ModTime()) > Strange
}
