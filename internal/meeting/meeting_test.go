package meeting_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	_ "ratelab/internal/container/docker"
	"ratelab/internal/meeting"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
)

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// options are those of one of several members.
func options(number, of int) meeting.Options {
	return meeting.Options{Name: "test", Number: number, Of: of, Token: fmt.Sprintf("process-%d", number), What: "this",
		Wait: 20 * time.Second, Sleep: sleep, Now: time.Now,
		Differ: func(theirs string) string { return "is for " + theirs + ", and this one for another thing" }}
}

// all runs a member for each number at the same time, and gives their errors.
func all(t *testing.T, s *redisserver.Server, of int,
	do func(ctx context.Context, m *meeting.Meeting, number int) error, change func(*meeting.Options)) []error {
	t.Helper()
	errs := make([]error, of)
	var ends sync.WaitGroup
	for i := range of {
		ends.Go(func() {
			o := options(i+1, of)
			if change != nil {
				change(&o)
			}
			m, err := meeting.Join(t.Context(), s.Client, o)
			if err != nil {
				errs[i] = err
				return
			}
			why := ""
			if errs[i] = do(t.Context(), m, i+1); errs[i] != nil {
				why = errs[i].Error()
			}
			m.Leave(t.Context(), why)
		})
	}
	ends.Wait()
	return errs
}

// nothingLeft fails the test where the server has a key.
func nothingLeft(t *testing.T, s *redisserver.Server) {
	t.Helper()
	if n, err := s.Client.DBSize(t.Context()).Result(); n != 0 || err != nil {
		t.Errorf("%d keys are left: %v", n, err)
	}
}

// In each round every member hears what all said in that round, and nothing of another one.
func TestAllHearAll(t *testing.T) {
	redisservertest.Each(t, func(t *testing.T, s *redisserver.Server) {
		const of, rounds = 5, 12
		first := make([]string, of)
		errs := all(t, s, of, func(ctx context.Context, m *meeting.Meeting, number int) error {
			first[number-1] = m.First()
			for round := range rounds {
				said, err := m.Say(ctx, fmt.Sprintf("%d in %d", number, round))
				if err != nil {
					return err
				}
				for i, text := range said {
					if want := fmt.Sprintf("%d in %d", i+1, round); text != want || len(said) != of {
						return fmt.Errorf("heard %q of %d, want %q", text, len(said), want)
					}
				}
			}
			return nil
		}, nil)
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
		for _, token := range first {
			if token == "" || token != first[0] {
				t.Errorf("the first is %q", first)
			}
		}
		nothingLeft(t, s)
	})
}

// Who gives up tells the others why.
func TestWhoGivesUpTellsTheOthers(t *testing.T) {
	s := redisservertest.Embedded(t)
	errs := all(t, s, 3, func(ctx context.Context, m *meeting.Meeting, number int) error {
		if _, err := m.Say(ctx, ""); err != nil {
			return err
		}
		if number == 2 {
			return errors.New("no more room")
		}
		_, err := m.Say(ctx, "")
		return err
	}, nil)
	for _, i := range []int{0, 2} {
		if want := "shard 2 gave up: no more room"; errs[i] == nil || !strings.HasPrefix(errs[i].Error(), "shard ") ||
			!strings.HasSuffix(errs[i].Error(), want) {
			t.Errorf("shard %d: %v, want %q", i+1, errs[i], want)
		}
	}
	nothingLeft(t, s)
}

// A member that does not come is named by those who waited.
func TestMissingIsNamed(t *testing.T) {
	s := redisservertest.Embedded(t)
	o := options(2, 4)
	o.Wait = time.Nanosecond
	_, err := meeting.Join(t.Context(), s.Client, o)
	var lost *meeting.Lost
	if want := "shards 1, 3 and 4 of 4 did not come within 1ns"; !errors.As(err, &lost) ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	nothingLeft(t, s)
}

// Who is the second of a number, or comes for something else, is refused, and the others never notice.
func TestRefused(t *testing.T) {
	s := redisservertest.Embedded(t)
	errs := all(t, s, 2, func(ctx context.Context, m *meeting.Meeting, number int) error {
		if number == 1 {
			for want, change := range map[string]func(*meeting.Options){
				"shard 1 of the run test is there already":          func(o *meeting.Options) { o.Token = "another" },
				"that is under way there is for this, and this one": func(o *meeting.Options) { o.What = "that" },
				"there has 2 shards, and this is one of 3":          func(o *meeting.Options) { o.Of = 3 },
			} {
				o := options(1, 2)
				change(&o)
				_, err := meeting.Join(ctx, s.Client, o)
				var refused *meeting.Refusal
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
		}
		_, err := m.Say(ctx, "")
		return err
	}, nil)
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	nothingLeft(t, s)
}

// A member that is gone without a word is missed.
func TestSilenceIsNoticed(t *testing.T) {
	s := redisservertest.Embedded(t)
	quiet, missed := make(chan struct{}), make(chan struct{})
	errs := all(t, s, 2, func(ctx context.Context, m *meeting.Meeting, number int) error {
		if _, err := m.Say(ctx, ""); err != nil {
			return err
		}
		if number == 1 {
			close(quiet)
			<-missed
		} else {
			<-quiet
			defer close(missed)
			key := meeting.Prefix + "test"
			if err := s.Client.HSet(ctx, key, "heard:1", "1").Err(); err != nil {
				return err
			}
			_, err := m.Say(ctx, "")
			if err == nil || !strings.Contains(err.Error(), "shard 1 was not heard of for ") {
				return fmt.Errorf("noticed %w", err)
			}
		}
		return nil
	}, func(o *meeting.Options) {
		if o.Number == 1 {
			o.Sleep = func(ctx context.Context, d time.Duration) error {
				if d == time.Second { // no heartbeat
					<-ctx.Done()
					return ctx.Err()
				}
				return sleep(ctx, d)
			}
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	nothingLeft(t, s)
}

// A wait ends with Stop.
func TestStopEndsTheWait(t *testing.T) {
	s := redisservertest.Embedded(t)
	stop := make(chan struct{})
	close(stop)
	o := options(1, 2)
	o.Stop = stop
	if _, err := meeting.Join(t.Context(), s.Client, o); !errors.Is(err, meeting.ErrStopped) {
		t.Error(err)
	}
	nothingLeft(t, s)
}
