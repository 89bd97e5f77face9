package redisclock

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
)

// Proxy lets clients in any language use a Redis under a Clock that all of them share. A client controls the clock with
// RATELAB.CLOCK SET <µs since 1970>, ADVANCE <µs> and GET.
type Proxy struct {
	dialer           Dialer
	network, address string
	listener         net.Listener
	ctx              context.Context // ends with Close
	cancel           func()

	mu     sync.Mutex
	open   map[net.Conn]bool // nil: closed
	served sync.WaitGroup
}

// Proxy listens on an address of this machine, such as 127.0.0.1:0, and forwards commands to the Redis at address.
// listen must be a loopback address, because every client can move the clock.
func (d Dialer) Proxy(listen, network, address string) (*Proxy, error) {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("redisclock: %q: want a loopback address such as 127.0.0.1:0, because all "+
			"clients can move the clock", listen)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("redisclock: %w", err)
	}
	p := &Proxy{dialer: d, network: network, address: address, listener: l, open: map[net.Conn]bool{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.served.Go(p.accept)
	return p, nil
}

// Addr returns the address on which the proxy listens, as HOST:PORT.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close stops listening, closes all connections, and waits for their goroutines.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.cancel()
	p.mu.Lock()
	for c := range p.open {
		c.Close()
	}
	p.open = nil
	p.mu.Unlock()
	p.served.Wait()
	return err
}

// keep registers c, so that Close closes it. It returns false if the proxy is already closed.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		c.Close()
		return false
	}
	p.open[c] = true
	return true
}

// end closes c.
func (p *Proxy) end(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
	c.Close()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.keep(client) {
			p.served.Go(func() { p.serve(client) })
		}
	}
}

// serve forwards the traffic of one client. A client that closes its sending side still gets all replies.
func (p *Proxy) serve(client net.Conn) {
	defer p.end(client)
	opened, err := p.dialer.DialContext(p.ctx, p.network, p.address)
	if err != nil {
		fmt.Fprintf(client, "-ERR redisclock: the server cannot be reached: %v\r\n", err)
		return
	}
	server := opened.(*conn)
	server.names = true
	if !p.keep(server) {
		return
	}
	p.served.Go(func() {
		io.Copy(server, client) // the client knows or is told why the copy ended
		server.finish()
	})
	io.Copy(client, server)
	p.end(server)
}
