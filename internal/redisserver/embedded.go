package redisserver

import (
	"context"
	"net"
	"runtime/debug"
	"strings"
	"time"

	"ratelab/internal/embedded"

	"github.com/alicebob/miniredis/v2"
)

// embeddedModule and embeddedVersion name the server inside the process. The version is the one that was
// compiled in; the constant stands in where the binary does not say, as in a test's.
const (
	embeddedModule  = "github.com/alicebob/miniredis/v2"
	embeddedVersion = "2.40.0"
)

// startEmbedded makes a miniredis of our own, reached through net.Pipe: no port, as many at once as wanted.
func startEmbedded(ctx context.Context, set settings) (*Server, error) {
	if set.memory > 0 {
		return startBoundedEmbedded(ctx, set)
	}
	m, err := embedded.New()
	if err != nil {
		return nil, unavailable("embedded: %v", err)
	}
	t := target{network: "pipe", addr: "pipe", label: KindEmbedded,
		dial: func(context.Context) (net.Conn, error) { return m.Dial() }}
	s := newServer(KindEmbedded, t, set)
	s.Name, s.Version = "miniredis", moduleVersion()
	s.stop = func() error { return closeEmbedded(m) }
	if err := s.Client.Ping(ctx).Err(); err != nil {
		s.Close()
		return nil, Explain(err, s)
	}
	return s, nil
}

// closeEmbedded ends m, unless it is in a script that does not end: that obeys nothing, and ends with the process.
func closeEmbedded(m *miniredis.Miniredis) error {
	closed := make(chan struct{})
	go func() {
		m.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(grace):
	}
	return nil
}

func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return embeddedVersion
	}
	for _, m := range info.Deps {
		if m.Path == embeddedModule {
			return strings.TrimPrefix(m.Version, "v")
		}
	}
	return embeddedVersion
}
