package load

import (
	"testing"
	"time"
)

// spans is the silences of calls, each from the millisecond of its write to that of its reply.
func spans(calls ...[2]int) []span {
	var w waited
	for _, c := range calls {
		w.note(&sample{written: time.Duration(c[0]) * millisecond, replied: time.Duration(c[1]) * millisecond})
	}
	return w.silences()
}

// A silence is the server's only if somebody was asking all the time and nobody was answered.
func TestSilences(t *testing.T) {
	for _, c := range []struct {
		name     string
		calls    [][2]int
		from, to int // 0, 0: none
	}{
		{"none at all", nil, 0, 0},
		{"busy", [][2]int{{0, 10}, {10, 20}, {20, 90}, {90, 190}}, 0, 0},
		{"in the middle", [][2]int{{0, 10}, {10, 1010}, {1010, 1020}}, 10, 1010},
		{"nobody asked", [][2]int{{0, 10}, {900, 910}}, 0, 0},
		{"asked late", [][2]int{{0, 10}, {700, 910}}, 700, 910},
		{"long queues at a server that works", [][2]int{{0, 90}, {0, 180}, {0, 270}, {90, 360}, {180, 450}}, 0, 0},
		{"one packet lost, others answered", [][2]int{{0, 400}, {0, 90}, {90, 180}, {180, 270}, {270, 360}}, 0, 0},
		{"the last to ask is answered first", [][2]int{{0, 10}, {800, 900}, {20, 903}}, 20, 900},
		{"from the warm-up on", [][2]int{{-500, 400}}, 0, 400},
		{"in the warm-up", [][2]int{{-500, -100}, {0, 10}}, 0, 0},
	} {
		got := spans(c.calls...)
		want := span{time.Duration(c.from) * millisecond, time.Duration(c.to) * millisecond}
		switch {
		case c.to == 0 && len(got) > 0:
			t.Errorf("%s: %v; want none", c.name, got)
		case c.to > 0 && (len(got) != 1 || got[0] != want):
			t.Errorf("%s: %v; want %v", c.name, got, want)
		}
	}
}

// What the generator stood still itself is no silence of the server's; of several the longest is told, and when.
func TestTheGeneratorsStallIsNoSilence(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * millisecond }
	var w waited
	for _, c := range [][2]int{{0, 300}, {300, 310}, {310, 810}, {810, 820}} {
		w.note(&sample{written: ms(c[0]), replied: ms(c[1])})
	}
	clock := Stopwatch{Origin: time.Unix(1000, 0)}
	start := ms(5000)
	for _, c := range []struct {
		stalls []span
		want   Silence
	}{
		{nil, Silence{clock.Origin.Add(ms(5310)), ms(500)}},
		{[]span{{ms(5320), ms(5800)}}, Silence{clock.Origin.Add(ms(5000)), ms(300)}},
		{[]span{{ms(5310), ms(5510)}, {ms(5000), ms(5200)}}, Silence{clock.Origin.Add(ms(5310)), ms(300)}},
		{[]span{{ms(4000), ms(6000)}}, Silence{}},
	} {
		if got := w.silence(clock, start, c.stalls); got != c.want {
			t.Errorf("with stalls %v: %v; want %v", c.stalls, got, c.want)
		}
	}
}
