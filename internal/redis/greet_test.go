package redis

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func TestWhatIsNotARedisIsNamed(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	webTLS := httptest.NewUnstartedServer(http.NotFoundHandler())
	webTLS.Config.ErrorLog = log.New(io.Discard, "", 0)
	webTLS.StartTLS()
	defer webTLS.Close()
	address := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	for _, c := range []struct{ name, spec, want string }{
		{"a TLS server", "redis://" + address(webTLS), ": speaks TLS; use rediss://" + address(webTLS)},
		{"TLS on a plain port", "rediss://" + address(web),
			": does not speak TLS; use redis://" + address(web) + ", or check the port"},
		{"a door that shuts", "redis://" + listen(t, func(net.Conn) {}),
			": closed the connection without an answer; check that"},
		{"a mail server", "redis://" + listen(t,
			func(c net.Conn) {
				io.WriteString(c, "220 mail ready\r\n")
				io.Copy(io.Discard, c)
			}), `: the server replied "220 mail ready" to PING; want Redis 7.0 or later, or Valkey: check the address ` +
			"and the port"},
		{"an unknown authority", "rediss://" + address(webTLS), ": its certificate is not trusted (x509: "},
	} {
		t.Run(c.name, func(t *testing.T) { wantText(t, refusal(t, c.spec), c.spec+c.want) })
	}
}

func TestSilentServerTimesOut(t *testing.T) {
	addr := listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Start(ctx, "redis://"+addr, withEnv(noEnv))
	if err == nil {
		t.Fatal("a server that says nothing was accepted")
	}
	wantText(t, err.Error(), "redis://"+addr+
		": accepted the connection and did not answer in time; check the port, or whether the server hangs")
}

func TestCancelledStartIsTheContextsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	addr := listen(t, func(c net.Conn) { cancel(); io.Copy(io.Discard, c) })
	if _, err := Start(ctx, "redis://"+addr, withEnv(noEnv)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want context.Canceled", err)
	}
	for _, kind := range []string{"embedded", "process"} {
		if _, err := Start(ctx, kind, withEnv(noEnv)); err == nil {
			t.Errorf("%s started for a run that was interrupted", kind)
		}
	}
}

func TestServerThatIsTooOldSaysSo(t *testing.T) {
	m := miniredis.RunT(t) // knows no redis.acl_check_cmd, like Redis before 7.0
	s := newServer(KindURL, target{network: "tcp", addr: m.Addr(), label: "old"}, settings{poolSize: 1})
	defer s.Close()
	wantText(t, s.checkCapabilities(t.Context()).Error(),
		"lacks PEXPIRETIME; virtual time needs Redis 7.0 or later, or Valkey")
}

func TestErrorRepliesAreWorded(t *testing.T) {
	for _, c := range []struct{ reply, want string }{
		{"LOADING Redis is loading the dataset in memory", "is still loading its data; try again in a moment"},
		{"MISCONF Redis is configured to save RDB snapshots",
			"refuses writes because it cannot save to disk (MISCONF); see its log"},
		{"OOM command not allowed when used memory > 'maxmemory'.", "is out of memory (OOM) and refuses writes"},
		{"BUSY Redis is busy running a script.", "is busy running a script; SCRIPT KILL"},
		{"ERR max number of clients reached", "has no room for another client"},
		{"ERR something new", ": the server replied ERR something new to HELLO; want Redis 7.0 or later"},
	} {
		addr := listen(t, speaker(func([]string) string { return "-" + c.reply + "\r\n" }))
		_, err := Start(t.Context(), "redis://"+addr, withEnv(noEnv))
		if err == nil {
			t.Errorf("%s: accepted", c.reply)
			continue
		}
		wantText(t, err.Error(), c.want)
		if strings.HasPrefix(c.reply, "LOADING") && !errors.As(err, new(*Unavailable)) {
			t.Errorf("%s: %T; want *Unavailable", c.reply, err)
		}
	}
}
