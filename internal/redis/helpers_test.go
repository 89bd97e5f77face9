package redis

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
)

// withEnv replaces os.Getenv.
func withEnv(getenv func(string) string) Option { return func(s *settings) { s.getenv = getenv } }

// noEnv is an environment in which nothing is set.
func noEnv(string) string { return "" }

// private starts a redis-server of the test's own, or skips.
func private(t *testing.T) *Server {
	t.Helper()
	s, err := Start(t.Context(), "process")
	var none *Unavailable
	if errors.As(err, &none) {
		absent(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// absent ends a test for which there is no server: as skipped, or as failed where one is required.
func absent(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("REQUIRE_REDIS") == "1" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// viaURL is a URL of the private server's socket, with the credentials.
func viaURL(s *Server, user, password string) string {
	u := url.URL{Scheme: "unix", Path: s.target.addr}
	if password != "" {
		u.User = url.UserPassword(user, password)
	}
	return u.String()
}

// do runs a command that must succeed.
func do(t *testing.T, s *Server, words ...string) string {
	t.Helper()
	args := make([]any, len(words))
	for i, w := range words {
		args[i] = w
	}
	answer, err := s.Client.Do(t.Context(), args...).Result()
	if err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	return fmt.Sprint(answer)
}

// listen answers each connection with serve and returns the address.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); serve(conn) }()
		}
	}()
	return l.Addr().String()
}

// speaker is a Redis that answers PING, and all else as reply says.
func speaker(reply func(command []string) string) func(net.Conn) {
	return func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for {
			command, err := readCommand(r)
			if err != nil {
				return
			}
			answer := "+PONG\r\n"
			if command[0] != "PING" {
				answer = reply(command)
			}
			io.WriteString(conn, answer)
		}
	}
}

func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := readNumber(r, '*')
	if err != nil {
		return nil, err
	}
	words := make([]string, n)
	for i := range words {
		size, err := readNumber(r, '$')
		if err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(r, word); err != nil {
			return nil, err
		}
		words[i] = string(word[:size])
	}
	words[0] = strings.ToUpper(words[0])
	return words, nil
}

func readNumber(r *bufio.Reader, mark byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil || line[0] != mark {
		return 0, fmt.Errorf("want %c, got %q: %w", mark, line, err)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

// refusal starts spec, which must fail as unavailable, and returns the message.
func refusal(t *testing.T, spec string) string {
	t.Helper()
	s, err := Start(t.Context(), spec, withEnv(noEnv))
	var u *Unavailable
	if !errors.As(err, &u) {
		if s != nil {
			s.Close()
		}
		t.Fatalf("Start(%q): error %v; want an *Unavailable", spec, err)
	}
	return u.Error()
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if strings.ContainsAny(got, "\r\n") {
		t.Errorf("more than one line: %q", got)
	}
}
