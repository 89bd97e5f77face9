// Package redis gets a server to decide on: one inside the process, a private process, a container, or a given
// one behind a URL. Whatever Start started, Close ends. A given server must be empty, nothing but keys under
// Server.Prefix is written there, and neither FLUSH nor CONFIG is ever sent. Passwords reach the connection and nothing
// else: no error, no String and no %+v shows one.
//
// It does not decide requests or load scripts, and a run's keys are deleted by those who wrote them.
package redis

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// The kinds of server, as results name them.
const (
	KindEmbedded  = "embedded"
	KindProcess   = "process"
	KindContainer = "container"
	KindURL       = "url"
)

// The transports between client and server, as results name them.
const (
	TransportPipe = "pipe"
	TransportUnix = "unix"
	TransportTCP  = "tcp"
	TransportTLS  = "tls"
)

// What a connection passes through beside its transport, as results name it. Compare latencies within one
// transport and one route only: on a busy machine of two cores a call of a script took 29 µs at the median from a
// process on a socket, 41 from a container through a shared folder (the container itself costs something: Docker
// filters its system calls), and 189 through the port mapping.
const (
	RoutePortMapping  = "port mapping"  // Docker's, to a container
	RouteSharedFolder = "shared folder" // a container's socket in a folder of this machine
)

// Server is a running server that answered, let us write, and knows every command that virtual time needs.
type Server struct {
	Kind      string // KindEmbedded, KindProcess, KindContainer or KindURL
	Name      string // miniredis, redis, valkey, or what else the server calls itself
	Version   string // as the server says it, such as 7.0.15
	Transport string // TransportPipe, TransportUnix, TransportTCP or TransportTLS
	Route     string // RoutePortMapping or RouteSharedFolder; "": straight there
	Own       bool   // started here and ended by Close: alone on it, one may do anything
	Bounded   bool   // one of our own that may take so much memory and no more
	Prefix    string // begins every key that is ours, such as "ratelab:3f1c…:"; as long on every kind

	// Client never retries (a retried EVAL counts twice) and speaks RESP2.
	Client Client

	target target
	// why a server of our own is gone, or "" where it lives for so long; nil where that cannot be known
	cause  func(time.Duration) string
	mu     sync.Mutex   // guards closed
	stop   func() error // ends what was started; nil where nothing was
	closed bool
	// turn of a Bounded server is held by the call of Send that is under way, and for good by one that failed
	turn chan struct{}
}

// Close closes the client and ends the server if it was started here, with all it left on disk. The second
// call does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.target.wires.end()
	s.Client.Close() // the connections may be gone already, which is what is wanted
	if s.stop != nil {
		if err := s.stop(); err != nil {
			return fmt.Errorf("end the %s server: %w", s.Kind, err)
		}
	}
	return nil
}

// Abandon ends all connections, and makes Close end a server of our own at once, which hangs in a script and hears
// nothing. The embedded one inside this process cannot be ended, and is left to the process's end.
func (s *Server) Abandon() { s.target.wires.sever(true) }

// Ended says how a server of our own has ended, and what it said last; "" while it lives, or where that cannot be
// known.
func (s *Server) Ended() string {
	if s.cause == nil {
		return ""
	}
	return s.cause(grace)
}

// Hangs reports whether the server has kept somebody waiting for too long.
func (s *Server) Hangs() bool { return s.target.wires.hangs.Load() }

// String is one line for people: "redis 7.0.15 (process, unix)", or with the address of a given server.
func (s *Server) String() string {
	where := s.Kind
	if s.Kind == KindURL {
		where = s.target.label
	}
	return fmt.Sprintf("%s %s (%s, %s)", s.Name, s.Version, where, s.Transport)
}

// commonPrefix begins the keys of every run.
const commonPrefix = "ratelab:"

// ownPrefix is the prefix on a server where nobody else writes. It is fixed, for repeatability, and as long as
// a random one, because MEMORY USAGE counts the key's name.
const ownPrefix = commonPrefix + "000000000000:"

// randomPrefix is one that no other run on the same server has (48 random bits).
func randomPrefix() string {
	var b [6]byte
	rand.Read(b[:]) // never fails: crypto/rand
	return fmt.Sprintf("%s%x:", commonPrefix, b)
}
