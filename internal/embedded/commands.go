package embedded

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/luavm"
)

// refuse ends the script, whatever it catches. It does not return.
func (s *scripts) refuse(what string) string {
	luavm.Abort(errors.New("VTCMD the embedded server cannot decide as Redis does, because " + what +
		"; use --redis process"))
	return ""
}

// neverHere are commands that wait, or draw at random.
const neverHere = " BLPOP BRPOP BLMOVE BRPOPLPUSH BZPOPMIN BZPOPMAX BLMPOP BZMPOP XREAD XREADGROUP WAIT " +
	"SRANDMEMBER SPOP HRANDFIELD ZRANDMEMBER RANDOMKEY "

// wholeArguments says which arguments of a command are whole numbers.
var wholeArguments = map[string][]int{"INCRBY": {2}, "DECRBY": {2}, "HINCRBY": {3}, "EXPIRE": {2}, "PEXPIRE": {2},
	"EXPIREAT": {2}, "PEXPIREAT": {2}, "SETEX": {2}, "PSETEX": {2}, "GETRANGE": {2, 3}, "SETRANGE": {2},
	"LRANGE": {2, 3}, "LTRIM": {2, 3}, "LINDEX": {2}, "LREM": {2}, "ZREMRANGEBYRANK": {2, 3}}

const (
	notWhole    = "ERR value is not an integer or out of range"
	wrongSyntax = "ERR syntax error"
)

// whole reads a number as strictly as Redis.
func whole(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == text
}

// prepare says what Redis would object to a command that miniredis takes, and changes its arguments where miniredis
// reads them otherwise.
func (s *scripts) prepare(args []string) (problem string) {
	name := strings.ToUpper(args[0])
	if strings.Contains(neverHere, " "+name+" ") {
		return s.refuse("of " + name)
	}
	for _, i := range wholeArguments[name] {
		if i >= len(args) {
			return ""
		}
		if _, ok := whole(args[i]); !ok {
			return notWhole
		}
	}
	switch name {
	case "SUBSTR":
		args[0] = "GETRANGE"
	case "SET":
		return options(args, 3)
	case "GETEX":
		return options(args, 2)
	case "DECRBY":
		if len(args) == 3 && args[2] == strconv.Itoa(math.MinInt64) {
			return "ERR decrement would overflow"
		}
	case "INCRBYFLOAT", "HINCRBYFLOAT":
		if n, ok := luavm.ParseNumber(args[len(args)-1]); ok && math.IsInf(n, 0) {
			if name == "HINCRBYFLOAT" {
				return "ERR value is NaN or Infinity"
			}
			return "ERR increment would produce NaN or Infinity"
		}
	case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
		return s.far(name, args[2])
	case "BITCOUNT":
		if len(args) == 5 {
			return s.refuse("of BITCOUNT with a unit")
		}
	case "ZPOPMIN", "ZPOPMAX":
		if len(args) == 3 && args[2] == "0" {
			return s.refuse("of " + name + " of no elements")
		}
	case "SETRANGE":
		if len(args) == 4 && args[3] == "" {
			return s.refuse("of SETRANGE with nothing to write")
		}
	case "ZADD":
		return scores(args)
	}
	return ""
}

// options are those of SET and GETEX from an argument on.
func options(args []string, from int) string {
	var expiries, conditions int
	for i := from; i < len(args); i++ {
		switch option := strings.ToUpper(args[i]); option {
		case "NX", "XX":
			conditions++
		case "KEEPTTL", "PERSIST":
			expiries++
		case "EX", "PX", "EXAT", "PXAT":
			expiries++
			if i++; i == len(args) {
				return wrongSyntax
			}
			n, ok := whole(args[i])
			if !ok && expiries < 2 {
				return notWhole
			}
			if n > math.MaxInt64/1000 && option[0] == 'E' {
				return "ERR invalid expire time in '" + strings.ToLower(args[0]) + "' command"
			}
		}
	}
	if expiries > 1 || conditions > 1 {
		return wrongSyntax
	}
	return ""
}

// far is about a deadline that is farther away than miniredis counts: 292 years in nanoseconds.
func (s *scripts) far(name, text string) string {
	n, _ := whole(text)
	if name[0] == 'E' {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return "ERR invalid expire time in '" + strings.ToLower(name) + "' command"
		}
		n *= 1000
	}
	if strings.HasSuffix(name, "AT") {
		n -= Midnight.UnixMilli()
	}
	if n > math.MaxInt64/int64(time.Millisecond) {
		return s.refuse("of a deadline 292 years away")
	}
	return ""
}

// scores writes the scores of ZADD as miniredis reads them.
func scores(args []string) string {
	i := 2
	for i < len(args) && strings.Contains(" NX XX GT LT CH INCR ", " "+strings.ToUpper(args[i])+" ") {
		i++
	}
	for ; i+1 < len(args); i += 2 {
		n, ok := luavm.ParseNumber(args[i])
		switch {
		case !ok:
		case math.IsNaN(n):
			return "ERR value is not a valid float"
		case n == 0, strings.ContainsAny(args[i], "xX"):
			args[i] = strconv.FormatFloat(n+0, 'g', -1, 64)
			if n == 0 {
				args[i] = "0"
			}
		}
	}
	return ""
}

// worded is a problem that miniredis tells, in the words of Redis.
func (s *scripts) worded(args []string, problem string) string {
	name := strings.ToUpper(args[0])
	switch {
	case problem == "":
	case strings.Contains(problem, "ERR unknown command"):
		return s.refuse("of the missing command " + strconv.Quote(args[0]))
	case strings.HasPrefix(problem, "ERR wrong number of arguments for '"):
		atLeast, pairs := map[string]int{"HSET": 4, "HMSET": 4, "MSET": 3, "MSETNX": 3}[name]
		if !pairs || len(args) < atLeast {
			return "ERR Wrong number of args calling Redis command from script"
		}
	case strings.HasPrefix(problem, "ERR invalid expire time in "):
		return "ERR invalid expire time in '" + strings.ToLower(name) + "' command"
	case name == "HINCRBY" && problem == notWhole:
		return "ERR hash value is not an integer"
	case name == "HINCRBYFLOAT" && problem == "ERR value is not a valid float":
		if n, ok := luavm.ParseNumber(args[len(args)-1]); ok && !math.IsNaN(n) {
			return "ERR hash value is not a float"
		}
	case name == "LPOP" || name == "RPOP":
		if problem == notWhole || problem == "ERR index out of range" {
			return "ERR value is out of range, must be positive"
		}
	}
	return problem
}

// wholeScores writes whole scores in a reply without an exponent, as Redis does: midnight in µs is one.
func wholeScores(args []string, value luavm.Value) luavm.Value {
	if name := args[0]; name == "" || name[0]|0x20 != 'z' {
		return value
	}
	first, step := 1, 1
	switch name := strings.ToUpper(args[0]); name {
	case "ZSCORE", "ZMSCORE", "ZINCRBY":
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
