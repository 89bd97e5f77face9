//go:build !linux

package load

import "time"

// Pacer names the way in which the generator waits for an instant.
const Pacer = "Go's timers: late by up to a millisecond"

// nap uses Go's timer, the best portable one.
func nap(d time.Duration) { time.Sleep(d) }
