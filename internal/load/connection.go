package load

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// Connection calls a Target's program over a Socket of its own. It is not safe for concurrent use.
type Connection struct {
	target       *Target
	socket       *Socket
	out, scratch []byte
}

// Outcome is what a Call saw. Its instants are those of the run's clock.
type Outcome struct {
	Decision limit.Decision
	Written  time.Duration // the instant before the request went into the socket
	Replied  time.Duration // the instant after its reply was read from the socket, before it was decoded

	// Aside is what the Call did before Written that is no part of the decision, such as initialising a key: it counts
	// neither as wait nor in the response.
	Aside time.Duration

	BytesWritten, BytesRead int // on the connection, by the decision alone; without TLS's and TCP's own
}

// Call sends one EVALSHA and reads its reply. A first request for a key is preceded by the key's init and, on a
// server that is not ours, followed by a PEXPIRE, neither of which counts. A request before the start is a rehearsal:
// it asks for nothing, which wakes up the connection and the server, and its outcome has no decision.
func (c *Connection) Call(q limit.Request) (o Outcome, err error) {
	if q.AtUS < 0 {
		reply, err := c.socket.Exchange(&o, ping)
		return o, cmp.Or(err, refusal(reply))
	}
	if o, err = c.call(q); err != nil {
		err = fmt.Errorf("request at %dµs, key %s, cost %d: %w", q.AtUS, message.Quote(q.Key), q.Cost, err)
	}
	return o, err
}

func (c *Connection) call(q limit.Request) (o Outcome, err error) {
	t := c.target
	var s *sight // nil: there is nothing to be done for the key but to decide
	if t.server.Given || t.program.Init != nil {
		if s = t.sight(q.Key); s.settled.Load() {
			s = nil
		} else if o.Aside, err = c.meet(q.Key, s); err != nil {
			return o, err
		}
	}
	v := script.Vars{Key: q.Key, Cost: q.Cost, NowUS: t.nowUS(t.clock.Now()) + q.ClientSkewUS}
	c.out, c.scratch = t.decide.append(c.out[:0], c.scratch, v)
	reply, err := c.socket.Exchange(&o, c.out)
	if err != nil {
		return o, err
	}
	if o.Decision, err = t.decision(reply); err != nil || s == nil {
		return o, err
	}
	s.settled.Store(!t.wander || !t.server.Given)
	return o, c.expire(v)
}

// nowUS is what a script is told.
func (t *Target) nowUS(now time.Duration) int64 {
	return t.clock.Origin.UnixMicro() + now.Microseconds()
}

// meet calls init for a key, once for all connections, and says how long this or the wait for it took.
func (c *Connection) meet(key string, s *sight) (time.Duration, error) {
	t := c.target
	began := t.clock.Now()
	s.once.Do(func() {
		if t.program.Init == nil {
			return
		}
		t.initCalls.Add(1)
		c.out, c.scratch = t.init.append(c.out[:0], c.scratch, script.Vars{Key: key, Cost: 1, NowUS: t.nowUS(began)})
		if err := c.aside(); err != nil {
			s.err = fmt.Errorf("init: %w", err)
		}
	})
	return t.clock.Now() - began, s.err
}

// expire gives a TTL to the keys of a call that have none, on a server that is not ours. A script that takes it away
// again at every call, by a plain SET, keeps its keys until the run's end.
func (c *Connection) expire(v script.Vars) error {
	t := c.target
	for i := 0; i < len(t.keys) && t.server.Given; i++ {
		name := string(t.keys[i].Append(nil, v))
		t.mu.Lock()
		known := t.expires[name]
		t.expires[name] = true
		t.mu.Unlock()
		if known {
			continue
		}
		c.out = resp.AppendCommand(c.out[:0], "PEXPIRE", name, strconv.FormatInt(givenTTL.Milliseconds(), 10), "NX")
		if err := c.aside(); err != nil {
			return err
		}
	}
	return nil
}

// aside sends what has been appended, beside the calls that are measured.
func (c *Connection) aside() error {
	reply, err := c.socket.Exchange(&Outcome{}, c.out)
	return cmp.Or(err, refusal(reply))
}
