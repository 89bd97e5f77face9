package load

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// pacer says what nap is.
const pacer = PacerNanosleep

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
