package sequence_test

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/clients"
	"ratelab/internal/measure"
)

// b pushes into the last place and is rejected, since c came between; c's element is trimmed away, and c is admitted.
func TestTwoThatPushBeforeTheyMeasure(t *testing.T) {
	s := newStage(t, "push-then-trim", 2)
	a, b, c := s.client(1), s.client(1), s.client(1)
	expect(t, []string{a.at(0), a.at(1), a.ends(), b.at(2), c.at(3), b.at(4), b.at(5), b.ends(), c.at(6), c.ends()},
		[]string{
			"1", // a: LPUSH
			"1", // a: LLEN
			"admitted",
			"2",    // b: LPUSH
			"3",    // c: LPUSH
			"3",    // b: LLEN
			`"OK"`, // b: LTRIM -2 -1, which drops c's
			"rejected",
			"2", // c: LLEN
			"admitted",
		})
	want := measure.Race{Commands: 7, RaceAdmits: 1, RaceRejects: 1, QueuePeak: 3, Trimmed: 1, QueueLost: 1,
		QueueKept: 1}
	if got := s.play.Figures(); got != want {
		t.Errorf("the figures are %+v, want %+v", got, want)
	}
	// The worker takes an element every 500 ms, the oldest first: c2 finds one of the two places free.
	c1 := s.client(1)
	expect(t, []string{c1.at(499), c1.at(499), c1.at(499), c1.ends()},
		[]string{"3", "3", `"OK"`, "rejected"})
	c2 := s.client(1)
	expect(t, []string{c2.at(500), c2.at(500), c2.ends()}, []string{"2", "2", "admitted"})
	last := s.play.Calls()[len(s.play.Calls())-3]
	if last.Command.Name != "RPOP" || last.Reply.Text != "1" || last.TrueUS != 500_000 {
		t.Errorf("the worker's command is %+v, want that for a's element at 500 ms", last)
	}
}

// Two that find the queue too long by the same two elements drop them twice: a's element, which was in its right, is
// among them.
func TestTwoThatTrimTheSameExcess(t *testing.T) {
	s := newStage(t, "push-then-trim:trim=by_excess", 1)
	a, b, c := s.client(1), s.client(1), s.client(1)
	expect(t, []string{a.at(0), a.at(1), b.at(2), c.at(3), b.at(4), c.at(5), b.at(6), c.at(7), a.ends(), b.ends(),
		c.ends()}, []string{"1", "1", "2", "3", "3", "3",
		`"OK"`, `"OK"`, "admitted", "rejected", "rejected"})
	want := measure.Race{Commands: 8, QueuePeak: 3, Trimmed: 3, TrimmedNeedlessly: 1, QueueLost: 1}
	if got := s.play.Figures(); got != want {
		t.Errorf("the figures are %+v, want %+v", got, want)
	}
	if keys, _ := s.play.Left(10_000); keys != 0 {
		t.Errorf("%d keys are left, want none: an empty list is no key", keys)
	}
}

// redisList is a list as Redis counts it: the newest first.
type redisList []string

func (l redisList) trim(from int64) redisList {
	if from < 0 {
		from = max(0, int64(len(l))+from)
	}
	return l[min(from, int64(len(l))):]
}

// The figures of the queue are found again in the commands, and a script loses nothing.
func TestTheCommandsTellTheQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SampledFrom([]string{"push-then-trim", "push-then-trim:trim=by_excess",
			"push-then-trim:script=yes"}).Draw(t, "label")
		l := drawn(t)
		for i := range l {
			l[i].Cost = 1
		}
		delay := clients.Range{Min: 100, Max: rapid.Int64Range(100, 6000).Draw(t, "delay")}
		out, play := playWorld(t, label, delay, l)
		var list redisList
		var peak, trimmed, needless int64
		for _, c := range play.Calls() {
			before := list
			words := c.Command.Words("")
			switch c.Command.Name {
			case "LPUSH":
				list = append(redisList{words[2]}, list...)
			case "EVAL":
				before = append(redisList{words[5]}, list...)
				list = before.trim(-world.Requests)
				trimmed += int64(len(before) - len(list))
			case "LTRIM":
				from, err := strconv.ParseInt(words[2], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				list = list.trim(from)
				gone := int64(len(before) - len(list))
				trimmed += gone
				needless += gone - min(gone, max(0, int64(len(before))-world.Requests))
			case "RPOP":
				list = list[:len(list)-1]
			}
			peak = max(peak, int64(len(list)))
		}
		f := play.Figures()
		if f.QueuePeak != peak || f.Trimmed != trimmed || f.TrimmedNeedlessly != needless {
			t.Fatalf("the figures are %+v; the commands say peak %d, trimmed %d, needlessly %d", f, peak, trimmed,
				needless)
		}
		var rejected int64
		for _, d := range out.Journal.Decisions {
			if !d.Allowed() {
				rejected++
			}
		}
		if label == "push-then-trim:script=yes" && (peak > world.Requests || needless+f.QueueLost+f.QueueKept != 0 ||
			trimmed < rejected) {
			t.Fatalf("the script's figures are %+v, of %d rejected", f, rejected)
		}
	})
}

// A worker empties the queue after the last request: an empty list is no key.
func TestTheWorkerGoesOnAfterTheLastRequest(t *testing.T) {
	s := newStage(t, "push-then-trim:script=yes", 2)
	s.client(1).at(0)
	s.client(1).at(0)
	s.play.Finish(2_000_000)
	if keys, forEver := s.play.Left(999_999); keys != 0 || forEver != 0 {
		t.Errorf("%d keys are left, %d without a deadline; want none once the worker is done", keys, forEver)
	}
}
