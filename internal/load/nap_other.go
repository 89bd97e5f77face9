//go:build !linux

package load

import "time"

// Pacer is how the generator waits for an instant.
const Pacer = "Go's timers: late by up to a millisecond"

// nap is Go's own timer: nothing better is portable.
func nap(d time.Duration) { time.Sleep(d) }
