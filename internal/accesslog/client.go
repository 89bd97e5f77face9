package accesslog

import (
	"bytes"
	"net/netip"
)

// isAddress reports whether b is an IP address. It accepts all texts of digits with three points, without checking the
// numbers: most logs have such clients, and netip would allocate memory for each.
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

// address returns the address at the beginning of b, without a port, brackets or the rest of a list. It returns nil if
// b does not begin with an address.
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
// words before the client. So the client is the first address after the last word that ends in a colon. If the text has
// no address, the client is the first word after that colon. It is nil if that word is a time or a name with a port.
// before is the first word of the line if it is not the client. after is the text after the client.
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
	if client == nil && isAddress(first) { // the last word with a colon was a user's name
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

// cutByte is bytes.Cut for one byte, but faster. after is nil if b does not contain c.
func cutByte(b []byte, c byte) (before, after []byte) {
	if i := bytes.IndexByte(b, c); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}
