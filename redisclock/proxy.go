package redisclock

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
)

// Proxy lets clients in any language use a Redis under a Clock, which all of them share. A client steers the clock with
// RATELAB.CLOCK SET <µs since 1970>, ADVANCE <µs> and GET.
type Proxy struct {
	dialer           Dialer
	network, address string
	listener         net.Listener
	ctx              context.Context // until Close
	cancel           func()

	mu     sync.Mutex
	open   map[net.Conn]bool // nil: closed
	served sync.WaitGroup
}

// Proxy listens on an address of this machine, such as 127.0.0.1:0, and passes what clients send to the Redis at
// address. Others could move the clock, so listen must be a loopback address.
func (d Dialer) Proxy(listen, network, address string) (*Proxy, error) {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("redisclock: %q: want a loopback address such as 127.0.0.1:0, since whoever "+
			"connects moves the clock", listen)
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

// Addr is where the proxy listens, as HOST:PORT.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close stops listening, ends all connections, and waits until that is done.
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

// keep has Close end c, and reports whether there has been no Close.
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

// end ends c.
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

// serve carries what one client sends and gets. A client that ends its side gets what it is owed first.
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
		io.Copy(server, client) // what ends it, the client knows or is told
		server.finish()
	})
	io.Copy(client, server)
	p.end(server)
}
