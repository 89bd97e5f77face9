package embedded

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/luavm"
)

// Refusal is in the text of every error about what only a real server can decide.
const Refusal = "the embedded server cannot decide as Redis does"

// refuse ends the script, whatever it catches. It does not return.
func (s *scripts) refuse(what string) string {
	luavm.Abort(errors.New(refusal(what)))
	return ""
}

func refusal(what string) string {
	return "VTCMD " + Refusal + ", because " + what + "; use --redis process"
}

// words says how many words the commands have that scripts may use here, the names included. A number below 0 is the
// least. All others are refused: they wait, draw at random, are missing, or answer otherwise than on Redis.
var words = map[int]string{
	-1: "PING",
	1:  "DBSIZE TIME",
	-2: "BITCOUNT DEL EXISTS GETEX LPOP MGET RPOP SCAN SDIFF SINTER SUNION TOUCH UNLINK ZPOPMAX ZPOPMIN",
	2: "DECR ECHO EXPIRETIME GET GETDEL HGETALL HKEYS HLEN HVALS INCR KEYS LLEN PERSIST PEXPIRETIME PTTL SCARD " +
		"SELECT SMEMBERS STRLEN TTL TYPE ZCARD",
	-3: "COPY EXPIRE EXPIREAT HDEL HMGET HSCAN LPOS LPUSH LPUSHX MSET MSETNX PEXPIRE PEXPIREAT RPUSH RPUSHX " +
		"SADD SDIFFSTORE SET SINTERCARD SINTERSTORE SMISMEMBER SREM SUNIONSTORE ZMSCORE ZRANK ZREM ZREVRANK ZUNION",
	3: "APPEND DECRBY GETBIT GETSET HEXISTS HGET HSTRLEN INCRBY INCRBYFLOAT LINDEX RENAME RENAMENX RPOPLPUSH SETNX " +
		"SISMEMBER ZSCORE",
	-4: "HMSET HSET LMPOP ZADD ZINTERSTORE ZMPOP ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZREVRANGE ZREVRANGEBYLEX " +
		"ZREVRANGEBYSCORE ZUNIONSTORE",
	4: "GETRANGE HINCRBY HINCRBYFLOAT HSETNX LRANGE LREM LSET LTRIM PSETEX SETBIT SETEX SETRANGE SMOVE SUBSTR " +
		"ZCOUNT ZINCRBY ZLEXCOUNT ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE",
	5: "LINSERT LMOVE",
}

// numbers says which arguments are numbers that Redis reads before anything else, as the letters of number.
var numbers = map[string]string{
	"-i":  "DECRBY INCRBY LREM PSETEX SETEX SETRANGE",
	"--i": "HINCRBY",
	"-ii": "GETRANGE LRANGE LTRIM SUBSTR ZREMRANGEBYRANK ZREVRANGE",
	"-f":  "ZINCRBY",
	"-bb": "ZCOUNT ZRANGEBYSCORE ZREMRANGEBYSCORE ZREVRANGEBYSCORE",
	"-c":  "LPOP RPOP ZPOPMAX ZPOPMIN",
	"-o":  "GETBIT",
	"-od": "SETBIT",
}

// withOptions are commands whose options miniredis reads in an order of its own.
const withOptions = "HSCAN LMPOP LPOP LPOS RPOP SCAN SINTERCARD ZINTERSTORE ZMPOP ZPOPMAX ZPOPMIN " +
	"ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZREVRANGE ZREVRANGEBYLEX ZREVRANGEBYSCORE ZUNION ZUNIONSTORE"

// shape says which arguments Redis requires of a command.
type shape struct {
	words   int
	numbers string
	options bool
}

var shapes = map[string]*shape{}

func init() {
	for count, names := range words {
		for name := range strings.FieldsSeq(names) {
			shapes[name] = &shape{words: count}
		}
	}
	for letters, names := range numbers {
		for name := range strings.FieldsSeq(names) {
			shapes[name].numbers = letters
		}
	}
	for name := range strings.FieldsSeq(withOptions) {
		shapes[name].options = true
	}
}

const (
	wrongType   = "WRONGTYPE Operation against a key holding the wrong kind of value"
	wrongSyntax = "ERR syntax error"
	notWhole    = "ERR value is not an integer or out of range"
	notFloat    = "ERR value is not a valid float"
)

// whole reads a number as strictly as Redis.
func whole(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == text
}

// lenient reports whether miniredis may read a whole number in a text in which Redis reads none, such as +1 or 01.
func lenient(text string) bool {
	return len(text) > 1 && (text[0] == '+' || text[0] == '0' || text[0] == '-' && text[1] == '0') &&
		strings.TrimLeft(text[1:], "0123456789") == ""
}

const blanks = " \t\n\v\f\r"

// strictNumber reads a number as strictly as Redis.
func strictNumber(text string) (n float64, ok bool) {
	n, ok = luavm.ParseNumber(text)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	beyond := math.IsInf(n, 0) && !strings.Contains(digits, "i") || n == 0 && strings.ContainsAny(digits, "123456789")
	return n, ok && !math.IsNaN(n) && !beyond && strings.Trim(text, blanks) == text &&
		strings.IndexByte(text, 0) < 0
}

// score writes a number as miniredis reads it.
func score(text string, n float64) string {
	if n == 0 {
		return "0" // and not -0
	}
	if math.IsInf(n, 0) || strings.ContainsAny(text, "xX"+blanks) {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return text
}

// bound is one of a range of scores, as miniredis reads it.
func (s *scripts) bound(text string) (written, problem string) {
	if text == "-inf" || text == "+inf" {
		return text, ""
	}
	text, _, _ = strings.Cut(text, "\x00") // Redis reads it as C does
	digits, exclusive := strings.CutPrefix(text, "(")
	n, ok := luavm.ParseNumber(digits)
	switch {
	case digits == "":
		n = 0
	case !ok || math.IsNaN(n) || strings.TrimRight(digits, blanks) != digits:
		return text, "ERR min or max is not a float"
	case exclusive && math.IsInf(n, 0):
		return text, s.refuse("of the bound " + text)
	}
	if digits = score(digits, n); exclusive {
		return "(" + digits, ""
	}
	return digits, ""
}

// wholeNumbers are those that Redis reads as an integer, a count, the offset of a bit, and a bit.
var wholeNumbers = map[byte]struct {
	least, most int64
	problem     string
}{
	'i': {math.MinInt64, math.MaxInt64, notWhole},
	'c': {0, math.MaxInt64, "ERR value is out of range, must be positive"},
	'o': {0, math.MaxUint32, "ERR bit offset is not an integer or out of range"},
	'd': {0, 1, "ERR bit is not an integer or out of range"},
}

// number reads an argument as Redis does, and writes it as miniredis reads it. Its kind is one of wholeNumbers, f for
// any number, or b for a bound of a range of scores.
func (s *scripts) number(kind byte, text string) (written, problem string) {
	switch kind {
	case '-':
	case 'b':
		return s.bound(text)
	case 'f':
		n, ok := strictNumber(text)
		if !ok {
			return text, notFloat
		}
		return score(text, n), ""
	default:
		want := wholeNumbers[kind]
		if n, ok := whole(text); !ok || n < want.least || n > want.most {
			return text, want.problem
		}
	}
	return text, ""
}

// read does number for arguments from the second word on.
func (s *scripts) read(args []string, kinds string) (problem string) {
	for i := 0; i < min(len(kinds), len(args)-1) && problem == ""; i++ {
		args[i+1], problem = s.number(kinds[i], args[i+1])
	}
	return problem
}

// command does a command as Redis does: a value, or an error.
func (s *scripts) command(args []string) (value luavm.Value, problem string) {
	name := strings.ToUpper(args[0])
	known := shapes[name]
	switch {
	case known == nil && s.serve.IsRegisteredCommand(name):
		return luavm.Nil, s.refuse("of " + name)
	case known == nil:
		return luavm.Nil, s.refuse("of the missing command " + strconv.Quote(args[0]))
	case known.words < 0 && len(args) < -known.words, known.words > 0 && len(args) != known.words:
		return luavm.Nil, "ERR Wrong number of args calling Redis command from script"
	}
	options := known.options && len(args) > max(-known.words, 1+len(known.numbers))
	if options && exotic(args[-known.words:]) || apart(name, args) {
		return luavm.Nil, s.refuse("of " + name + " with these arguments")
	}
	asked := args
	if problem = s.read(args, known.numbers); problem == "" {
		args, problem = s.prepare(name, args)
	}
	if problem == "" {
		if value, problem = s.issue(args); problem == "" {
			return s.finish(name, args, value)
		}
		problem = worded(name, problem)
	}
	zero := func(arg string) bool { return strings.IndexByte(arg, 0) >= 0 } // it ends a word for Redis
	noKeys := strings.HasPrefix(problem, "ERR at least 1 input key")        // worded otherwise
	if slices.ContainsFunc(asked, zero) || options && problem != wrongType || noKeys {
		problem = s.refuse("of " + name + " with these arguments")
	}
	return luavm.Nil, problem
}

// apart reports whether miniredis does a command otherwise than Redis with these arguments.
func apart(name string, args []string) bool {
	last := args[len(args)-1]
	switch name {
	case "BITCOUNT":
		return len(args) > 2 // a part of a text
	case "ZRANK", "ZREVRANK":
		return len(args) > 3 // since 7.2
	case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
		n, ok := whole(args[2])
		return len(args) > 5 || len(args) > 3 && (!ok || n > math.MaxInt64/1000 || n < math.MinInt64/1000)
	case "HSCAN":
		return len(args) > 3 && (last == "0" || strings.HasPrefix(last, "-"))
	case "LINDEX", "LSET":
		n, ok := whole(args[2])
		return !ok || n > math.MaxInt32 || n < math.MinInt32 // versions differ
	case "LMOVE":
		first, second := strings.ToUpper(args[3]), strings.ToUpper(args[4])
		return !strings.Contains(" LEFT RIGHT ", " "+first+" ") || !strings.Contains(" LEFT RIGHT ", " "+second+" ")
	case "SETRANGE":
		n, _ := whole(args[2])
		return last == "" || n > largest
	case "ZPOPMIN", "ZPOPMAX":
		return len(args) == 3 && last == "0"
	}
	return false
}

// exotic reports whether an option occurs twice, or miniredis may read a number in which Redis reads none.
func exotic(options []string) bool {
	for i, option := range options {
		again := func(other string) bool { return strings.EqualFold(other, option) }
		isWord := strings.ToLower(option) != strings.ToUpper(option)
		if lenient(option) || isWord && slices.ContainsFunc(options[:i], again) {
			return true
		}
	}
	return false
}

// get is a text that the server has; not ok if it has none there.
func (s *scripts) get(args ...string) (text string, ok bool) {
	value, _ := s.issue(args)
	return value.Text()
}

// prepare says what Redis would object to a command that miniredis takes, and makes a command that miniredis does as
// Redis does this one.
func (s *scripts) prepare(name string, args []string) (prepared []string, problem string) {
	s.lenient = s.lenient || slices.ContainsFunc(args[1:], lenient)
	option := func(word string) bool {
		return slices.ContainsFunc(args[1:], func(arg string) bool { return strings.EqualFold(arg, word) })
	}
	switch name {
	case "GETRANGE", "SUBSTR":
		args[0] = "GETRANGE"
		from, _ := whole(args[2])
		if to, _ := whole(args[3]); from < 0 && to < 0 && from > to {
			args[2], args[3] = "1", "0" // nothing
		}
	case "SET":
		problem = s.options(args, 3, " NX XX GET KEEPTTL EX PX EXAT PXAT ")
	case "GETEX":
		problem = s.options(args, 2, " PERSIST EX PX EXAT PXAT ")
		if _, found := s.get("GET", args[1]); problem != wrongSyntax && !found {
			return []string{"GET", args[1]}, "" // miniredis would set the deadline of another type, too
		}
	case "APPEND", "SETBIT", "SETRANGE":
		s.lenient = true
	case "INCR", "DECR", "INCRBY", "DECRBY", "HINCRBY":
		if name == "DECRBY" && args[2] == strconv.Itoa(math.MinInt64) {
			return nil, "ERR decrement would overflow"
		}
		if s.lenient {
			at := []string{"GET", args[1]}
			if name == "HINCRBY" {
				at = []string{"HGET", args[1], args[2]}
			}
			if old, _ := s.get(at...); lenient(old) {
				problem = worded(name, notWhole)
			}
		}
	case "INCRBYFLOAT", "HINCRBYFLOAT":
		return s.addFloat(name, args)
	case "COPY":
		if len(args) == 4 && option("REPLACE") && args[1] != args[2] {
			if exists, _ := s.issue([]string{"EXISTS", args[1]}); exists == luavm.Int(1) {
				s.issue([]string{"DEL", args[2]}) // miniredis keeps what a key of another type held
			}
		}
	case "HMSET":
		if len(args)%2 == 0 {
			args[0] = "HSET" // its reply counts the new fields
		}
	case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
		if problem = s.read(args, "-i"); problem == "" {
			problem = s.far(name, args[2], name[0] == 'E', strings.HasSuffix(name, "AT"))
		}
	case "SETEX", "PSETEX":
		problem = s.far(name, args[2], name == "SETEX", false)
	case "LMOVE", "RPOPLPUSH", "SMOVE": // miniredis would drop the deadline of a key of one element
		if name == "SMOVE" && args[1] == args[2] {
			return []string{"SISMEMBER", args[1], args[3]}, ""
		}
		if size, _ := s.issue([]string{"LLEN", args[1]}); args[1] == args[2] && size == luavm.Int(1) {
			return []string{"LINDEX", args[1], "0"}, ""
		}
	case "ZUNIONSTORE": // miniredis empties the key before it objects
		_, problem = s.issue(append([]string{"ZUNION"}, args[2:]...))
	case "ZADD":
		problem = s.scores(args)
	case "ZRANGE":
		switch {
		case option("BYSCORE"):
			problem = s.read(args, "-bb")
		case option("BYLEX") && option("WITHSCORES"):
			problem = wrongSyntax
		case !option("BYLEX"):
			problem = s.read(args, "-ii")
		}
	}
	return args, problem
}

// options are those of SET and GETEX from an argument on.
func (s *scripts) options(args []string, from int, flags string) (problem string) {
	expiries, conditions := 0, 0
	for i := from; i < len(args); i++ {
		option := strings.ToUpper(args[i])
		if slices.ContainsFunc(args[from:i], func(arg string) bool { return strings.EqualFold(arg, option) }) {
			return s.refuse("of the option " + option + ", which is given twice")
		}
		switch option {
		case "EX", "PX", "EXAT", "PXAT":
			expiries++
			if i++; i == len(args) {
				return wrongSyntax
			}
			n, ok := whole(args[i])
			switch {
			case !ok:
				problem = notWhole
			case n <= 0:
				problem = invalidExpiry(args[0])
			default:
				problem = s.far(args[0], args[i], option[0] == 'E', len(option) == 4)
			}
		case "KEEPTTL", "PERSIST":
			expiries++
		case "NX", "XX":
			conditions++
		}
		if expiries > 1 || conditions > 1 || !strings.Contains(flags, " "+option+" ") {
			return wrongSyntax
		}
	}
	return problem
}

func invalidExpiry(name string) string {
	return "ERR invalid expire time in '" + strings.ToLower(name) + "' command"
}

// far is about a deadline that is farther away than Redis counts, or than miniredis does: 292 years in nanoseconds.
func (s *scripts) far(name, text string, seconds, absolute bool) string {
	n, _ := whole(text)
	if seconds {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return invalidExpiry(name)
		}
		n *= 1000
	}
	if absolute {
		n -= Midnight.UnixMilli()
	}
	switch {
	case n > math.MaxInt64-Midnight.UnixMilli():
		return invalidExpiry(name)
	case n > math.MaxInt64/int64(time.Millisecond):
		return s.refuse("of a deadline 292 years away")
	}
	return ""
}

// scores checks the words of ZADD, and writes the scores as miniredis reads them.
func (s *scripts) scores(args []string) (problem string) {
	first := 2
	for first < len(args) && strings.Contains(" NX XX GT LT CH INCR ", " "+strings.ToUpper(args[first])+" ") {
		first++
	}
	if first == len(args) || (len(args)-first)%2 == 1 {
		return wrongSyntax
	}
	has := func(option string) bool {
		return slices.ContainsFunc(args[2:first], func(arg string) bool { return strings.EqualFold(arg, option) })
	}
	refused := has("INCR") && (has("GT") || has("LT"))
	for i := first; i < len(args) && problem == ""; i += 2 {
		args[i], problem = s.number('f', args[i])
		for j := first; j < i && first > 2; j += 2 {
			refused = refused || args[j+1] == args[i+1]
		}
	}
	if refused || problem != "" && first > 2 {
		problem = s.refuse("of ZADD with these arguments")
	}
	return problem
}

// addFloat makes a command that writes what INCRBYFLOAT or HINCRBYFLOAT would. Redis adds numbers with 64 bits of
// precision, and writes 17 places.
func (s *scripts) addFloat(name string, args []string) (prepared []string, problem string) {
	read, write, wrong := []string{"GET", args[1]}, []string{"SET", args[1], "", "KEEPTTL"}, notFloat
	if name == "HINCRBYFLOAT" {
		read, write = []string{"HGET", args[1], args[2]}, []string{"HSET", args[1], args[2], ""}
		wrong = "ERR hash value is not a float"
	}
	value, problem := s.issue(read)
	step, ok := s.term(args[len(args)-1])
	old, okay := new(big.Float), true
	if text, found := value.Text(); found {
		old, okay = s.term(text)
	}
	switch {
	case name == "HINCRBYFLOAT" && !ok:
		return nil, notFloat
	case problem != "":
		return nil, problem
	case !okay:
		return nil, wrong
	case !ok:
		return nil, notFloat
	}
	sum := new(big.Float).SetPrec(64).Add(old, step).Text('f', 17)
	if sum = strings.TrimSuffix(strings.TrimRight(sum, "0"), "."); sum == "-0" {
		sum = "0"
	}
	write[len(read)] = sum
	return write, ""
}

// term reads a finite number with 64 bits of precision.
func (s *scripts) term(text string) (*big.Float, bool) {
	_, ok := strictNumber(text)
	n, _, err := big.ParseFloat(text, 0, 64, big.ToNearestEven)
	if ok != (err == nil) || ok && n.IsInf() {
		s.refuse("of the number " + strconv.Quote(text))
	}
	return n, ok
}

// worded is a problem that miniredis tells, in the words of Redis.
func worded(name, problem string) string {
	switch {
	case strings.HasPrefix(problem, "ERR invalid expire time in "):
		return invalidExpiry(name)
	case strings.HasPrefix(problem, "ERR wrong number of arguments for "):
		return "ERR wrong number of arguments for '" + strings.ToLower(name) + "' command"
	case name == "HINCRBY" && problem == notWhole:
		return "ERR hash value is not an integer"
	}
	return problem
}

// finish mends what miniredis has done, and its answer.
func (s *scripts) finish(name string, args []string, value luavm.Value) (luavm.Value, string) {
	switch name {
	case "INCRBYFLOAT":
		return luavm.String(args[2]), ""
	case "HSET", "HMSET", "HSETNX":
		s.entered(args[1], args[2:], value)
		if name == "HMSET" {
			return told("ok", "OK"), ""
		}
	case "HINCRBY":
		return s.incremented(args, value)
	case "HINCRBYFLOAT":
		s.entered(args[1], args[2:], value)
		return luavm.String(args[3]), ""
	case "HDEL":
		if o := s.orders[args[1]]; o != nil {
			gone := func(field string) bool { return slices.Contains(args[2:], field) }
			o.fields = slices.DeleteFunc(o.fields, gone)
		}
	case "COPY":
		delete(s.orders, args[2])
		if ttl, _ := s.issue([]string{"PTTL", args[1]}); value == luavm.Int(1) && ttl == luavm.Int(-1) {
			s.issue([]string{"PERSIST", args[2]}) // miniredis keeps the deadline of what it replaces
		}
	case "DEL", "UNLINK", "RENAME", "RENAMENX":
		for _, key := range args[1:] {
			delete(s.orders, key)
		}
	case "HGETALL", "HKEYS", "HVALS", "HSCAN":
		return s.ordered(name, args, value)
	case "SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE", "ZUNIONSTORE", "ZINTERSTORE":
		if value == luavm.Int(0) { // miniredis keeps an empty key
			s.issue([]string{"DEL", args[1]})
		} else {
			s.issue([]string{"PERSIST", args[1]})
		}
	case "ZADD", "ZINCRBY":
		if text, _ := value.Text(); strings.HasSuffix(text, "nan") { // the score was the opposite infinity
			step := args[len(args)-2]
			n, _ := strictNumber(step)
			s.issue([]string{"ZADD", args[1], strconv.FormatFloat(-n, 'g', -1, 64), args[len(args)-1]})
			return luavm.Nil, "ERR resulting score is not a number (NaN)"
		}
		return wholeScores(name, args, value), ""
	case "ZSCORE", "ZMSCORE", "ZPOPMIN", "ZPOPMAX", "ZRANGE", "ZREVRANGE", "ZRANGEBYSCORE", "ZREVRANGEBYSCORE",
		"ZUNION":
		return wholeScores(name, args, value), ""
	}
	return value, ""
}

// wholeScores writes whole scores in a reply without an exponent, as Redis does: midnight in µs is one.
func wholeScores(name string, args []string, value luavm.Value) luavm.Value {
	first, step := 1, 1
	switch name {
	case "ZSCORE", "ZMSCORE", "ZINCRBY", "ZADD":
	case "ZPOPMIN", "ZPOPMAX":
		first, step = 2, 2
	default:
		scored := func(word string) bool { return strings.EqualFold(word, "WITHSCORES") }
		if !slices.ContainsFunc(args[1:], scored) {
			return value
		}
		first, step = 2, 2
	}
	score := func(v luavm.Value) luavm.Value {
		text, ok := v.Text()
		if !ok || !strings.Contains(text, "e+") {
			return v
		}
		if n, ok := luavm.ParseNumber(text); ok && math.Abs(n) < 1<<52 {
			return luavm.String(strconv.FormatFloat(n, 'f', -1, 64))
		}
		return v
	}
	if t := value.Table(); t != nil {
		for i := first; i <= t.Len(); i += step {
			t.SetInt(i, score(t.GetInt(i)))
		}
		return value
	}
	return score(value)
}
