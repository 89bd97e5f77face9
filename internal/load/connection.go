package load

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
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

// Call sends one EVALSHA and reads its reply. A first request for a key is preceded by the key's init, which does not
// count. A request before the start is a rehearsal: it asks for nothing, which wakes up the connection and the server,
// and its outcome has no decision.
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
	if t.program.Init != nil {
		if o.Aside, err = c.meet(q.Key); err != nil {
			return o, err
		}
	}
	v := script.Vars{Key: q.Key, Cost: q.Cost, NowUS: t.nowUS(t.clock.Now()) + q.ClientSkewUS,
		ID: t.ids.Add(1)}
	c.out, c.scratch = t.decide.append(c.out[:0], c.scratch, v)
	reply, err := c.socket.Exchange(&o, c.out)
	if err == nil {
		o.Decision, err = t.decision(reply, v.NowUS)
	}
	return o, err
}

// nowUS is what a script is told.
func (t *Target) nowUS(now time.Duration) int64 {
	return t.clock.Origin.UnixMicro() + now.Microseconds()
}

// meet calls init for a key, once for all connections, and says how long this or the wait for it took.
func (c *Connection) meet(key string) (time.Duration, error) {
	t := c.target
	began := t.clock.Now()
	once, known := t.inits.Load(key)
	if !known {
		once, _ = t.inits.LoadOrStore(strings.Clone(key), sync.OnceValue(func() error {
			t.initCalls.Add(1)
			c.out, c.scratch = t.init.append(c.out[:0], c.scratch,
				script.Vars{Key: key, Cost: 1, NowUS: t.nowUS(began), ID: t.ids.Add(1)})
			reply, err := c.socket.Exchange(&Outcome{}, c.out)
			if err = cmp.Or(err, refusal(reply)); err != nil {
				return fmt.Errorf("init: %w", err)
			}
			return nil
		}))
	}
	err := once.(func() error)()
	return t.clock.Now() - began, err
}
