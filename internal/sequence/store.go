package sequence

import (
	"fmt"
	"strconv"

	"ratelab/internal/message"
)

// Store is a Redis that knows the commands of this package, under a clock that is an argument. A key's deadline is in
// whole milliseconds: it is alive while the clock, rounded down, is at most there, and is deleted when a command finds
// it later than that. A clock that steps back prolongs the life of what nobody has touched since.
type Store struct{ keys map[string]value }

type value struct {
	text     string
	deadline int64 // ms since 1970; 0: none
}

// NewStore is empty.
func NewStore() *Store { return &Store{keys: map[string]value{}} }

// Do answers one command at nowUS, in microseconds since 1970. An error is what Redis answers with one: a counter
// that is no number, or that would overflow.
func (s *Store) Do(nowUS int64, c Command) (Reply, error) {
	nowMS := milliseconds(nowUS)
	held, alive := s.alive(nowMS, c.Key)
	switch c.Operation {
	case Get:
		if !alive {
			return Reply{}, nil
		}
		return text(held.text), nil
	case SetIfAbsent:
		if alive {
			return Reply{}, nil
		}
		s.keys[c.Key] = value{c.Value, nowMS + c.Number}
		return text("OK"), nil
	case IncrementBy:
		return s.increment(held, c)
	case Expire:
		if !alive {
			return integer(0), nil
		}
		s.keys[c.Key] = value{held.text, nowMS + c.Number}
		return integer(1), nil
	default:
		if !alive || held.text != c.Value {
			return integer(0), nil
		}
		delete(s.keys, c.Key)
		return integer(1), nil
	}
}

// increment counts on from held, and leaves its deadline.
func (s *Store) increment(held value, c Command) (Reply, error) {
	count, err := number(held.text)
	if err != nil {
		return Reply{}, err
	}
	if sum := count + c.Number; c.Number > 0 && sum < count {
		return Reply{}, fmt.Errorf("INCRBY %s: the counter would overflow", c.Key)
	}
	held.text = strconv.FormatInt(count+c.Number, 10)
	s.keys[c.Key] = held
	return integer(count + c.Number), nil
}

// alive is the value of a key, which is deleted if its time is over.
func (s *Store) alive(nowMS int64, key string) (value, bool) {
	held, there := s.keys[key]
	if there && held.deadline != 0 && held.deadline < nowMS {
		delete(s.keys, key)
		return value{}, false
	}
	return held, there
}

// fork is a store with one key of s.
func (s *Store) fork(key string) *Store {
	f := NewStore()
	if held, there := s.keys[key]; there {
		f.keys[key] = held
	}
	return f
}

// Left counts the keys alive at nowUS, and those of them that have no deadline.
func (s *Store) Left(nowUS int64) (keys, withoutTTL int64) {
	for _, held := range s.keys {
		if held.deadline != 0 && held.deadline < milliseconds(nowUS) {
			continue
		}
		keys++
		if held.deadline == 0 {
			withoutTTL++
		}
	}
	return keys, withoutTTL
}

// number is a counter's value; an absent one counts as 0.
func number(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("a counter holds %s, which is no number", message.Quote(text))
	}
	return n, nil
}

// milliseconds is the clock of deadlines: us rounded down.
func milliseconds(us int64) int64 {
	if us < 0 {
		us -= 999
	}
	return us / 1000
}
