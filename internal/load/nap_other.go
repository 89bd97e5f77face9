//go:build !linux

package load

import "time"

// pacer says what nap is.
const pacer = PacerTimer

// nap is Go's own timer: a millisecond late at the most, and nothing better is portable.
func nap(d time.Duration) { time.Sleep(d) }
