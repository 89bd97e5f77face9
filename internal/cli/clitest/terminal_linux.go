package clitest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal with 90 columns. The other end receives what is written to it.
func terminal(t *testing.T) (tty, other *os.File) {
	t.Helper()
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { other.Close() })
	fd := int(other.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 90})
	}
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	return tty, other
}

// OnTerminal returns what run writes to a terminal with 90 columns. It skips the test if there are no pseudo-terminals.
func OnTerminal(t *testing.T, run func(tty *os.File)) string {
	t.Helper()
	tty, other := terminal(t)
	read := make(chan string)
	go func() {
		var all bytes.Buffer
		io.Copy(&all, other) // ends with an error when the terminal is closed
		read <- all.String()
	}()
	run(tty)
	tty.Close()
	return <-read
}
