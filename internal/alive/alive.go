// Package alive names processes in what they leave behind, so that a later one can tell whether the maker still runs:
// in the names of temporary files, and in the registry of runs on a server. A process identifier alone would not do: it
// says nothing in another container or on another machine, and is given again. Whoever cannot be judged is not called
// dead.
package alive

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Process is one process, told apart from all others. It is comparable.
type Process struct {
	Place string // where PID means something: this machine since it started, this container; "" where that is not known
	PID   int
	Start string // when it began, in a unit of the system's; "" where that cannot be had
}

// Self is the process that asks.
var Self = sync.OnceValue(func() Process {
	return Process{Place: place(), PID: os.Getpid(), Start: began(os.Getpid())}
})

// place is a short name of the space of process identifiers that we live in.
func place() string {
	space := pidSpace()
	if space == "" {
		return ""
	}
	host, _ := os.Hostname() // machines that were copied with their memory may differ in nothing else
	sum := sha256.Sum256([]byte(host + "\n" + space))
	return hex.EncodeToString(sum[:4])
}

// Here reports whether p's life can be judged from here.
func (p Process) Here() bool { return p.Place != "" && p.Place == Self().Place && p.PID > 0 }

// Gone reports whether p has ended for certain. It is false for a process of another machine or container, of which
// nothing can be known.
func (p Process) Gone() bool {
	if !p.Here() {
		return false
	}
	running, start := look(p.PID)
	return !running || start != "" && p.Start != "" && start != p.Start
}

// String is a name that fits into a file's: Parse reads it.
func (p Process) String() string { return p.Place + "-" + strconv.Itoa(p.PID) + "-" + p.Start }

// written is what String gives.
var written = regexp.MustCompile(`^([0-9a-f]{8})?-([1-9][0-9]{0,9})-([0-9a-z]{0,20})$`)

// Parse reads what String wrote; ok is false for anything else.
func Parse(text string) (p Process, ok bool) {
	m := written.FindStringSubmatch(text)
	if m == nil {
		return Process{}, false
	}
	pid, err := strconv.Atoi(m[2])
	return Process{Place: m[1], PID: pid, Start: m[3]}, err == nil
}

// shorter writes a decimal number with more digits to choose from; "" for what is none.
func shorter(decimal string) string {
	n, err := strconv.ParseUint(strings.TrimSpace(decimal), 10, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(n, 36)
}
