package sequence

import "strconv"

// Operation is what a Command does.
type Operation int8

// The commands that the sequences send. Their arguments stand in Command's fields.
const (
	Get              Operation = iota // GET Key
	SetIfAbsent                       // SET Key Value NX PX Number
	IncrementBy                       // INCRBY Key Number
	Expire                            // PEXPIRE Key Number
	CompareAndDelete                  // EVAL of compareAndDelete: DEL Key where it holds Value
	PushLeft                          // LPUSH Key Value, Number times over
	Length                            // LLEN Key
	Trim                              // LTRIM Key Number -1
	PopRight                          // RPOP Key
	PushAndTrim                       // EVAL of pushAndTrim: as PushLeft, then as Trim to Keep
)

// script reports whether the command is an EVAL.
func (o Operation) script() bool { return o == CompareAndDelete || o == PushAndTrim }

// compareAndDelete is the script with which a lock's holder lets go of its own lock, and never of somebody else's: the
// one place where a sequence cannot do without. Source:
// https://redis.io/docs/latest/develop/use/patterns/distributed-locks/
const compareAndDelete = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])"

// pushAndTrim is what people call atomic trimming: what is pushed beyond the limit is dropped before anybody sees it.
// It answers how long the queue was in between.
const pushAndTrim = "local length = redis.call('LPUSH', KEYS[1], unpack(ARGV, 2)) " +
	"if length > tonumber(ARGV[1]) then redis.call('LTRIM', KEYS[1], '-' .. ARGV[1], '-1') end return length"

// mostPushed is how many elements one command may push: unpack has room for a few thousand.
const mostPushed = 1000

// Command is one command of a client.
type Command struct {
	Operation Operation
	Key       string
	Value     string // of SetIfAbsent, CompareAndDelete, PushLeft and PushAndTrim
	// of IncrementBy: permits; of SetIfAbsent and Expire: milliseconds, at least 1; of PushLeft and PushAndTrim: how
	// often Value is pushed; of Trim: the first place that stays, from the newest on, or from the oldest if negative
	Number int64
	Keep   int64 // of PushAndTrim: how many elements may stay
}

// Args are the command's words as they are sent, its key behind prefix.
func (c Command) Args(prefix string) []any {
	key, number := prefix+c.Key, strconv.FormatInt(c.Number, 10)
	switch c.Operation {
	case Get:
		return []any{"GET", key}
	case SetIfAbsent:
		return []any{"SET", key, c.Value, "NX", "PX", number}
	case IncrementBy:
		return []any{"INCRBY", key, number}
	case Expire:
		return []any{"PEXPIRE", key, number}
	case PushLeft:
		return c.pushed([]any{"LPUSH", key})
	case Length:
		return []any{"LLEN", key}
	case Trim:
		return []any{"LTRIM", key, number, "-1"}
	case PopRight:
		return []any{"RPOP", key}
	case PushAndTrim:
		return c.pushed([]any{"EVAL", pushAndTrim, "1", key, strconv.FormatInt(c.Keep, 10)})
	default:
		return []any{"EVAL", compareAndDelete, "1", key, c.Value}
	}
}

// pushed are words with what is pushed behind them.
func (c Command) pushed(words []any) []any {
	for range c.Number {
		words = append(words, c.Value)
	}
	return words
}

// Reply is a server's answer: nothing, a text or an integer.
type Reply struct {
	Kind    ReplyKind
	Text    string
	Integer int64
}

// ReplyKind tells the fields of a Reply apart.
type ReplyKind int8

// The kinds of replies.
const (
	NilReply ReplyKind = iota
	TextReply
	IntegerReply
)

func text(s string) Reply   { return Reply{Kind: TextReply, Text: s} }
func integer(n int64) Reply { return Reply{Kind: IntegerReply, Integer: n} }

// String is the reply as redis-cli would show it.
func (r Reply) String() string {
	switch r.Kind {
	case TextReply:
		return strconv.Quote(r.Text)
	case IntegerReply:
		return "(integer) " + strconv.FormatInt(r.Integer, 10)
	default:
		return "(nil)"
	}
}
