package accesslog

import (
	"bytes"
	"fmt"
	"slices"

	"ratelab/internal/message"
)

// Combined is the combined log of Apache and nginx, or the common log, which lacks its last two fields.
const Combined Format = "combined"

// CombinedKeys are the fields of a combined log that can be the key.
var CombinedKeys = []string{"client", "user", "method", "path", "status", "host", "agent", "forwarded"}

var _ = register(layout{
	name:  Combined,
	fixed: true,
	fits: func(first []byte) bool {
		return first[0] != '{' && !bytes.HasPrefix(first, fieldsOf) && new(combinedLog).take(first)
	},
	check: func(t Trace) problems {
		var p problems
		if t.Key != NoKey {
			if _, err := (&fields{format: &combinedLog{}}).columns("key", t.Key); err != nil {
				p.bad("key", "%s", err.(*FieldError).Problem)
			}
		}
		if name, layout := splitLayout(t.Time); name != "" && (name != "time" || layout == nil) {
			p.bad("time", "%s: a combined log has its own time; leave the field out, or name its "+
				"layout: time:%%d.%%m.%%Y %%H:%%M:%%S", message.Quote(t.Time))
		}
		if t.Cost != "" {
			p.bad("cost", "%s: a combined log has no cost; leave the field out", message.Quote(t.Cost))
		}
		return p
	},
	open: func([]byte) (format, error) { return &combinedLog{}, nil },
})

// combinedLog reads the access logs of Apache and nginx:
//
//	client ident user [17/May/2015:10:05:03 +0000] "GET /path HTTP/1.1" 200 203023 "referer" "agent"
//
// The last two fields may be absent (the common log), and other fields may follow them, the first of which is
// X-Forwarded-For. All formats of times are accepted. One field may precede the request, and other words may precede
// the client.
type combinedLog struct {
	// The parts of a line. before is its first word if that is not the client. tail is the text after the request:
	// status, bytes, referer, agent.
	before, client, user, time, request, tail []byte
}

func (c *combinedLog) names() []string { return append([]string{"time"}, CombinedKeys...) }

func (c *combinedLog) column(name string) (column, error) {
	if !slices.Contains(c.names(), name) {
		return nil, fmt.Errorf("%s is not a field of a combined log; %s, or several joined by +", message.Quote(name),
			message.OneOf(name, CombinedKeys))
	}
	return func() ([]byte, error) { return c.value(name) }, nil
}

func (c *combinedLog) cut(line []byte) (before []byte, err error) {
	if !c.take(line) {
		return nil, fmt.Errorf(`%s: not a line of a combined log; want: client ident user [time] "request" status bytes`,
			message.Quote(line))
	}
	if c.client == nil {
		return nil, fmt.Errorf("%s: no client; want an address before the time, or a template such as "+
			"--trace-format %s", message.Quote(line), exampleTemplate)
	}
	return c.before, nil
}

// take splits a line into its parts and reports whether it fits. The user may contain blanks. Quotes inside the request
// are escaped with a backslash by Apache and as \x22 by nginx.
func (c *combinedLog) take(line []byte) bool {
	who, time, rest := bracketed(line)
	if !bytes.HasPrefix(rest, []byte{'"'}) {
		_, rest = cutByte(rest, ' ')
	}
	if !bytes.HasPrefix(rest, []byte{'"'}) {
		return false
	}
	rest = rest[1:]
	end := closingQuote(rest)
	if end < 0 {
		return false
	}
	c.time, c.request, c.tail = time, rest[:end], bytes.TrimLeft(rest[end+1:], " ")
	c.before, c.client, who = client(who)
	_, c.user = cutByte(who, ' ')
	status, _ := cutByte(c.tail, ' ')
	return len(status) == 3 && digits(status) >= 0 || string(status) == "-"
}

// bracketed finds the time in brackets, and the text before and after it. It skips addresses in brackets.
func bracketed(line []byte) (before, time, after []byte) {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '[')
		if i < 0 {
			return nil, nil, nil
		}
		from += i + 1
		end := from + bytes.IndexByte(line[from:], ']')
		if from < 2 || line[from-2] != ' ' || end <= from || end+1 >= len(line) || line[end+1] != ' ' {
			continue
		}
		if time = line[from:end]; digits(time[:1]) >= 0 && !isAddress(time) {
			return line[:from-2], time, line[end+2:]
		}
	}
}

// closingQuote returns the index of the first quote without a backslash before it, or −1.
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

func (c *combinedLog) value(name string) ([]byte, error) {
	switch name {
	case "time":
		return c.time, nil
	case "client":
		return c.client, nil
	case "host":
		return orDash(c.before), nil
	case "user":
		return c.user, nil
	case "method", "path":
		return requestPart(c.request, name), nil
	case "status":
		status, _ := cutByte(c.tail, ' ')
		return status, nil
	default:
		field, ok := c.quoted(name)
		if !ok {
			return nil, fmt.Errorf("%s: the line has no %s; want a combined log, or another key", message.Quote(c.tail),
				name)
		}
		return orDash(field), nil
	}
}

// quoted returns the field in quotes after the referer that has the name: agent or forwarded.
func (c *combinedLog) quoted(name string) (field []byte, ok bool) {
	tail, ok := c.tail, true
	for i := slices.Index(CombinedKeys, "agent"); i <= slices.Index(CombinedKeys, name)+1 && ok; i++ {
		field, tail, ok = quoted(tail)
	}
	return field, ok
}

// requestPart returns the method or the path of a request such as GET /path?query HTTP/1.1.
func requestPart(request []byte, name string) []byte {
	method, rest := cutByte(request, ' ')
	if name == "method" {
		return orDash(method)
	}
	target, _ := cutByte(rest, ' ')
	path, _ := cutByte(target, '?') // limits apply to the path, whatever the query
	return orDash(path)
}

// orDash returns b, or - if b is empty. Servers write - for an absent value.
func orDash(b []byte) []byte {
	if len(b) == 0 {
		return []byte{'-'}
	}
	return b
}

// quoted returns the next field in quotes and the text after it.
func quoted(b []byte) (field, rest []byte, ok bool) {
	_, b = cutByte(b, '"')
	end := closingQuote(b)
	if end < 0 {
		return nil, nil, false
	}
	return b[:end], b[end+1:], true
}
