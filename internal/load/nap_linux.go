package load

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Pacer names the way in which the generator waits for an instant. It is late by some tens of microseconds.
const Pacer = "nanosleep, timer slack 1 ns"

// nap sleeps on its own thread. With the default timer slack, the kernel may wake the thread 50 µs late to save an
// interrupt.
func nap(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // if the kernel refuses, the nap is a little less exact
	left := unix.NsecToTimespec(d.Nanoseconds())
	for unix.Nanosleep(&left, &left) == unix.EINTR {
	}
}
