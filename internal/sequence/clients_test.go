package sequence_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/sequence"
	"ratelab/internal/traffic"
)

// drawn is traffic for one key, often several requests at one time.
func drawn(t *rapid.T) (l []limit.Request) {
	var atUS int64
	for range rapid.IntRange(1, 60).Draw(t, "requests") {
		atUS += rapid.SampledFrom([]int64{0, 0, 0, 1, 700, 1000, 9000}).Draw(t, "gap")
		l = append(l, limit.Request{AtUS: atUS, Key: "k", Cost: rapid.Int64Range(1, 3).Draw(t, "cost")})
	}
	return l
}

var world = limit.Policy{Requests: 4, Window: 20 * time.Millisecond}

// playWorld lets clients of one group go through a sequence.
func playWorld(t *rapid.T, label string, delay clients.Range, l []limit.Request) (*clients.Outcome, *sequence.Play) {
	play := newPlay(t, label, world)
	group := clients.Group{Name: "clients", Count: 5, OnReject: clients.Obey, Attempts: 2, DelayUS: delay}
	out, err := clients.Run(t.Context(),
		clients.Setup{Seed: 1, Groups: []clients.Group{group}, Protocol: play, Server: play},
		traffic.List(l, time.Second, true))
	if err != nil {
		t.Fatal(err)
	}
	return out, play
}

// Without delays no client comes between the commands of another, not even at one time: every sequence decides as its
// rule.
func TestWithoutDelaysNothingRaces(t *testing.T) {
	for _, label := range alike {
		t.Run(label, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				out, play := playWorld(t, label, clients.Range{}, drawn(t))
				rule := ruleOf(label, world)
				for i, q := range out.Journal.Requests {
					got, want := out.Journal.Decisions[i].Allowed(), rule.admit(midnight.UnixMicro()+q.AtUS, q.Cost)
					if got != want {
						t.Fatalf("at %d µs a request of %d: admitted %t, the rule says %t", q.AtUS, q.Cost, got, want)
					}
				}
				nothingRaced(t, play.Figures())
			})
		})
	}
}

// sentBy are the commands with their times and replies.
func sentBy(play *sequence.Play) (all []any) {
	for _, c := range play.Calls() {
		all = append(all, c.TrueUS, c.AtUS, c.Command.Words(""), c.Reply)
	}
	return all
}

// With delays the same seed gives the same decisions and commands, and the sums hold.
func TestDelaysAreRepeatable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SampledFrom(labels).Draw(t, "label")
		l, delay := drawn(t), clients.Range{Min: 100, Max: rapid.Int64Range(100, 6000).Draw(t, "delay")}
		one, first := playWorld(t, label, delay, l)
		two, second := playWorld(t, label, delay, l)
		if !reflect.DeepEqual(one, two) || !reflect.DeepEqual(sentBy(first), sentBy(second)) ||
			first.Figures() != second.Figures() {
			t.Fatal("two runs differ")
		}
		f := first.Figures()
		sent := slices.DeleteFunc(slices.Clone(first.Calls()), func(c sequence.Call) bool {
			return c.Command.Name == "RPOP" // by the worker, who is no client
		})
		if int64(len(sent)) != f.Commands || f.Commands < int64(len(one.Journal.Requests)) {
			t.Fatalf("%d calls, %d commands, %d decisions", len(sent), f.Commands, len(one.Journal.Requests))
		}
		if strings.HasPrefix(label, "incr-") && f.RaceAdmits+f.RaceRejects != 0 {
			t.Fatalf("one command decides, and yet the figures are %+v", f)
		}
	})
}
