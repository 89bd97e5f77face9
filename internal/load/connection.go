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

// Connection calls the program of a Target over its own Socket. It is not safe for concurrent use.
type Connection struct {
	target       *Target
	socket       *Socket
	out, scratch []byte
}

// Outcome is the result of a Call. Its instants are on the run's clock.
type Outcome struct {
	Decision limit.Decision
	Written  time.Duration // the instant before the request went into the socket
	Replied  time.Duration // the instant after its reply was read from the socket, before it was decoded

	// Aside is the time that the Call spent before Written on something other than the decision, such as initialising a
	// key. It counts neither as wait nor as response time.
	Aside time.Duration

	BytesWritten, BytesRead int // for the decision only; without the overhead of TLS and TCP
}

// Call sends one EVALSHA and reads its reply. The first request for a key is preceded by the key's init, which is not
// measured. A request before the start is a rehearsal: a PING that wakes up the connection and the server. Its outcome
// has no decision.
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

// nowUS returns an instant as the script's argument: µs since 1970.
func (t *Target) nowUS(now time.Duration) int64 {
	return t.clock.Origin.UnixMicro() + now.Microseconds()
}

// meet calls init for a key, once for all connections. It returns how long the call took, or the wait for another
// connection's call.
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
