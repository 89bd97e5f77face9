//go:build unix

package redistest

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Halt stops a child process for d. The signal takes effect only when a thread of the child is scheduled, so d begins
// when the child has stopped.
func Halt(child *os.Process, d time.Duration) error {
	if err := child.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	var status syscall.WaitStatus
	_, err := syscall.Wait4(child.Pid, &status, syscall.WUNTRACED, nil)
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Wait4(child.Pid, &status, syscall.WUNTRACED, nil)
	}
	if err == nil && !status.Stopped() {
		err = fmt.Errorf("the process ended before it stopped, with %d", status.ExitStatus())
	}
	if err != nil {
		return err
	}
	time.Sleep(d)
	return child.Signal(syscall.SIGCONT)
}
