//go:build !js

package embedded_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// commandForms are commands of scripts. A letter after $ is an argument of that kind. Of the options between braces
// some are written, and between < and > one. The rare ones are refused.
const commandForms = `
	GET/GETDEL/INCR/DECR/STRLEN/BITCOUNT $s |
	SET $k $v {NX XX GET KEEPTTL EX:$t PX:$t PXAT:4000000000000 EXAT:4000000000} | SETNX $k $v | GETSET/APPEND $s $v |
	GETEX $s {PERSIST EX:$t PX:$t PXAT:4000000000000} | SETEX/PSETEX $k $t $v | MGET $s $k $s |
	MSET/MSETNX $k $v $k $v | INCRBY/DECRBY/GETBIT $s $i | INCRBYFLOAT $s $d | GETRANGE/SUBSTR/SETBIT $s $i $i |
	SETRANGE $s $i $v | HSET/HSETNX $h $f $v | HSET $h $f $v $f $v $f $v | HMSET $h $f $v $f $n |
	HGET/HSTRLEN/HEXISTS $h $f | HMGET/HDEL $h $f $f | HGETALL/HKEYS/HVALS/HLEN $h | HINCRBY $h $f $i |
	HINCRBYFLOAT $h $f $d | HSCAN $h 0 {COUNT:10 MATCH:[ab]*} | LPUSH/RPUSH $l $v $v | LPUSHX/RPUSHX $l $v |
	LLEN/LPOP $l | LINDEX/RPOP $l $i | LRANGE/LTRIM $l $i $i | LPOS $l $v {RANK:-1 RANK:2 COUNT:0 MAXLEN:2} |
	LSET $l $i $v | LINSERT $l <BEFORE AFTER> $v $v | LREM $l $o $v | RPOPLPUSH l1 l2 |
	LMOVE l2 l3 <LEFT RIGHT> <LEFT RIGHT> | LMPOP 2 $l $l <LEFT RIGHT> {COUNT:2} | SADD/SREM/SMISMEMBER $S $f $f |
	SCARD/SMEMBERS $S | SISMEMBER $S $f | SMOVE S1 S2 $f | SINTERSTORE/SUNIONSTORE/SDIFFSTORE $k $S $S |
	SINTER/SUNION/SDIFF $S $S | SINTERCARD 2 $S $S {LIMIT:1} | ZADD $z {NX XX GT LT CH INCR} $n $f |
	ZADD $z {NX XX GT LT CH} $n a $n b | ZINCRBY $z $n $f | ZREM/ZMSCORE $z $f $f | ZREMRANGEBYSCORE/ZCOUNT $z $b $b |
	ZREMRANGEBYRANK $z $i $i | ZREMRANGEBYLEX/ZLEXCOUNT $y $x $x | ZPOPMIN/ZCARD $z | ZPOPMAX $z $o |
	ZMPOP 2 $z $z <MIN MAX> {COUNT:2} | ZSCORE/ZRANK/ZREVRANK $z $f | ZRANGE $z $i $i {WITHSCORES REV} |
	ZRANGE $z $b $b BYSCORE {WITHSCORES REV LIMIT:$o:$o} | ZRANGE $y $x $x BYLEX {REV LIMIT:$o:$o} |
	ZREVRANGE $z $i $i {WITHSCORES} | ZRANGEBYSCORE/ZREVRANGEBYSCORE $z $b $b {WITHSCORES LIMIT:$o:$o} |
	ZRANGEBYLEX/ZREVRANGEBYLEX $y $x $x {LIMIT:$o:$o} | ZUNIONSTORE/ZINTERSTORE $k 2 $z $z | TYPE/UNLINK/PERSIST $k |
	EXISTS/TOUCH/DEL $k $k | RENAME/RENAMENX $r $r | COPY $r $r {REPLACE} | EXPIRE/PEXPIRE $k $t {NX XX GT LT} |
	EXPIREAT $k 4000000000 {NX XX GT} | PEXPIREAT $k 4000000000000 {NX XX GT} | TTL/EXPIRETIME/PEXPIRETIME nothing`

const rareForms = `
	PFADD $s $v | PFCOUNT $s | PFMERGE $s $s | GEOADD $z 13.4 52.5 $f | GEODIST $z $f $f | GEOHASH $z $f |
	GEOPOS $z $f | GEOSEARCH $z FROMMEMBER $f BYRADIUS 10 km | GEOSEARCHSTORE $k $z FROMMEMBER $f BYRADIUS 10 km |
	BITPOS $s $i | BITFIELD $s GET u8 0 | BITFIELD_RO $s GET u8 0 | ZUNION 2 $z $z | ZINTER 2 $z $z WITHSCORES |
	ZUNIONSTORE $k 2 $z $z WEIGHTS 1 2 | ZDIFF 2 $z $z | ZDIFFSTORE $k 2 $z $z | ZINTERCARD 2 $z $z |
	ZRANGESTORE $k $z 0 -1 | SSCAN $S 0 | ZSCAN $z 0 COUNT 1 | BITOP AND $k $s $s | NOSUCH $k`

// odd are numbers about which readers of numbers disagree. Versions of Redis write the large ones otherwise in scores.
const (
	oddScores  = "+1 | 01 |  1 | 1.0 | nan | inf | -inf | | 0x10 | 1e400 | 1e-400 | abc | 1  | .5 | 5. | 1_0 | infinity"
	oddNumbers = oddScores + " | 1e17 | -0 | 9223372036854775807 | -9223372036854775808 | 9223372036854775808"
)

// argumentKinds are the arguments of each kind: s, h, l, S, z and y are keys of one type, and k and r of any.
var argumentKinds = map[byte]string{
	's': "s1 | s2 | s3", 'h': "h1 | h2 | h3", 'l': "l1 | l2 | l3", 'S': "S1 | S2 | S3", 'z': "z1 | z2 | z3",
	'y': "y1 | y2", 'r': "s1 | s2 | l1 | S1 | z1 | none | z2", 'k': "s1 | s2 | h1 | l1 | S1 | z1 | none | h2 | z2",
	'f': "a | b | c | 1 | 2 | 10 | b | zz | ", 'v': "v | 1 | 7 | -3 | 0.5 | abc |  | 10 | a | b | 3 ",
	'i': "0 | 1 | 2 | 3 | -1 | -2 | 5 | 10 | -100 | 100", 'o': "0 | 1 | 2 | 2 | -1",
	'n': "0 | 1 | -1 | 2.5 | 1e3 | 0.125 | 1700000000123 | -7.25 | 3", 'd': "0.1 | 1 | -2 | 1000.1 | 3.3e3 | 1e-3",
	'b': "-inf | +inf | 1 | (1 | 0 | (2.5 | 5 | -1 | (0 | 1000 | inf", 'x': "- | + | [a | (a | [b | (c | [1 | [",
}

// commandArgument is one of the kind. One in twenty is an odd one.
func commandArgument(r *rand.Rand, kind byte) string {
	odd := r.IntN(20) == 0
	switch {
	case odd && kind == 'n':
		return words(r, oddScores)
	case odd && strings.IndexByte("idt", kind) >= 0:
		return words(r, oddNumbers)
	case odd && kind == 'b':
		text := strings.TrimLeft(words(r, oddNumbers), " ")
		return pick(r, "", "(") + strings.Replace(text, "0x", "", 1) // versions differ about 0x and blanks
	case odd && kind == 'x':
		return pick(r, "", "a", "+a", "(", "1")
	case odd && kind == 'y': // no sorted set: texts have an order only if the scores are equal
		return words(r, "s1 | h1 | none")
	case odd && strings.IndexByte("shlSz", kind) >= 0:
		kind = 'k'
	case kind == 't': // no deadline is given twice, nor near the border of what look tells
		return strconv.Itoa(100_100 + 1000*r.IntN(1_000_000))
	}
	return words(r, argumentKinds[kind])
}

// commandCall writes a form as a call, now and then with a word too many or too few, or in other letters.
func commandCall(r *rand.Rand, form string) string {
	var args, options []string
	add := func(text string) {
		for part := range strings.SplitSeq(text, ":") {
			if len(part) == 2 && part[0] == '$' {
				part = commandArgument(r, part[1])
			}
			args = append(args, part)
		}
	}
	for _, word := range strings.Fields(form) {
		if options == nil && !strings.ContainsAny(word[:1], "{<") {
			add(word)
			continue
		}
		options = append(options, strings.Trim(word, "{<>}"))
		if last := word[len(word)-1]; last == '}' || last == '>' {
			count := 1
			if last == '}' || r.IntN(40) == 0 {
				count = pick(r, 0, 1, 1, 1, 1, 1, 1, 1, 2)
			}
			r.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
			for _, option := range options[:min(count, len(options))] {
				add(option)
			}
			options = nil
		}
	}
	args[0] = pick(r, strings.Split(args[0], "/")...)
	switch i := r.IntN(len(args)); r.IntN(40) {
	case 0:
		args = args[:1+i]
	case 1:
		args = append(args, words(r, "a | NX | 1 | WITHSCORES | EX"))
	case 2:
		args[i] = strings.ToLower(args[i])
	case 3:
		args[max(i, 1)%len(args)] += pick(r, "\x00", " ", "x")
	}
	for i := range args {
		args[i] = strings.ReplaceAll(strconv.Quote(args[i]), `\x00`, `\0`)
	}
	return "redis.pcall(" + strings.Join(args, ", ") + ")"
}

// commandHead tells an answer, and all of a key: its type, its value and about how long it lives. An error of Redis 7
// has fields besides its text, Valkey does not name Redis there, and Redis draws the order of sets.
const commandHead = `local function answer(v, name)
  if type(v) == 'table' and v.err then v = 'error ' .. v.err:gsub('Redis ', '')
  elseif ('SMEMBERS SINTER SUNION SDIFF'):find(name:upper(), 1, true) then table.sort(v) end
  tell(v)
end
local function look(key)
  local kind, ttl = redis.call('TYPE', key).ok, redis.call('PTTL', key)
  if ttl > 0 then ttl = ttl > 1e11 and 'far' or math.floor(ttl / 1e6 + 0.5) end
  local value = kind == 'string' and redis.call('GET', key) or kind == 'hash' and redis.call('HGETALL', key)
    or kind == 'list' and redis.call('LRANGE', key, 0, -1) or kind == 'set' and redis.call('SMEMBERS', key)
    or kind == 'zset' and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  if kind == 'set' then table.sort(value) end
  tell(kind, value, ttl)
end`

// commands is a program of commands that tells each answer, and what the keys have afterwards.
func commands(r *rand.Rand) *node {
	root := &node{kids: []*node{{open: commandHead}}}
	for _, form := range strings.Split("SET s1 $i | SET s2 $v | HSET h1 $f $v $f $i $f $n | HSET h2 $f $v | "+
		"RPUSH l1 $v $v $v $v | RPUSH l2 $v | SADD S1 $f $f $f | SADD S2 $f $f | ZADD z1 $n $f $n $f $n $f | "+
		"ZADD z2 $n $f | ZADD y1 0 a 0 b 0 c 0 1 0 10 | EXPIRE $k 7000000", " | ") {
		if r.IntN(2) == 0 {
			root.kids = append(root.kids, &node{open: commandCall(r, form)})
		}
	}
	for range 2 + r.IntN(9) {
		form := words(r, strings.Join(lines(commandForms), " "))
		if r.IntN(300) == 0 {
			form = words(r, strings.Join(lines(rareForms), " "))
		}
		call := commandCall(r, form)
		name, _, _ := strings.Cut(strings.TrimPrefix(call, "redis.pcall("), ",")
		root.kids = append(root.kids, &node{open: "answer(" + call + ", " + strings.TrimSuffix(name, ")") + ")"})
		for word := range strings.FieldsFuncSeq(call, func(c rune) bool { return strings.ContainsRune(`(", )`, c) }) {
			if len(word) == 2 && strings.Contains("shlSzy", word[:1]) && strings.Contains("123", word[1:]) {
				root.kids = append(root.kids, &node{open: "look('" + word + "')"})
			}
		}
	}
	return root
}

// words picks one of the words between bars.
func words(r *rand.Rand, bars string) string { return pick(r, strings.Split(bars, " | ")...) }
