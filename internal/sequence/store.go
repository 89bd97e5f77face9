package sequence

import (
	"fmt"
	"slices"
	"strconv"

	"ratelab/internal/message"
)

// Store is a Redis that knows the commands of this package, under a clock that is an argument. A key's deadline is in
// whole milliseconds: it is alive while the clock, rounded down, is at most there, and is deleted when a command finds
// it later than that. A clock that steps back prolongs the life of what nobody has touched since.
type Store struct {
	keys    map[string]value
	trimmed func(removed []string, length int64) // is told what a trim removed of a list so long; may be nil
}

type value struct {
	text     string
	list     []string // the oldest first; no list is empty
	deadline int64    // ms since 1970; 0: none
}

// NewStore is empty.
func NewStore() *Store { return &Store{keys: map[string]value{}} }

// length is how many elements a list has. Lists have no deadlines.
func (s *Store) length(key string) int64 { return int64(len(s.keys[key].list)) }

// Do answers one command at nowUS, in microseconds since 1970. An error is what Redis answers with one: a counter
// that is no number, or that would overflow. So is a push of more elements than mostPushed.
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
		s.keys[c.Key] = value{text: c.Value, deadline: nowMS + c.Number}
		return text("OK"), nil
	case IncrementBy:
		return s.increment(held, c)
	case Expire:
		if !alive {
			return integer(0), nil
		}
		s.keys[c.Key] = value{text: held.text, deadline: nowMS + c.Number}
		return integer(1), nil
	case PushLeft, PushAndTrim:
		return s.push(held.list, c)
	case Length:
		return integer(int64(len(held.list))), nil
	case Trim:
		s.trim(c.Key, held.list, c.Number)
		return text("OK"), nil
	case PopRight:
		if !alive {
			return Reply{}, nil
		}
		s.keep(c.Key, held.list[1:])
		return text(held.list[0]), nil
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

// push adds the newest elements, and in a script drops what is beyond the limit.
func (s *Store) push(list []string, c Command) (Reply, error) {
	if c.Number > mostPushed {
		return Reply{}, fmt.Errorf("a request of %d permits would push as many elements; want at most %d", c.Number,
			mostPushed)
	}
	for range c.Number {
		list = append(list, c.Value)
	}
	s.keep(c.Key, list)
	if length := int64(len(list)); c.Operation == PushAndTrim && length > c.Keep {
		s.trim(c.Key, list, -c.Keep)
	}
	return integer(int64(len(list))), nil
}

// trim keeps the elements from a place on, which counts from the newest, or if negative from the oldest.
func (s *Store) trim(key string, list []string, from int64) {
	length := int64(len(list))
	stay := max(0, length-from)
	if from < 0 {
		stay = min(length, -from)
	}
	s.keep(key, list[:stay])
	if removed := list[stay:]; len(removed) > 0 && s.trimmed != nil {
		s.trimmed(removed, length)
	}
}

// keep is what is left of a list. Redis deletes an empty one.
func (s *Store) keep(key string, list []string) {
	if len(list) == 0 {
		delete(s.keys, key)
		return
	}
	s.keys[key] = value{list: list}
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
		held.list = slices.Clone(held.list) // a push must not write into that of s
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
