package virtualtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// midnight is the start of virtual time: 2024-01-01T00:00:00Z in µs.
const midnight = int64(1_704_067_200_000_000)

// onBoth runs a test on the embedded server and on a real one.
func onBoth(t *testing.T, test func(t *testing.T, s *redis.Server)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { test(t, redistest.Embedded(t)) })
	t.Run("process", func(t *testing.T) { test(t, redistest.Private(t)) })
}

// setup is a script and its settings in virtual time.
type setup struct {
	source string
	init   string // "": none
	given  bool

	foreign  bool // a user's script
	survives bool // an error is a valid answer
	batch    int
	keys     []string // templates of KEYS; nil: the key itself
	args     []string // templates of ARGV

	elapsed func() time.Duration // nil: batches have a fixed size
	behind  time.Duration
}

func templates(t testing.TB, texts []string) []script.Template {
	t.Helper()
	var out []script.Template
	for _, text := range texts {
		one, err := script.ParseTemplate(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

// newRunner prepares the script on the server. It passes the reply of each decision to seen.
func newRunner(t testing.TB, s *redis.Server, it setup, seen func(resp.Value)) (*virtualtime.Runner, error) {
	t.Helper()
	if it.keys == nil {
		it.keys = []string{"{key}"}
	}
	if it.behind == 0 {
		it.behind = time.Hour
	}
	call := script.Call{Keys: templates(t, it.keys), Args: templates(t, it.args)}
	p := &script.Program{Label: "test", Source: it.source, Decide: call,
		Decode: func(r resp.Value) (limit.Decision, error) {
			seen(r)
			if r.Kind == resp.Error && !it.survives {
				return limit.Decision{}, fmt.Errorf("%s", strings.Clone(r.Text))
			}
			return limit.Decision{Verdict: limit.Allowed}, nil
		}}
	p.SurvivesErrors, p.Foreign = it.survives, it.foreign
	if it.init != "" {
		p.Init, p.InitSource = &call, it.init
	}
	return it.runner(virtualtime.Connection{Client: s, Embedded: s.Kind == redis.KindEmbedded}, p)
}

// runner prepares p on the server, with the settings of it.
func (it setup) runner(server virtualtime.Connection, p *script.Program) (*virtualtime.Runner, error) {
	server.Given = it.given
	return virtualtime.New(server, p, virtualtime.Options{
		Start: time.UnixMicro(midnight), Real: time.Now(), BatchSize: it.batch, Behind: it.behind, Elapsed: it.elapsed,
	})
}

// at returns a request for a key at a time in µs since the start.
func at(us int64, key string) limit.Request { return limit.Request{AtUS: us, Key: key, Cost: 1} }

// replies lets the script answer requests. It returns the answers before the first error as text, and the error.
func replies(t testing.TB, s *redis.Server, it setup, requests ...limit.Request) ([]string, error) {
	t.Helper()
	var out []string
	r, err := newRunner(t, s, it, func(reply resp.Value) { out = append(out, reply.String()) })
	if err != nil {
		return nil, err
	}
	err = r.Decide(t.Context(), requests, make([]limit.Decision, len(requests)))
	if closing := r.Close(context.WithoutCancel(t.Context())); closing != nil {
		t.Fatal(closing)
	}
	return out, err
}

// want lets the script answer requests, and compares the answers with those in answers, one per line.
func want(t *testing.T, s *redis.Server, it setup, answers string, requests ...limit.Request) {
	t.Helper()
	out, err := replies(t, s, it, requests...)
	if err != nil {
		t.Fatalf("%v\nafter %q", err, out)
	}
	if got := strings.Join(out, "\n"); got != strings.TrimSpace(answers) {
		t.Errorf("the script\n%s\nanswers\n%s\nwant\n%s", it.source, got, answers)
	}
}

// wantError lets the script answer requests, and checks that the error contains text.
func wantError(t *testing.T, s *redis.Server, it setup, text string, requests ...limit.Request) {
	t.Helper()
	if requests == nil {
		requests = []limit.Request{at(0, "k")}
	}
	out, err := replies(t, s, it, requests...)
	if err == nil {
		t.Fatalf("the script\n%s\nanswers %q, want the error %q", it.source, out, text)
	}
	if !strings.Contains(err.Error(), text) {
		t.Errorf("the script\n%s\nfails with %q, want %q", it.source, err, text)
	}
}
