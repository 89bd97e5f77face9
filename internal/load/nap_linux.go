package load

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Pacer is how the generator waits for an instant: late by some tens of microseconds.
const Pacer = "nanosleep, timer slack 1 ns"

// nap sleeps on a thread of its own. Without a timer slack the kernel would be free to wake it 50 µs late, to spare
// an interrupt.
func nap(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // where it is refused the nap is a little less exact
	left := unix.NsecToTimespec(d.Nanoseconds())
	for unix.Nanosleep(&left, &left) == unix.EINTR {
	}
}
