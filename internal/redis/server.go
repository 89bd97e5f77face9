// Package redis starts or connects to the server that runs the scripts: one inside the process, a private process, a
// container, or a given one behind a URL. Close ends each server that Start started. A given server must be empty. Only
// keys under Server.Prefix are written there, and neither FLUSH nor CONFIG is ever sent to it. Passwords are passed to
// the connection only: no error, no String and no %+v shows one.
//
// It does not decide requests or load scripts. It does not delete a run's keys; their writers delete them.
package redis

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// The kinds of server, by their names in results.
const (
	KindEmbedded  = "embedded"
	KindProcess   = "process"
	KindContainer = "container"
	KindURL       = "url"
)

// The transports between client and server, by their names in results.
const (
	TransportPipe = "pipe"
	TransportUnix = "unix"
	TransportTCP  = "tcp"
	TransportTLS  = "tls"
)

// The parts of the route between client and server besides the transport, by their names in results. Compare latencies
// only within one transport and one route. Median times of a script's call on a busy machine of two cores: 29 µs for a
// process on a socket, 41 µs for a container through a shared folder, 189 µs through the port mapping. A container
// itself costs time because Docker filters its system calls.
const (
	RoutePortMapping  = "port mapping"  // Docker's, to a container
	RouteSharedFolder = "shared folder" // a container's socket in a folder that both sides share
)

// Server is a running server that has answered, has let us write, and knows all commands that virtual time needs.
type Server struct {
	Kind      string // KindEmbedded, KindProcess, KindContainer or KindURL
	Name      string // miniredis, redis, valkey, or another name that the server reports
	Version   string // as the server reports it, such as 7.0.15
	Transport string // TransportPipe, TransportUnix, TransportTCP or TransportTLS
	Route     string // RoutePortMapping or RouteSharedFolder; "": a direct connection
	Own       bool   // started by Start and ended by Close; it has no other users
	Bounded   bool   // one of our own whose memory is limited
	Prefix    string // begins all keys of ratelab, such as "ratelab:3f1c…:"; equally long on all kinds

	// Client never retries (a retried EVAL counts twice) and speaks RESP2.
	Client Client

	target target
	// cause waits up to the given time for the end of our own server, and returns why it ended, or "" if it still runs;
	// nil if this cannot be known
	cause  func(time.Duration) string
	mu     sync.Mutex   // guards closed
	stop   func() error // ends what Start started; nil if it started nothing
	closed bool
	// turn of a Bounded server is held by the call of Send under way; a call that failed never releases it
	turn chan struct{}
}

// Close closes the client. If Start started the server, Close ends it and deletes its files. A second call does
// nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.target.wires.end()
	s.Client.Close() // an error is harmless: the connections may be closed already
	if s.stop != nil {
		if err := s.stop(); err != nil {
			return fmt.Errorf("end the %s server: %w", s.Kind, err)
		}
	}
	return nil
}

// Abandon ends all connections. It also makes Close kill a server of our own instead of asking it to stop, because a
// server that hangs in a script does not react. The embedded server inside this process cannot be killed. It ends with
// the process.
func (s *Server) Abandon() { s.target.wires.sever(true) }

// Ended returns how a server of our own ended, with its last output. It returns "" if the server still runs or if this
// cannot be known.
func (s *Server) Ended() string {
	if s.cause == nil {
		return ""
	}
	return s.cause(grace)
}

// Hangs reports whether the server has failed to answer in time, or was abandoned.
func (s *Server) Hangs() bool { return s.target.wires.hangs.Load() }

// String returns one line for people: "redis 7.0.15 (process, unix)". For a given server it has the address.
func (s *Server) String() string {
	where := s.Kind
	if s.Kind == KindURL {
		where = s.target.label
	}
	return fmt.Sprintf("%s %s (%s, %s)", s.Name, s.Version, where, s.Transport)
}

// commonPrefix begins the keys of every run.
const commonPrefix = "ratelab:"

// ownPrefix is the prefix of keys on a server of our own. It is constant, so that results can be repeated, and as long
// as a random one, because MEMORY USAGE counts the key's name.
const ownPrefix = commonPrefix + "000000000000:"

// randomPrefix returns a prefix that no other run on the same server has. It contains 48 random bits.
func randomPrefix() string {
	var b [6]byte
	rand.Read(b[:]) // never fails: crypto/rand
	return fmt.Sprintf("%s%x:", commonPrefix, b)
}
