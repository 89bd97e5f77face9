package play

import (
	"fmt"
	"regexp"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/script"
)

// Check is a *NotPlayable where the wall clock cannot play the entry.
func Check(e *lineup.Entry) error {
	_, _, err := onTheWallClock(e)
	return err
}

// onTheWallClock is the entry as it is played, and whether the client's clock is set for it. Windows that lie where the
// clock puts them, and are too long to wait for, are found by setting the client's clock, and the script goes by that.
func onTheWallClock(e *lineup.Entry) (played *lineup.Entry, shifts bool, err error) {
	if !e.Aligned || e.Policy.Window <= lineup.LongestAlignment {
		return e, false, nil
	}
	if e.File == "" {
		return e.OnClientTime(), true, nil
	}
	for _, word := range []string{"TIME", "EXPIREAT", "PEXPIREAT", "EXAT", "PXAT"} {
		if mentions(e.Program.Source, word) {
			return nil, false, &NotPlayable{e.Label, fmt.Sprintf("the script uses %s under a window of %s, and the "+
				"wall clock is waited for no longer than %s: take a window of at most that, or give the script the "+
				"time as an argument, {now_us}", word, limit.FormatDuration(e.Policy.Window),
				limit.FormatDuration(lineup.LongestAlignment))}
		}
	}
	return e, tellsTime(e.Program.Decide), nil
}

// mentions reports whether a script has the command, or the option of one, as a text.
func mentions(source, word string) bool {
	return regexp.MustCompile(`(?i)["']` + word + `["']`).MatchString(source)
}

// tellsTime reports whether a call has the client's clock in it.
func tellsTime(c script.Call) bool {
	for _, all := range [][]script.Template{c.Keys, c.Args} {
		for _, t := range all {
			if !t.Same(script.Vars{}, script.Vars{NowUS: 1 << 50}) {
				return true
			}
		}
	}
	return false
}
