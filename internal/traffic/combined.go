package traffic

import (
	"bytes"
	"fmt"
	"net/netip"

	"ratelab/internal/message"
)

// combinedLog reads Apache's and nginx's access logs:
//
//	client ident user [17/May/2015:10:05:03 +0000] "GET /path HTTP/1.1" 200 203023 "referer" "agent"
//
// or without the last two fields (the common log), and with a virtual host before the client, as Apache's
// vhost_combined has it.
type combinedLog struct {
	keys   []string
	hosts  int64 // lines that begin with a virtual host
	joiner joiner
	stamps stamps
}

func newCombined(t Trace) *combinedLog {
	keys := combinedKeys(t.Key)
	if len(keys) == 0 {
		keys = []string{"client"}
	}
	return &combinedLog{keys: keys, stamps: stamps{style: apacheStyle}}
}

// combinedKeys are the fields that a key is made of; none where it is left out.
func combinedKeys(key string) []string { return parts(key, func(string) bool { return false }) }

// combinedParts are the pieces of a line; host is empty where it does not begin with a virtual host, and tail is what
// follows the request: status, bytes, referer, agent.
type combinedParts struct{ host, client, user, time, request, tail []byte }

// splitCombined cuts a line. The user may contain blanks, and quotes inside the request are escaped with a
// backslash by Apache and as \x22 by nginx.
func splitCombined(line []byte) (p combinedParts, ok bool) {
	open := bytes.Index(line, []byte(" ["))
	if open < 0 {
		return p, false
	}
	who, rest := line[:open], line[open+2:]
	end := bytes.IndexByte(rest, ']')
	if end < 0 || !bytes.HasPrefix(rest[end:], []byte(`] "`)) {
		return p, false
	}
	p.time, rest = rest[:end], rest[end+3:]
	end = closingQuote(rest)
	if end < 0 {
		return p, false
	}
	p.request, p.tail = rest[:end], bytes.TrimLeft(rest[end+1:], " ")
	var identAndUser []byte
	p.client, identAndUser, ok = bytes.Cut(who, []byte{' '})
	if !ok || len(p.client) == 0 {
		return p, false
	}
	ident, user, ok := bytes.Cut(identAndUser, []byte{' '})
	if ok && isAddress(ident) && !isAddress(p.client) {
		p.host, p.client = p.client, ident
		_, user, ok = bytes.Cut(user, []byte{' '})
	}
	p.user = user
	return p, ok
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

// record implements format.
func (c *combinedLog) record(line []byte) (record, error) {
	p, ok := splitCombined(line)
	if !ok || !startsWithStatus(p.tail) {
		return record{}, fmt.Errorf(`%s: not a line of a combined log; want: client ident user [time] "request" status bytes`, message.Quote(line))
	}
	if p.host != nil {
		c.hosts++
	}
	at, err := c.stamps.parse(p.time)
	if err != nil {
		return record{}, err
	}
	key, err := c.joiner.join(len(c.keys), func(i int) ([]byte, error) { return field(c.keys[i], p) })
	if err != nil {
		return record{}, err
	}
	return record{at: at, key: key, cost: 1}, checkKey(key)
}

func startsWithStatus(tail []byte) bool {
	return len(tail) >= 3 && isDigits(tail[:3]) && (len(tail) == 3 || tail[3] == ' ')
}

// field is one of CombinedKeys of a line.
func field(name string, p combinedParts) ([]byte, error) {
	switch name {
	case "client":
		return p.client, nil
	case "host":
		return orDash(p.host), nil
	case "user":
		return p.user, nil
	case "method":
		method, _, _ := bytes.Cut(p.request, []byte{' '})
		return orDash(method), nil
	case "path":
		_, rest, _ := bytes.Cut(p.request, []byte{' '})
		target, _, _ := bytes.Cut(rest, []byte{' '})
		path, _, _ := bytes.Cut(target, []byte{'?'}) // a limit is for what is asked for, not for how
		return orDash(path), nil
	case "status":
		return p.tail[:3], nil
	default: // agent
		return agentOf(p.tail)
	}
}

// orDash is what the servers write for something absent, as in the request of a connection that sent none.
func orDash(b []byte) []byte {
	if len(b) == 0 {
		return []byte{'-'}
	}
	return b
}

// agentOf takes the second quoted field after status and bytes.
func agentOf(tail []byte) ([]byte, error) {
	quoted := func(b []byte) (field, rest []byte, ok bool) {
		_, b, ok = bytes.Cut(b, []byte{'"'})
		end := closingQuote(b)
		if !ok || end < 0 {
			return nil, nil, false
		}
		return b[:end], b[end+1:], true
	}
	_, rest, ok := quoted(tail)
	if ok {
		var agent []byte
		if agent, _, ok = quoted(rest); ok {
			return orDash(agent), nil
		}
	}
	return nil, fmt.Errorf("%s: the line has no agent; want a combined log, or another key", message.Quote(tail))
}

// notes implements format.
func (c *combinedLog) notes() []string {
	if c.hosts == 0 {
		return nil
	}
	return []string{message.Count(c.hosts, "line") + " begin with a virtual host; the client is the field after it, " +
		"and the host a field named host"}
}
