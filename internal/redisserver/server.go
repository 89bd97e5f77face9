// Package redisserver gets a server to decide on: one inside the process, a private process, a container, or
// the user's own behind a URL. Whatever Start started, Close ends; on a server that was there before, nothing
// but keys under Server.Prefix and this run's entry in the registry is ours, and neither FLUSH nor CONFIG is ever
// sent. Passwords reach the connection and nothing else: no error, no String and no %+v shows one.
//
// It does not decide requests or load scripts. Keys it deletes in one case only: Start, on a user's server, those of
// runs that the registry proves dead. All other keys are deleted by those who wrote them.
package redisserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"

	"ratelab/internal/registry"
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
	RouteDirect       = ""
	RoutePortMapping  = "port mapping"  // Docker's, to a container
	RouteSharedFolder = "shared folder" // a container's socket in a folder of this machine
)

// Server is a running server that answered, let us write, and knows every command that virtual time needs.
type Server struct {
	Kind      string // KindEmbedded, KindProcess, KindContainer or KindURL
	Name      string // miniredis, redis, valkey, or what else the server calls itself
	Version   string // as the server says it, such as 7.0.15
	Transport string // TransportPipe, TransportUnix, TransportTCP or TransportTLS
	Route     string // RouteDirect, RoutePortMapping or RouteSharedFolder
	Own       bool   // started here and ended by Close: alone on it, one may do anything
	Prefix    string // begins every key that is ours, such as "ratelab:3f1c…:"; as long on every kind

	Warning string // what a user should know of the server beforehand; "" is nothing

	// Client never retries (a retried EVAL counts twice) and speaks RESP2.
	Client Client

	target  target
	cause   func() string // why a server of our own is gone, or ""; nil where that cannot be known
	mu      sync.Mutex
	clients []Client
	stop    func() error // ends what was started; nil where nothing was
	entry   *entry       // in the registry of a server that others use too; nil on one of our own
	// of the server's process on this machine; nil where it is not ours or not here
	pid    func(context.Context) (int, error)
	closed bool
}

// ProcessID is the server's process on this machine. ok is false where there is none that is ours.
func (s *Server) ProcessID(ctx context.Context) (pid int, ok bool) {
	if s.pid == nil {
		return 0, false
	}
	pid, err := s.pid(ctx)
	return pid, err == nil && pid > 0
}

// NewClient opens another client on the same server, with a pool of poolSize connections, for whoever wants
// hooks or a pool of their own. Close closes it too.
func (s *Server) NewClient(poolSize int) Client {
	c := newClient(s.target, poolSize)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients = append(s.clients, c)
	return c
}

// Close closes the clients and ends the server if it was started here, with all it left on disk. A run that has
// deleted its keys is then in the registry no more. The second call does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.entry != nil {
		s.entry.end(s.Client)
	}
	s.target.wires.end()
	for _, c := range s.clients {
		c.Close() // the connections may be gone already, which is what is wanted
	}
	if s.stop == nil {
		return nil
	}
	if err := s.stop(); err != nil {
		return fmt.Errorf("end the %s server: %w", s.Kind, err)
	}
	return nil
}

// Abandon makes Close end a server of our own at once, which hangs in a script and hears nothing. The embedded one
// inside this process cannot be ended, and is left to the process's end.
func (s *Server) Abandon() { s.target.wires.hangs.Store(true) }

// Ended says how a server of our own has ended, and what it said last; "" while it lives, or where that cannot be
// known.
func (s *Server) Ended() string {
	if s.cause == nil {
		return ""
	}
	return s.cause()
}

// hangs reports whether the server has kept somebody waiting for too long.
func (s *Server) hangs() bool { return s.target.wires.hangs.Load() }

// Link is the transport with its route, such as "unix" or "tcp, port mapping": what latencies depend on.
func (s *Server) Link() string {
	if s.Route == RouteDirect {
		return s.Transport
	}
	return s.Transport + ", " + s.Route
}

// String is one line for people: "redis 7.0.15 (process, unix)", or with the address of a user's server.
func (s *Server) String() string {
	where := s.Kind
	if s.Kind == KindURL {
		where = s.target.label
	}
	return fmt.Sprintf("%s %s (%s, %s)", s.Name, s.Version, where, s.Transport)
}

// ownPrefix is the prefix on a server where nobody else writes. It is fixed, for repeatability, and as long as
// a random one, because MEMORY USAGE counts the key's name.
const ownPrefix = registry.Prefix + "000000000000:"

// randomID is one that no other run on the same server has (48 random bits).
func randomID() string {
	var b [6]byte
	rand.Read(b[:]) // never fails: crypto/rand
	return hex.EncodeToString(b[:])
}
