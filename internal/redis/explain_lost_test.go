package redis

import (
	"context"
	"net"
	"os"
	"syscall"
	"testing"
)

func TestServerWithoutRoomIsExplained(t *testing.T) {
	s := private(t)
	do(t, s, "CONFIG", "SET", "maxclients", "1")
	for range 5 { // whether the refusal is read before the broken connection is noticed differs from time to time
		err := newClient(s.target, 1).Ping(t.Context()).Err()
		wantText(t, explained(t, err, s),
			": has no room for another client; raise its maxclients or ask for a smaller pool")
		wantText(t, refusal(t, viaURL(s, "", "")), ": has no room for another client")
	}
}

// The limit on open files is reached at a dial, at the start or by a worker later on.
func TestTooManyOpenFilesAreExplained(t *testing.T) {
	full := target{network: "tcp", addr: "full", label: "full", dial: func(context.Context) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	}}
	const want = ": too many open files for another connection; raise the limit (ulimit -n) or use fewer " +
		"workers"
	s := newServer(KindProcess, full, settings{poolSize: 1})
	defer s.Close()
	wantText(t, explained(t, s.Client.Ping(t.Context()).Err(), s), want)
	wantText(t, explained(t, greet(t.Context(), full), s), want)
}
