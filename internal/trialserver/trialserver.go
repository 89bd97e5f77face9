// Package trialserver is the embedded server as a program of its own, for a script that may do anything: the embedded
// Lua knows no bound and obeys nothing. Inside the process its memory would be the run's, and a loop would run on for
// as long as the run does. Every program with this package becomes that server where a variable of its environment asks
// for it.
//
// It does not bound itself beyond a look at its memory: where the system can do better, whoever starts it does.
package trialserver

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/embedded"

	"github.com/alicebob/miniredis/v2"
)

const variable = "RATELAB_TRIAL_SERVER"

// Variable is the variable of the environment, NAME=VALUE, that makes a program serve the socket until its standard
// input ends, or until the scripts have taken so many bytes.
func Variable(bytes int64, socket string) string {
	return fmt.Sprintf("%s=%d %s", variable, bytes, socket)
}

func init() {
	if value := os.Getenv(variable); value != "" {
		os.Exit(serve(value))
	}
}

// serve is the server. It returns an exit code.
func serve(value string) int {
	number, socket, _ := strings.Cut(value, " ")
	bytes, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: want a number of bytes and the path of a socket: %v\n", variable, err)
		return 2
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go lookAtMemory(bytes)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	m, err := embedded.New()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		go relay(m, conn)
	}
}

// lookAtMemory ends this process when it has so many bytes more than it has now.
func lookAtMemory(bytes int64) {
	for before := heap(); heap() < before+bytes; {
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, "out of memory")
	os.Exit(2) // as where the system does not give it
}

// heap is how many bytes are in use on the heap of this process, garbage included.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// relay joins a connection to one of the server's own until either side ends.
func relay(m *miniredis.Miniredis, conn net.Conn) {
	defer conn.Close()
	own, err := m.Dial()
	if err != nil {
		return
	}
	defer own.Close()
	go func() {
		io.Copy(own, conn)
		own.Close()
	}()
	io.Copy(conn, own)
}
