// Package meeting is where several processes that do one job together find each other: a key of ours on the server
// that all of them use. Each has a number and is there once; they go in step, round by round, in each of which every
// member says something that all the others hear.
//
//	ratelab:meeting:<name>   a hash: how many are to come and what for, and of each when it was last heard of, what
//	                         it said last, and why it gave up
//
// Everything lies below the prefix of all our keys, and ends by its TTL soon after the last member was heard of. What
// the members do, and what they say, is theirs.
package meeting

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/registry"
	"ratelab/internal/waiting"
)

// Prefix begins a meeting's key.
const Prefix = registry.Prefix + "meeting:"

const (
	// kept is for how long a meeting is there after somebody was heard of.
	kept = 30 * time.Second
	// silent is for how long a member may not be heard of. It calls at least every heartbeat.
	silent    = 15 * time.Second
	heartbeat = time.Second

	// How often a member looks whether the others have come: an answer is due soon, or may take long.
	soon     = 10 * time.Millisecond
	later    = 50 * time.Millisecond
	soonEnds = time.Second
)

//go:embed meet.lua
var source string

var meet = redis.NewScript(source)

// Options say who meets.
type Options struct {
	Name   string // of the meeting
	Number int    // of the member, from 1
	Of     int    // how many members are to come
	Token  string // of this process, and of no other
	What   string // they meet for; all must say the same

	Wait  time.Duration // for the others to come
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
	Stop  <-chan struct{}

	// Differ says what is different where another member came for something else than What.
	Differ func(theirs string) string
}

// Meeting is one member's place in it.
type Meeting struct {
	o      Options
	client redis.Scripter
	round  int
	first  string // the token of the member that came first

	quit context.CancelFunc // of the heartbeat
	ends sync.WaitGroup
}

// ErrStopped is a wait that was given up because of Stop.
var ErrStopped = errors.New("stopped")

// Refusal is a member that cannot come in, such as the second of a number.
type Refusal struct{ Why string }

func (e *Refusal) Error() string { return e.Why }

// Lost is a member that did not come, gave up or fell silent.
type Lost struct {
	Numbers []int
	What    string
}

func (e *Lost) Error() string {
	word := "shard"
	if len(e.Numbers) > 1 {
		word = "shards"
	}
	return fmt.Sprintf("%s %s %s", word, listed(e.Numbers), e.What)
}

// listed is 1, 2 and 3.
func listed(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	if n := len(words); n > 1 {
		words = append(words[:n-2], words[n-2]+" and "+words[n-1])
	}
	return strings.Join(words, ", ")
}

// Join comes in and waits until all are there. The error is a *Refusal, a *Lost, ErrStopped or the server's.
func Join(ctx context.Context, client redis.Scripter, o Options) (*Meeting, error) {
	m := &Meeting{o: o, client: client}
	began := o.Now()
	members, err := m.call(ctx, "join", o.What)
	for err == nil {
		absent, gone := absentees(members)
		if gone != nil {
			err = gone
			break
		}
		if len(absent) == 0 {
			var beating context.Context
			beating, m.quit = context.WithCancel(context.WithoutCancel(ctx))
			m.ends.Go(func() { m.beat(beating) })
			return m, nil
		}
		if waited := o.Now().Sub(began); waited > o.Wait {
			err = &Lost{absent, fmt.Sprintf("of %d did not come within %v; start all of them at about the same time, "+
				"on the same server and with the same --run", o.Of, o.Wait)}
			break
		}
		if err = m.pause(ctx, later); err == nil {
			members, err = m.call(ctx, "join", o.What)
		}
	}
	var refused *Refusal
	if !errors.As(err, &refused) {
		m.leave(ctx, err.Error())
	}
	return nil, err
}

// First is the token of the member that came first: all are told the same.
func (m *Meeting) First() string { return m.first }

// Say tells the others something, and gives what each of them said in the same round, by their numbers, once all have.
// The error is a *Lost, ErrStopped or the server's.
func (m *Meeting) Say(ctx context.Context, text string) ([]string, error) {
	m.round++
	round := strconv.Itoa(m.round)
	began := m.o.Now()
	for {
		members, err := m.call(ctx, "say", round, text)
		if err != nil {
			return nil, err
		}
		said, err := heard(members, round)
		if said != nil || err != nil {
			return said, err
		}
		wait := soon
		if m.o.Now().Sub(began) > soonEnds {
			wait = later
		}
		if err := m.pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// heard is what all said in a round; nil where somebody has not said it yet.
func heard(members []member, round string) ([]string, error) {
	var said []string
	for i, one := range members {
		text, found := strings.CutPrefix(one.said, round+" ")
		switch {
		case found:
			said = append(said, text)
		case one.why != "":
			return nil, &Lost{[]int{i + 1}, "gave up: " + one.why}
		case one.token == "" || one.silent > silent:
			return nil, &Lost{[]int{i + 1}, fmt.Sprintf("was not heard of for %v: it was killed, or lost the server",
				one.silent.Round(time.Second))}
		}
	}
	if len(said) < len(members) {
		return nil, nil
	}
	return said, nil
}

// Leave goes: with nothing to say where the job is done, or else with why. Who is left behind is told so.
func (m *Meeting) Leave(ctx context.Context, why string) {
	m.quit()
	m.ends.Wait()
	m.leave(ctx, why)
}

func (m *Meeting) leave(ctx context.Context, why string) {
	// where it fails, the others notice the silence
	_, _ = m.call(context.WithoutCancel(ctx), "leave", why, strconv.FormatInt(silent.Milliseconds(), 10))
}

// beat lets the others know now and then that this member is there.
func (m *Meeting) beat(ctx context.Context) {
	for m.o.Sleep(ctx, heartbeat) == nil {
		_, _ = m.call(ctx, "stay") // an error comes again when it matters
	}
}

func (m *Meeting) pause(ctx context.Context, d time.Duration) error {
	if waiting.Closed(m.o.Stop) {
		return ErrStopped
	}
	return m.o.Sleep(ctx, d)
}

// member is what is known of one.
type member struct {
	token, why, said string
	silent           time.Duration
}

// absentees are those who have not come, and one who has gone again.
func absentees(members []member) (absent []int, gone error) {
	for i, one := range members {
		switch {
		case one.why != "":
			return nil, &Lost{[]int{i + 1}, "gave up: " + one.why}
		case one.token == "":
			absent = append(absent, i+1)
		}
	}
	return absent, nil
}

// call is one call of the script.
func (m *Meeting) call(ctx context.Context, step string, more ...string) ([]member, error) {
	args := []any{m.o.Number, m.o.Of, m.o.Token, kept.Milliseconds(), step}
	for _, a := range more {
		args = append(args, a)
	}
	reply, err := meet.Run(ctx, m.client, []string{Prefix + m.o.Name}, args...).StringSlice()
	if err != nil {
		if strings.Contains(err.Error(), "WRONGTYPE") {
			return nil, &Refusal{"the key " + Prefix + m.o.Name + " is none of ours; rename or delete it"}
		}
		return nil, err
	}
	switch {
	case reply[0] == "ok":
		return m.members(reply[1:]), nil
	case reply[0] == "left":
		return nil, nil
	}
	return nil, m.refusal(reply)
}

// members reads what is known of all.
func (m *Meeting) members(reply []string) []member {
	m.first = reply[0]
	var all []member
	for r := reply[1:]; len(r) >= 4; r = r[4:] {
		ms, _ := strconv.ParseInt(r[1], 10, 64)
		all = append(all, member{token: r[0], silent: time.Duration(ms) * time.Millisecond, why: r[2], said: r[3]})
	}
	return all
}

// refusal says why a member cannot come in, or stay.
func (m *Meeting) refusal(reply []string) error {
	const name = "name this one with --run"
	switch reply[0] {
	case "double":
		return &Refusal{fmt.Sprintf("shard %d of the run %s is there already; name each shard once, or, where this is "+
			"another run, %s", m.o.Number, m.o.Name, name)}
	case "over":
		return &Refusal{fmt.Sprintf("a run %s of shards is just ending; wait %v, or %s", m.o.Name, kept, name)}
	case "gone":
		return &Lost{[]int{m.o.Number}, fmt.Sprintf("was not heard of for %v by the others, who have gone on "+
			"without it", silent)}
	}
	what := fmt.Sprintf("has %s shards, and this is one of %d", reply[1], m.o.Of)
	if reply[1] == strconv.Itoa(m.o.Of) {
		what = m.o.Differ(reply[2])
	}
	return &Refusal{fmt.Sprintf("the run %s of shards that is under way there %s; start all with the same, or %s",
		m.o.Name, what, name)}
}
