package accesslog

import (
	"bytes"
	"net/netip"
)

// isAddress reports whether b is an IP address. Text of digits and three points is taken for one: the clients of most
// logs are such, and netip would allocate for each.
func isAddress(b []byte) bool {
	points, colons := 0, 0
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
		case c == '.':
			points++
		case c == ':':
			colons++
		case 'a' <= c|' ' && c|' ' <= 'f' && len(b) > 2: // of an IPv6 address
		default:
			return false
		}
	}
	if colons == 0 {
		return points == 3 && len(b) <= len("255.255.255.255") && b[0] != '.'
	}
	_, err := netip.ParseAddr(string(b))
	return err == nil
}

// address is the address that b begins with: its port and brackets and the rest of a list are left off. It is nil where
// b is something else.
func address(b []byte) []byte {
	b, _, _ = bytes.Cut(b, []byte{','})
	b = bytes.TrimSpace(b)
	if isAddress(b) {
		return b
	}
	host, port, closed := bytes.Cut(b, []byte("]"))
	if host, opened := bytes.CutPrefix(host, []byte("[")); opened && closed && isAddress(host) &&
		(len(port) == 0 || isPort(port)) {
		return host
	}
	if i := bytes.LastIndexByte(b, ':'); i > 0 && isPort(b[i:]) && isAddress(b[:i]) {
		return b[:i]
	}
	return nil
}

// isPort reports whether b is a colon and digits.
func isPort(b []byte) bool { return len(b) > 1 && b[0] == ':' && digits(b[1:]) >= 0 }

// client finds the client in the text before a line's time. Containers, syslog and Apache's vhost_combined write other
// words before it: the client is the first address after the last word that ends in a colon. In a log without addresses
// it is the first word there. before is the word at the line's start where that is not the client, and after is what
// follows the client. The client is nil where that word is a time or a name with a port.
func client(text []byte) (before, client, after []byte) {
	text = bytes.TrimLeft(text, " ")
	first, rest, _ := bytes.Cut(text, []byte{' '})
	if isAddress(first) && !bytes.Contains(rest, []byte(": ")) {
		return nil, first, rest
	}
	from := text
	for words := text; len(words) > 0; {
		var word []byte
		word, words, _ = bytes.Cut(words, []byte{' '})
		if bytes.HasSuffix(word, []byte{':'}) && !isAddress(word) {
			from = bytes.TrimLeft(words, " ")
		}
	}
	for words := from; len(words) > 0 && client == nil; {
		var word []byte
		list := words
		if word, words, _ = bytes.Cut(words, []byte{' '}); address(word) != nil {
			for bytes.HasSuffix(word, []byte{','}) {
				word, words, _ = bytes.Cut(words, []byte{' '})
			}
			client, after = bytes.TrimRight(list[:len(list)-len(words)], " "), words
		}
	}
	if client == nil && isAddress(first) { // a user's name ends in a colon
		return nil, first, rest
	}
	if client == nil {
		if client, after, _ = bytes.Cut(from, []byte{' '}); !isName(client) {
			return nil, nil, nil
		}
	}
	if len(from) < len(text) || len(client) > 0 && &client[0] != &text[0] {
		before = first
	}
	return before, client, after
}

// isName reports whether b may name a client: it is no name with a port, and no time.
func isName(b []byte) bool {
	if i := bytes.LastIndexByte(b, ':'); len(b) == 0 || i >= 0 && isPort(b[i:]) {
		return false
	}
	_, ok := new(stamps).iso(b)
	return !ok
}
