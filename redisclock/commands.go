package redisclock

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

// passes are commands that are sent unchanged, since they neither return nor use time, nor read single keys. If only
// some subcommands are passed, the value lists them.
var passes = map[string]string{
	"HELLO": "", "AUTH": "", "SELECT": "", "PING": "", "ECHO": "", "QUIT": "", "INFO": "", "COMMAND": "",
	"READONLY": "", "READWRITE": "", "FLUSHDB": "", "FLUSHALL": "", "PUBLISH": "", "CONFIG": "GET",
	"CLIENT": "SETINFO SETNAME GETNAME ID INFO LIST NO-EVICT NO-TOUCH",
	"MULTI":  "", "EXEC": "", "DISCARD": "",
}

// ClockCommand is the command by which clients control the clock: RATELAB.CLOCK GET, SET and ADVANCE, in microseconds.
const ClockCommand = "RATELAB.CLOCK"

// transaction holds the commands that a client has queued since MULTI. They are sent together with EXEC, because they
// take place at that time.
type transaction struct {
	open, spoilt bool
	commands     [][]string
}

// command reads a command in RESP. Unlike a server, it refuses inline commands, because any web page can send an HTTP
// request here, whose lines would be commands.
func command(data []byte) (args []string, rest []byte, err error) {
	if data[0] != '*' {
		line, _, _ := bytes.Cut(data, []byte("\n"))
		return nil, nil, resp.Refuse("%.60q; want commands in RESP, which begin with *", line)
	}
	return resp.Command(data)
}

// take handles a client's next command.
func (c *conn) take(args []string) {
	name := strings.ToUpper(args[0])
	switch {
	case name == "HELLO" && len(args) > 1 && args[1] == "3":
		c.answer("-NOPROTO redisclock speaks RESP2\r\n")
	case name == "RESET":
		c.transaction, c.db.number = transaction{}, "0"
		c.send(args, fate{})
	case c.open:
		c.within(name, args)
	case name == ClockCommand:
		c.answer(c.clock.steer(args[1:]))
	case name == "MULTI" && len(args) == 1:
		c.transaction = transaction{open: true}
		c.answer("+OK\r\n")
	default:
		sent, timeless := c.pass(name, args)
		if !timeless {
			sent = c.clock.hook.Rewrite(c.instant(), args)
		}
		c.send(sent, fate{})
	}
}

// sweep deletes the keys with a deadline before ARGV[1], which is in ms. It ignores deadlines in real time.
var sweep = fmt.Sprintf(`for _, key in ipairs(redis.call('KEYS', '*')) do
local at = redis.call('PEXPIRETIME', key)
if at >= %d and at < tonumber(ARGV[1]) then redis.call('DEL', key) end
end`, int64(virtualtime.SharedOffsetMS))

// instant returns the time for the next command. If the clock has stepped back, it first deletes the keys that had
// expired before.
func (c *conn) instant() int64 {
	now, after := c.clock.instant(c.db)
	if after > 0 {
		c.send([]string{"EVAL", sweep, "0", strconv.FormatInt(after/1000+virtualtime.SharedOffsetMS, 10)},
			fate{drop: true})
	}
	return now
}

// within handles a command inside a transaction, or the command that ends it.
func (c *conn) within(name string, args []string) {
	switch {
	case name == "QUIT":
		c.send(args, fate{})
	case name == "MULTI":
		c.answer("-ERR MULTI calls can not be nested\r\n")
	case name == ClockCommand || name == "SELECT":
		c.spoilt = true
		c.answer("-ERR " + name + " inside a transaction, which takes place at one time on one database\r\n")
	case name == "DISCARD" && len(args) == 1:
		c.transaction = transaction{}
		c.answer("+OK\r\n")
	case name == "EXEC" && len(args) == 1 && c.spoilt:
		c.transaction = transaction{}
		c.answer("-EXECABORT Transaction discarded because of previous errors.\r\n")
	case name == "EXEC" && len(args) == 1:
		now := c.instant()
		c.send([]string{"MULTI"}, fate{drop: true})
		for _, queued := range c.commands {
			sent, timeless := c.pass(strings.ToUpper(queued[0]), queued)
			if !timeless {
				sent = c.clock.hook.Rewrite(now, queued)
			}
			c.send(sent, fate{drop: true})
		}
		c.send(args, fate{})
		c.transaction = transaction{}
	default:
		if sent, timeless := c.pass(name, args); timeless && sent[0] != args[0] {
			c.refuse(sent)
		} else if !timeless && !virtualtime.Knows(name) {
			c.refuse(virtualtime.Unknown(args[0]))
		} else {
			c.commands = append(c.commands, args)
			c.answer("+QUEUED\r\n")
		}
	}
}

// refuse lets the server refuse a command of a transaction. Its EXEC then does nothing, as on a server.
func (c *conn) refuse(with []string) {
	c.spoilt = true
	c.send(with, fate{})
}

// pass returns the command to send unchanged. For a subcommand that is not allowed it returns a refusal.
func (c *conn) pass(name string, args []string) (sent []string, timeless bool) {
	only, timeless := passes[name]
	switch {
	case only != "" && len(args) > 1 && !slices.Contains(strings.Fields(only), strings.ToUpper(args[1])):
		return virtualtime.Unknown(name + " " + args[1]), true
	case name == "SELECT" && len(args) == 2:
		c.db.number = args[1]
	}
	return args, timeless
}

// steer sets, advances or returns the clock's time. It returns the reply.
func (c *Clock) steer(args []string) string {
	const want = "-ERR want " + ClockCommand + " GET, SET <µs since 1970> or ADVANCE <µs>\r\n"
	verb := ""
	if len(args) > 0 {
		verb = strings.ToUpper(args[0])
	}
	if verb == "GET" && len(args) == 1 {
		return fmt.Sprintf(":%d\r\n", c.Now().UnixMicro())
	}
	if verb != "SET" && verb != "ADVANCE" || len(args) != 2 {
		return want
	}
	us, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return want
	}
	now, err := c.move(func(now time.Time) time.Time {
		if verb == "SET" {
			return time.UnixMicro(us)
		}
		return time.UnixMicro(now.UnixMicro() + us).Add(time.Duration(now.Nanosecond() % 1000))
	})
	switch {
	case err != nil:
		return "-ERR " + err.Error() + "\r\n"
	case verb == "SET":
		return "+OK\r\n"
	}
	return fmt.Sprintf(":%d\r\n", now.UnixMicro())
}
