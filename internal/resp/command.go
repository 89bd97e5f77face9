package resp

import (
	"bytes"
	"strconv"
)

// mostArguments is how many arguments of one command a server takes.
const mostArguments = 1 << 20

// AppendCommand writes a command: an array of texts.
func AppendCommand[T ~string | ~[]byte](dst []byte, args ...T) []byte {
	dst = AppendHeader(dst, '*', len(args))
	for _, arg := range args {
		dst = AppendText(dst, arg)
	}
	return dst
}

// AppendText writes one argument.
func AppendText[T ~string | ~[]byte](dst []byte, text T) []byte {
	dst = AppendHeader(dst, '$', len(text))
	dst = append(dst, text...)
	return append(dst, '\r', '\n')
}

// AppendHeader writes the line that begins an array (*) or a text ($) of that length.
func AppendHeader(dst []byte, kind byte, n int) []byte {
	dst = strconv.AppendInt(append(dst, kind), int64(n), 10)
	return append(dst, '\r', '\n')
}

// Command reads one command, and gives what follows it. ErrShort is the error where its end is missing, a
// *ProtocolError where it is none.
func Command(data []byte) (args []string, rest []byte, err error) {
	n, rest, err := announced(data, '*', 1, mostArguments)
	if err != nil {
		return nil, nil, err
	}
	for range n {
		var size int
		if size, rest, err = announced(rest, '$', 0, MostText); err != nil {
			return nil, nil, err
		}
		if len(rest)-len("\r\n") < size {
			return nil, nil, ErrShort
		}
		args = append(args, string(rest[:size]))
		rest = rest[size+2:]
	}
	return args, rest, nil
}

// announced reads the number of a line such as "*3\r\n".
func announced(data []byte, kind byte, least, most int) (n int, rest []byte, err error) {
	line, rest, whole := bytes.Cut(data, []byte("\r\n"))
	if !whole {
		return 0, nil, ErrShort
	}
	if len(line) > 0 && line[0] == kind {
		n, err = strconv.Atoi(string(line[1:]))
	}
	if err != nil || len(line) < 2 || line[0] != kind || n < least || n > most {
		return 0, nil, refuse("%.60q, which begins no command", line)
	}
	return n, rest, nil
}
