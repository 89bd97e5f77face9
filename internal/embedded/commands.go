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

// Refusal is part of all errors about requests that only a real server can decide.
const Refusal = "the embedded server cannot decide as Redis does"

// refuse ends the script. The script cannot catch this. refuse does not return.
func (s *scripts) refuse(what string) string {
	luavm.Abort(errors.New(refusal(what)))
	return ""
}

func refusal(what string) string {
	return "VTCMD " + Refusal + ", because " + what + "; use --redis process"
}

// shape describes the arguments that Redis requires for a command.
type shape struct {
	words   int    // number of words, with the name; negative: the minimum
	numbers string // the kinds of the arguments that Redis checks first, as the letters of number
	options bool   // miniredis checks options in another order than Redis
}

// shapes has the commands that scripts may use on this server. All others are refused: they block, are random, are
// missing in miniredis, reply otherwise than Redis, or are not used by limiters.
var shapes = map[string]shape{}

func init() {
	for shape, names := range map[shape]string{
		{words: -1}:      "PING",
		{words: 1}:       "DBSIZE TIME",
		{words: -2}:      "DEL EXISTS GETEX MGET SDIFF SINTER SUNION TOUCH UNLINK",
		{-2, "-c", true}: "LPOP RPOP ZPOPMAX ZPOPMIN",
		{-2, "", true}:   "SCAN",
		{words: -3}: "COPY EXPIRE EXPIREAT HDEL HMGET LPUSH LPUSHX MSET MSETNX PEXPIRE PEXPIREAT RPUSH RPUSHX SADD " +
			"SET SMISMEMBER SREM ZMSCORE ZRANK ZREM ZREVRANK",
		{-3, "", true}: "HSCAN LPOS",
		{words: 2}: "DECR ECHO EXPIRETIME GET GETDEL HGETALL HKEYS HLEN HVALS INCR KEYS LLEN PERSIST PEXPIRETIME " +
			"PTTL SCARD SELECT SMEMBERS STRLEN TTL TYPE ZCARD",
		{words: 3}: "APPEND GETSET HEXISTS HGET HSTRLEN INCRBYFLOAT LINDEX RENAME RENAMENX SETNX SISMEMBER " +
			"ZSCORE",
		{3, "-i", false}:  "DECRBY INCRBY",
		{words: -4}:       "HMSET HSET ZADD",
		{-4, "", true}:    "ZRANGE ZRANGEBYSCORE ZREVRANGE ZREVRANGEBYSCORE",
		{words: 4}:        "HINCRBYFLOAT HSETNX LSET",
		{4, "--i", false}: "HINCRBY",
		{4, "-i", false}:  "LREM PSETEX SETEX",
		{4, "-ii", false}: "GETRANGE LRANGE LTRIM ZREMRANGEBYRANK",
		{4, "-f", false}:  "ZINCRBY",
		{4, "-bb", false}: "ZCOUNT ZREMRANGEBYSCORE",
		{words: 5}:        "LINSERT",
	} {
		for name := range strings.FieldsSeq(names) {
			shapes[name] = shape
		}
	}
}

const (
	wrongType   = "WRONGTYPE Operation against a key holding the wrong kind of value"
	wrongSyntax = "ERR syntax error"
	notWhole    = "ERR value is not an integer or out of range"
	notFloat    = "ERR value is not a valid float"
)

// whole reads an integer as strictly as Redis does.
func whole(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == text
}

// lenient reports whether miniredis may read an integer from a text that Redis does not accept, such as +1 or 01.
func lenient(text string) bool {
	return len(text) > 1 && (text[0] == '+' || text[0] == '0' || text[0] == '-' && text[1] == '0') &&
		strings.TrimLeft(text[1:], "0123456789") == ""
}

const blanks = " \t\n\v\f\r"

// strictNumber reads a number as strictly as Redis does.
func strictNumber(text string) (n float64, ok bool) {
	n, ok = luavm.ParseNumber(text)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	beyond := math.IsInf(n, 0) && !strings.Contains(digits, "i") || n == 0 && strings.ContainsAny(digits, "123456789")
	return n, ok && !math.IsNaN(n) && !beyond && strings.Trim(text, blanks) == text &&
		strings.IndexByte(text, 0) < 0
}

// score formats a number so that miniredis can read it.
func score(text string, n float64) string {
	if n == 0 {
		return "0" // instead of -0
	}
	if math.IsInf(n, 0) || strings.ContainsAny(text, "xX"+blanks) {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return text
}

// bound converts an end of a range of scores to the format of miniredis.
func (s *scripts) bound(text string) (written, problem string) {
	if text == "-inf" || text == "+inf" {
		return text, ""
	}
	text, _, _ = strings.Cut(text, "\x00") // Redis reads it as a C string
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

// number checks an argument as Redis does, and converts it to the format of miniredis. kind is i for an integer, c for
// a count, f for any number, b for the end of a range of scores, or - for no number.
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
	case 'i':
		if _, ok := whole(text); !ok {
			return text, notWhole
		}
	case 'c':
		if n, ok := whole(text); !ok || n < 0 {
			return text, "ERR value is out of range, must be positive"
		}
	}
	return text, ""
}

// read calls number for the arguments from the second word on.
func (s *scripts) read(args []string, kinds string) (problem string) {
	for i := 0; i < min(len(kinds), len(args)-1) && problem == ""; i++ {
		args[i+1], problem = s.number(kinds[i], args[i+1])
	}
	return problem
}

// command executes a command as Redis does. It returns a value or an error.
func (s *scripts) command(args []string) (value luavm.Value, problem string) {
	name := strings.ToUpper(args[0])
	known, ok := shapes[name]
	switch {
	case !ok && s.serve.IsRegisteredCommand(name):
		return luavm.Nil, s.refuse("of " + name)
	case !ok:
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
	zero := func(arg string) bool { return strings.IndexByte(arg, 0) >= 0 } // a zero byte ends a word for Redis
	if slices.ContainsFunc(asked, zero) || options && problem != wrongType && !strings.Contains(name, "RANGE") {
		problem = s.refuse("of " + name + " with these arguments")
	}
	return luavm.Nil, problem
}

// has reports whether words contains option, in upper or lower case.
func has(words []string, option string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, option) })
}

// apart reports whether miniredis executes a command with these arguments otherwise than Redis.
func apart(name string, args []string) bool {
	last := args[len(args)-1]
	switch name {
	case "HSCAN", "ZRANK", "ZREVRANK": // with options
		return len(args) > 3
	case "COPY":
		return len(args) > 4
	case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
		_, ok := whole(args[2])
		return len(args) > 5 || len(args) > 3 && !ok
	case "GETRANGE": // an empty range
		from, _ := whole(args[2])
		to, _ := whole(last)
		return from < 0 && from > to
	case "LINDEX", "LSET":
		n, _ := whole(args[2])
		return n > math.MaxInt32 || n < math.MinInt32 // Redis versions differ
	case "ZPOPMIN", "ZPOPMAX":
		return len(args) == 3 && last == "0"
	case "ZRANGE": // the order of strings
		return has(args[4:], "BYLEX")
	}
	return false
}

// exotic reports whether an option occurs twice, or whether miniredis may read a number that Redis does not accept.
func exotic(options []string) bool {
	for i, option := range options {
		isWord := strings.ToLower(option) != strings.ToUpper(option)
		if lenient(option) || isWord && has(options[:i], option) {
			return true
		}
	}
	return false
}

// get returns the text reply to a command. ok is false if the reply is not a text.
func (s *scripts) get(args ...string) (text string, ok bool) {
	value, _ := s.issue(args)
	return value.Text()
}

// prepare checks what Redis would reject but miniredis accepts. It returns a command that miniredis executes as Redis
// executes this one.
func (s *scripts) prepare(name string, args []string) (prepared []string, problem string) {
	s.lenient = s.lenient || slices.ContainsFunc(args[1:], lenient)
	switch name {
	case "SET":
		problem = s.options(args, 3, " NX XX GET KEEPTTL EX PX EXAT PXAT ")
	case "GETEX":
		problem = s.options(args, 2, " PERSIST EX PX EXAT PXAT ")
		if _, found := s.get("GET", args[1]); problem != wrongSyntax && !found {
			return []string{"GET", args[1]}, "" // miniredis would also set the deadline of a key of another type
		}
	case "APPEND":
		s.lenient = true
	case "LINDEX", "LSET": // Redis checks the key before the index
		if _, ok := whole(args[2]); !ok {
			var length luavm.Value
			if length, problem = s.issue([]string{"LLEN", args[1]}); length != luavm.Int(0) && problem == "" {
				problem = notWhole
			}
			args[2] = "0"
		}
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
	case "COPY": // miniredis keeps the old value of another type, and its deadline
		if exists, _ := s.issue([]string{"EXISTS", args[1]}); has(args[3:], "REPLACE") && exists == luavm.Int(1) &&
			args[1] != args[2] {
			s.issue([]string{"DEL", args[2]})
		}
	case "HMSET":
		if len(args)%2 == 0 {
			args[0] = "HSET" // the reply of HSET counts the new fields
		}
	case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
		if problem = s.read(args, "-i"); problem == "" {
			s.far(args[2], name[0] == 'E', strings.HasSuffix(name, "AT"))
		}
	case "SETEX", "PSETEX":
		s.far(args[2], name == "SETEX", false)
	case "ZADD":
		problem = s.scores(args)
	case "ZRANGE", "ZRANGEBYSCORE", "ZREVRANGE", "ZREVRANGEBYSCORE":
		problem = s.ranged(name, args)
	}
	return args, problem
}

// ranged checks the options of ZRANGE and its variants from left to right, and then the range.
func (s *scripts) ranged(name string, args []string) (problem string) {
	kinds := "-ii"
	if strings.HasSuffix(name, "BYSCORE") || has(args[4:], "BYSCORE") {
		kinds = "-bb"
	}
	for i := 4; i < len(args); i++ {
		switch option := strings.ToUpper(args[i]); {
		case option == "LIMIT" && kinds == "-ii":
			s.refuse("of LIMIT among ranks")
		case option == "LIMIT" && i+2 < len(args):
			if problem = s.read(args[i:], "ii"); problem != "" {
				return problem
			}
			i += 2
		case option != "WITHSCORES" && (name != "ZRANGE" || option != "REV" && option != "BYSCORE"):
			return wrongSyntax
		}
	}
	return s.read(args, kinds)
}

// options checks the options of SET and GETEX, beginning at an argument.
func (s *scripts) options(args []string, from int, known string) (problem string) {
	expiries, conditions := 0, 0
	for i := from; i < len(args); i++ {
		option := strings.ToUpper(args[i])
		if has(args[from:i], option) {
			return s.refuse("of the option " + option + ", which is given twice")
		}
		switch option {
		case "EX", "PX", "EXAT", "PXAT":
			expiries++
			if i++; i == len(args) {
				return wrongSyntax
			}
			switch n, ok := whole(args[i]); {
			case !ok:
				problem = notWhole
			case n <= 0:
				problem = invalidExpiry(args[0])
			default:
				s.far(args[i], option[0] == 'E', len(option) == 4)
			}
		case "KEEPTTL", "PERSIST":
			expiries++
		case "NX", "XX":
			conditions++
		}
		if expiries > 1 || conditions > 1 || !strings.Contains(known, " "+option+" ") {
			return wrongSyntax
		}
	}
	return problem
}

func invalidExpiry(name string) string {
	return "ERR invalid expire time in '" + strings.ToLower(name) + "' command"
}

// far refuses a deadline beyond the range of miniredis: 292 years in nanoseconds.
func (s *scripts) far(text string, seconds, absolute bool) {
	n, _ := whole(text)
	most, now := int64(math.MaxInt64/time.Millisecond), Midnight.UnixMilli()
	if seconds {
		most, now = most/1000, now/1000
	}
	if absolute {
		n -= now
	}
	if n > most || n < -most {
		s.refuse("of a deadline 292 years away")
	}
}

// scores checks the words of ZADD, and converts the scores to the format of miniredis.
func (s *scripts) scores(args []string) (problem string) {
	first := 2
	for first < len(args) && has(strings.Fields("NX XX GT LT CH INCR"), args[first]) {
		first++
	}
	if first == len(args) || (len(args)-first)%2 == 1 {
		return wrongSyntax
	}
	options := args[2:first]
	refused := has(options, "INCR") && (has(options, "GT") || has(options, "LT"))
	for i := first; i < len(args) && problem == ""; i += 2 {
		args[i], problem = s.number('f', args[i])
		for j := first; j < i && len(options) > 0; j += 2 {
			refused = refused || args[j+1] == args[i+1]
		}
	}
	if refused || problem != "" && len(options) > 0 {
		s.refuse("of ZADD with these arguments")
	}
	return problem
}

// addFloat returns a command that writes the result of INCRBYFLOAT or HINCRBYFLOAT. Redis adds numbers with 64 bits of
// precision, and writes 17 decimal places.
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

// worded converts an error message of miniredis to that of Redis.
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

// finish corrects the effects of miniredis's command, and its reply.
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
		n, _ := value.Float()
		by, _ := whole(args[3])
		if math.Abs(n) >= 1<<53 {
			text, _ := s.get("HGET", args[1], args[2])
			if sum, _ := whole(text); (by > 0) != (sum > sum-by) {
				s.refuse("of an integer beyond 64 bits in a hash")
			}
		}
		if n == float64(by) { // the field may be new
			s.entered(args[1], args[2:3], luavm.Int(1))
		}
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
	case "DEL", "UNLINK", "RENAME", "RENAMENX":
		for _, key := range args[1:] {
			delete(s.orders, key)
		}
	case "HGETALL", "HKEYS", "HVALS", "HSCAN":
		return s.ordered(name, args, value)
	case "ZADD", "ZINCRBY":
		if text, _ := value.Text(); strings.HasSuffix(text, "nan") { // the score was the infinity of the other sign
			s.refuse("of a score that is no number")
		}
	}
	if name[0] == 'Z' {
		return withScores(name, args, value), ""
	}
	return value, ""
}

// withScores formats the scores in a reply as Redis does: miniredis writes midnight in µs with an exponent.
func withScores(name string, args []string, value luavm.Value) luavm.Value {
	score := func(v luavm.Value) luavm.Value {
		text, _ := v.Text()
		if n, ok := luavm.ParseNumber(text); ok {
			return luavm.String(argument(n))
		}
		return v
	}
	t, at, step := value.Table(), 2, 2 // each score follows its member
	switch {
	case t == nil:
		return score(value)
	case name == "ZMSCORE":
		at, step = 1, 1
	case !strings.HasPrefix(name, "ZPOP") && !has(args, "WITHSCORES"):
		return value
	}
	for ; at <= t.Len(); at += step {
		t.SetInt(at, score(t.GetInt(at)))
	}
	return value
}
