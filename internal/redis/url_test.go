package redis

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestURLsAreRead(t *testing.T) {
	for _, c := range []struct{ spec, network, addr, user, password, label, db string }{
		{"redis://localhost", "tcp", "localhost:6379", "", "", "redis://localhost:6379", "0"},
		{"redis://:pw@h:7000/3", "tcp", "h:7000", "", "pw", "redis://h:7000", "3"},
		{"redis://ann:p%2Fw@[::1]:7000?db=2", "tcp", "[::1]:7000", "ann", "p/w", "redis://[::1]:7000", "2"},
		{"rediss://ann@h", "tcp", "h:6379", "ann", "from env", "rediss://h:6379", "0"},
		{"unix:///run/r.sock?db=1&username=ann", "unix", "/run/r.sock", "ann", "from env", "unix:///run/r.sock", "1"},
		{"unix://ann:p%40w@/tmp/a@b.sock", "unix", "/tmp/a@b.sock", "ann", "p@w", "unix:///tmp/a@b.sock", "0"},
	} {
		got, err := parseURL(c.spec, func(name string) string {
			if name == "REDISCLI_AUTH" && c.password == "from env" {
				return "from env"
			}
			return ""
		})
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		fields := []string{got.network, got.addr, got.user, got.password(), got.label, fmt.Sprint(got.db)}
		want := []string{c.network, c.addr, c.user, c.password, c.label, c.db}
		if strings.Join(fields, " ") != strings.Join(want, " ") ||
			(got.tls != nil) != strings.HasPrefix(c.spec, "rediss") {
			t.Errorf("%s: got %q, want %q; TLS %v", c.spec, fields, want, got.tls != nil)
		}
	}
}

func TestBadSpecsSayWhatIsLegal(t *testing.T) {
	const unreadable = `cannot be read as a URL; in a user name or password write / as %2F, ? as %3F, # as %23, @ as %40, % as %25, or set REDIS_PASSWORD instead`
	for _, c := range []struct{ spec, want string }{
		{"localhost:6379",
			`server "localhost:6379": a scheme is missing; want redis://localhost:6379, or rediss://localhost:6379 with TLS`},
		{"process=", `server "process=": nothing after the =; want ` + Kinds},
		{"container=", `server "container=": nothing after the =; want ` + Kinds},
		{"redis://ann:12/b@h", `server "redis://…": ` + unreadable},
		{"redis://ann:12?b@h", `server "redis://…": ` + unreadable},
		{"redis://h/1?db=2", `server "redis://h:6379": the database is given twice, in the path and as db`},
		{"redis://h?db=1&db=2", `server "redis://…": db is given twice`},
		{"redis://h?a;b", `server "redis://…": the part after ? cannot be read; want name=value&name=value`},
		{"rediss://h?skip_verify=yes", `server "rediss://h:6379": skip_verify=yes; want true or false`},
		{"rediss://h?cert=a.pem", `server "rediss://h:6379": want cert and key together, or neither`},
		{"rediss://h?cacert=url_test.go",
			`server "rediss://h:6379": cacert: url_test.go holds no certificate; want PEM`},
	} {
		_, err := Start(t.Context(), c.spec, withEnv(noEnv))
		var bad *BadSpec
		if !errors.As(err, &bad) {
			t.Errorf("%q: error %v; want a *BadSpec", c.spec, err)
		} else if bad.Error() != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.spec, bad, c.want)
		}
	}
}

// TestNoPasswordInAnyError puts passwords full of a URL's own characters into every failing path: escaped, not
// escaped so that the URL falls apart, and in the environment. No piece of one may come back.
func TestNoPasswordInAnyError(t *testing.T) {
	echo := listen(t, speaker(func(command []string) string { // as Redis 5 and some proxies do
		return fmt.Sprintf("-ERR unknown command `%s`, with args beginning with: `%s`\r\n", command[0],
			strings.Join(command[1:], "` `"))
	}))
	mirror := listen(t, func(c net.Conn) { io.WriteString(c, "+PONG\r\n"); io.Copy(c, c) })
	quitter := listen(t, speaker(func([]string) string { return "?\r\n" }))
	shut := listen(t, func(net.Conn) {})
	places := []string{"redis://ann:%s@" + echo, "redis://:%s@" + echo + "/0", "redis://ann:%s@" + mirror,
		"redis://ann:%s@" + quitter,
		"redis://ann:%s@" + shut, "rediss://ann:%s@" + shut, "rediss://ann:%s@" + echo +
			"?cacert=none", "unix://ann:%s@/no/such.sock",
		"redis://ann:%s@" + shut + "?nonsense=1", "redis:/ann:%s@" + shut, "rdis://ann:%s@" + shut, "ann:%s@" + shut,
		"redis://" + shut + "?password=%s", "redis://" + shut + "?db=1&%s"}
	rapid.Check(t, func(rt *rapid.T) {
		pw := rapid.StringMatching(`[QXZJWV][QXZJWV/?#@%:&=+ ;.\\"'<>-]{6,12}[QXZJWV]`).Draw(rt, "password")
		place := rapid.SampledFrom(places).Draw(rt, "place")
		written, env := pw, noEnv
		switch rapid.SampledFrom([]string{"raw", "escaped", "environment"}).Draw(rt, "how") {
		case "escaped":
			written = url.QueryEscape(pw)
			written = strings.ReplaceAll(written, "+", "%20")
		case "environment":
			written, env = "", func(string) string { return pw }
		}
		spec := fmt.Sprintf(place, written)
		s, err := Start(t.Context(), spec, withEnv(env))
		if err == nil {
			s.Close()
			rt.Fatalf("%s was accepted", spec)
		}
		for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
			if piece := shared(text, pw); piece != "" {
				rt.Fatalf("%s:\n%s\nrepeats %q of the password %q", spec, text, piece, pw)
			}
		}
	})
}

// shared is a piece of the password, with three letters at least, that the text repeats.
func shared(text, pw string) string {
	for from := range pw {
		for to := from + 3; to <= len(pw); to++ {
			piece := pw[from:to]
			if strings.Contains(text, piece) && len(strings.Trim(piece, `/?#@%:&=+ ;.\"'<>-`)) >= 3 {
				return piece
			}
		}
	}
	return ""
}

func TestAServerAndItsPartsPrintNoPassword(t *testing.T) {
	host := private(t)
	do(t, host, "CONFIG", "SET", "requirepass", "s3cret")
	s, err := Start(t.Context(), viaURL(host, "", "s3cret"), withEnv(noEnv))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, v := range []any{s, *options(s.target, 1), s.Client, s.target, []any{s}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, "s3cret") {
				t.Errorf("%s of %T shows the password: %s", verb, v, text)
			}
		}
	}
}
