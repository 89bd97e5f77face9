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
	b, _ = cutByte(b, ',')
	b = bytes.TrimSpace(b)
	if isAddress(b) {
		return b
	}
	if bytes.HasPrefix(b, []byte{'['}) {
		host, port := cutByte(b[1:], ']')
		if port != nil && isAddress(host) && (len(port) == 0 || isPort(port)) {
			return host
		}
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
	first, rest := cutByte(text, ' ')
	if isAddress(first) && !bytes.Contains(rest, []byte(": ")) {
		return nil, first, rest
	}
	from := text
	for words := text; len(words) > 0; {
		var word []byte
		word, words = cutByte(words, ' ')
		if bytes.HasSuffix(word, []byte{':'}) && !isAddress(word) {
			from = bytes.TrimLeft(words, " ")
		}
	}
	for words := from; len(words) > 0 && client == nil; {
		var word []byte
		list := words
		if word, words = cutByte(words, ' '); address(word) != nil {
			for bytes.HasSuffix(word, []byte{','}) {
				word, words = cutByte(words, ' ')
			}
			client, after = bytes.TrimRight(list[:len(list)-len(words)], " "), words
		}
	}
	if client == nil && isAddress(first) { // a user's name ends in a colon
		return nil, first, rest
	}
	if client == nil {
		client, after = cutByte(from, ' ')
		colon := bytes.LastIndexByte(client, ':')
		if _, dated := new(stamps).iso(client); len(client) == 0 || dated || colon >= 0 && isPort(client[colon:]) {
			return nil, nil, nil
		}
	}
	if len(from) < len(text) || len(client) > 0 && &client[0] != &text[0] {
		before = first
	}
	return before, client, after
}

// cutByte is bytes.Cut for one byte, in less time. Without c after is nil.
func cutByte(b []byte, c byte) (before, after []byte) {
	if i := bytes.IndexByte(b, c); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}
