package traffic

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"

	"ratelab/internal/message"
)

// combinedLog reads Apache's and nginx's access logs:
//
//	client ident user [17/May/2015:10:05:03 +0000] "GET /path HTTP/1.1" 200 203023 "referer" "agent"
//
// or without the last two fields (the common log), and with a virtual host before the client, as Apache's
// vhost_combined has it.
type combinedLog struct {
	hosts int64 // lines that begin with a virtual host

	// of a line; host is nil where it does not begin with a virtual host, and tail is what follows the request: status,
	// bytes, referer, agent
	host, client, user, time, request, tail []byte
}

func (c *combinedLog) has(string) bool { return false }

// column finds a field; that of the time is −1.
func (c *combinedLog) column(name string) (int, error) { return slices.Index(CombinedKeys, name), nil }

func (c *combinedLog) cut(line []byte) error {
	if !c.take(line) || len(c.tail) < 3 || digits(c.tail[:3]) < 0 || len(c.tail) > 3 && c.tail[3] != ' ' {
		return fmt.Errorf(`%s: not a line of a combined log; want: client ident user [time] "request" status bytes`,
			message.Quote(line))
	}
	if c.host != nil {
		c.hosts++
	}
	return nil
}

// take cuts a line. The user may contain blanks, and quotes inside the request are escaped with a backslash by Apache
// and as \x22 by nginx.
func (c *combinedLog) take(line []byte) (ok bool) {
	who, rest, ok1 := bytes.Cut(line, []byte(" ["))
	time, rest, ok2 := bytes.Cut(rest, []byte("] \""))
	end := closingQuote(rest)
	if !ok1 || !ok2 || end < 0 || bytes.IndexByte(time, ']') >= 0 {
		return false
	}
	c.time, c.request, c.tail = time, rest[:end], bytes.TrimLeft(rest[end+1:], " ")
	c.host = nil
	c.client, who, ok1 = bytes.Cut(who, []byte{' '})
	ident, user, ok2 := bytes.Cut(who, []byte{' '})
	if ok2 && isAddress(ident) && !isAddress(c.client) {
		c.host, c.client = c.client, ident
		_, user, ok2 = bytes.Cut(user, []byte{' '})
	}
	c.user = user
	return ok1 && ok2 && len(c.client) > 0
}

// isAddress reports whether a field is an IP address. An ident, which is mostly a dash, is told quickly.
func isAddress(b []byte) bool {
	if len(b) < len("::1") {
		return false
	}
	_, err := netip.ParseAddr(string(b))
	return err == nil
}

// closingQuote finds the first quote that no backslash escapes, or gives −1.
func closingQuote(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

func (c *combinedLog) value(column int) ([]byte, error) {
	if column < 0 {
		return c.time, nil
	}
	switch CombinedKeys[column] {
	case "client":
		return c.client, nil
	case "host":
		return orDash(c.host), nil
	case "user":
		return c.user, nil
	case "method":
		method, _, _ := bytes.Cut(c.request, []byte{' '})
		return orDash(method), nil
	case "path":
		_, rest, _ := bytes.Cut(c.request, []byte{' '})
		target, _, _ := bytes.Cut(rest, []byte{' '})
		path, _, _ := bytes.Cut(target, []byte{'?'}) // a limit is for what is asked for, not for how
		return orDash(path), nil
	case "status":
		return c.tail[:3], nil
	default: // agent
		_, rest, _ := quoted(c.tail)
		agent, _, ok := quoted(rest)
		if !ok {
			return nil, fmt.Errorf("%s: the line has no agent; want a combined log, or another key",
				message.Quote(c.tail))
		}
		return orDash(agent), nil
	}
}

// orDash is what the servers write for something absent, as in the request of a connection that sent none.
func orDash(b []byte) []byte {
	if len(b) == 0 {
		return []byte{'-'}
	}
	return b
}

// quoted takes the next field in quotes off b.
func quoted(b []byte) (field, rest []byte, ok bool) {
	_, b, ok = bytes.Cut(b, []byte{'"'})
	end := closingQuote(b)
	if !ok || end < 0 {
		return nil, nil, false
	}
	return b[:end], b[end+1:], true
}
