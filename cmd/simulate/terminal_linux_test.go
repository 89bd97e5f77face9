package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/sys/unix"

	"ratelab/internal/commandline"
)

// terminal opens a pseudo-terminal of 90 columns. What is written to it can be read from the other end.
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

// onTerminal is what a run writes to its terminal.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	tty, other := terminal(t)
	read := make(chan string)
	go func() {
		var all bytes.Buffer
		io.Copy(&all, other) // ends with an error when the terminal is closed
		read <- all.String()
	}()
	args = append(args, "--charts", "none", "--out", t.TempDir())
	if code := run(args, commandline.Streams{Stdout: tty, Stderr: tty}); code != commandline.ExitOK {
		t.Errorf("exit code %d", code)
	}
	tty.Close()
	return <-read
}

// On a terminal a table fits it and what is above the limit stands out; NO_COLOR takes the colour away.
func TestTerminal(t *testing.T) {
	const red = "\x1b[1;31m"
	t.Setenv("NO_COLOR", "") // so that it is put back
	os.Unsetenv("NO_COLOR")
	coloured := onTerminal(t, "extreme-case-1", "--redis", "model")
	if !strings.Contains(coloured, red) {
		t.Errorf("no red: %q", coloured)
	}
	_, table, _ := strings.Cut(coloured, "algorithm")
	for line := range strings.Lines(table) {
		if n := text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\r\n")); n > 90 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	t.Setenv("NO_COLOR", "1")
	if plain := onTerminal(t, "extreme-case-1", "--redis", "model", "--quiet"); strings.Contains(plain, "\x1b") {
		t.Errorf("an escape: %q", plain)
	}
}
