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
)

// compareAndDelete is the script with which a lock's holder lets go of its own lock, and never of somebody else's: the
// one place where a sequence cannot do without. Source:
// https://redis.io/docs/latest/develop/use/patterns/distributed-locks/
const compareAndDelete = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])"

// Command is one command of a client.
type Command struct {
	Operation Operation
	Key       string
	Value     string // of SetIfAbsent and CompareAndDelete
	Number    int64  // of IncrementBy: permits; of SetIfAbsent and Expire: milliseconds, at least 1
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
	default:
		return []any{"EVAL", compareAndDelete, "1", key, c.Value}
	}
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
