//go:build !js

package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// templates are the expressions of each kind of value: number, string, boolean, table, function. A letter after $ is
// an expression of that kind, $a one of any kind.
var templates = map[byte][]string{
	'n': lines(`
		($n + $n) ## ($n - $n) ## ($n * $n) ## ($n / $n) ## ($n % $n) ## ($n ^ 2) ## -($n + 1) ## #$s ## #$t
		math.floor($n) ## math.ceil($n) ## math.abs($n) ## math.max($n, $n) ## math.min($n, $n, $n) ## math.sqrt($n)
		math.fmod($n, $n) ## math.modf($n) ## math.frexp($n) ## math.ldexp($n, 3) ## math.huge
		(tonumber($s) or 0) ## (tonumber($s, 16) or 1) ## (tonumber($n) or 2) ## string.len($s) ## tonumber($s, $n)
		(string.byte($s, $n) or 0) ## (string.find($s, $s, 1, true) or 0) ## (string.find($s, '%d+') or 0)
		select('#', $a, $a) ## select('#', unpack($t)) ## (select(2, $n, $n)) ## ($b and $n or $n) ## ($s + $n)
		('3' * $n) ## table.getn($t) ## table.maxn($t) ## (rawget($t, 1) or 5) ## (#{$a, $a, unpack($t)})
		(#{$n, x = $f()}) ## (#{$n, nil, $n}) ## (#{n = 1, $a, $a, $a, nil}) ## ($f($n, $a)) ## (select($n, $a, $n))
		bit.band($n, 255) ## bit.bor($n, $n) ## bit.lshift($n, 3) ## bit.tobit($n) ## bit.bxor($n, $n)
		bit.rol($n, $n) ## bit.ror($n, $n) ## bit.arshift($n, $n) ## bit.bswap($n) ## bit.bnot($n) ## bit.rshift($n, $n)
		redis.call('INCR', 'k') ## redis.call('INCRBY', 'k', int($n)) ## redis.call('HINCRBY', 'h', 'f', 3)
		redis.call('EXISTS', 'k', 'h') ## redis.call('RPUSH', 'l', int($n), clip($s)) ## redis.call('ZADD', 'z', int($n), clip($s))
		((function(...) return select('#', ...) end)($a, unpack($t))) ## ((function(...) return arg.n end)($a, $a))
		((function(...) local a, b = ... return b or 0 end)($n, $n)) ## ($t + $n) ## -($t) ## ($t % 3)`),
	's': lines(`
		($s .. $s) ## ($n .. '|') ## ($s .. $n .. $s) ## tostring($n) ## tostring($s) ## tostring($b) ## ($t .. $s)
		string.format('%d', $n) ## string.format('%5.2f|%s', $n, $s) ## string.format('%x', $n) ## string.format('%g', $n)
		string.format('%.14g', $n) ## string.format('%.0f', $n) ## string.format('%q', $s) ## string.format('%c', 65)
		string.format('%-6s|%06d|%+d|% d', $s, $n, $n, $n) ## string.format('%#x|%5.3d|%e|%G', $n, $n, $n, $n)
		string.format('%.3s|%10.4s|%u|%o', $s, $s, $n, $n) ## string.sub($s, $n, $n) ## string.sub($s, -3)
		string.upper($s) ## string.rep($s, 2) ## string.rep($s, $n % 3) ## string.reverse($s) ## $s:lower() ## ($s):sub(2)
		(string.gsub($s, '%w', '%0%0')) ## (string.gsub($s, '.', {a = 'b', b = true})) ## ($s):rep(2):upper()
		(string.gsub($s, '%a', function(c) return $a end)) ## (string.match($s, '^(%a*)') or 'none')
		(string.match($s, '%d+') or 'none') ## table.concat({$s, $n, $s}, ',') ## table.concat($t, $s) ## type($a)
		table.concat($t, ',', $n, $n) ## cjson.encode($n) ## cjson.encode({$a, $s}) ## cjson.encode({x = $n})
		cjson.encode($t) ## cjson.encode({tokens = $n, ts = $n, [key($s)] = $b}) ## ($b and $s or $s) ## bit.tohex($n) ## bit.tohex($n, $n)
		tostring($t == $t) ## tostring(redis.call('GET', 'k')) ## tostring(redis.call('HGET', 'h', $s))
		(redis.call('SET', 'k', int($n)).ok) ## redis.sha1hex($s) ## tostring(pcall($f, $a))
		tostring((select(2, pcall(error, $s, 0)))) ## tostring(select(2, pcall(error, {$n})) ~= nil)`),
	'b': lines(`
		true ## false ## not $a ## ($n < $n) ## ($n <= $n) ## ($n == $n) ## ($n ~= $n) ## ($s < $s) ## ($s == $s)
		($b and $b) ## ($b or $b) ## ($a == nil) ## rawequal($a, $a) ## ($n == $s) ## (pcall($f, $n)) ## ($t == $t)
		(next($t) == nil) ## redis.call('GET', $s) ## ($a < $a) ## ($t <= $t) ## ($t < $t) ## ($a == $a)`),
	't': lines(`
		{} ## {$n, $n, $n} ## {$n, $s, $b} ## {$n, [2] = $n} ## {$n, x = $n, $s} ## {x = $s, y = $n} ## {[key($s)] = $a}
		{$n, $f($n)} ## {$n, y = $f($n)} ## {unpack($t)} ## {$t, $n} ## {redis.pcall('GET', 'k')} ## {$n, nil, $s}
		{limit = $n, tokens = $n, ts = $n, cost = $s} ## {[key($n)] = $n, [key($n)] = $s, [key($n)] = $n} ## {$f()} ## {x = {y = $n}}
		cjson.decode('[1,2,{"a":null}]') ## cjson.decode(cjson.encode({$n, $s})) ## redis.call('LRANGE', 'l', '0', '-1')
		cjson.decode('{"limit":1,"ts":2,"tokens":3.5,"window":[]}') ## redis.call('HMGET', 'h', 'f', $s)
		redis.call('ZRANGE', 'z', '0', '-1', 'WITHSCORES') ## (function(...) return {...} end)($a, $a) ## cjson.decode($s)
		setmetatable({}, {__index = function(t, k) return k end}) ## setmetatable({$n}, {__index = $t})
		setmetatable({$n}, {__call = function(self, a) return a end}) ## redis.status_reply($s)
		setmetatable({$n}, {__add = $f, __unm = $f, __concat = $f, __mod = $f, __len = $f, __tostring = $f})
		setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, $a) end, __eq = $f, __lt = $f, __le = $f})`),
	'f': lines(`
		function(a) return a end ## function(a, b) return b, a end ## function(...) return ... end ## math.floor
		function(a) return end ## function(a) return tonumber(a) or 0 end ## tostring ## type ## string.upper
		function() error('raised') end ## function() error('raised', 2) end ## function() error({code = $n}) end
		function(a) return $n end ## function(a) return #a end ## function(a) return a.x.y end ## function(a) a() end`),
}

// literals of each kind.
var literals = map[byte][]string{
	'n': lines(`0 ## 1 ## 2 ## 3 ## -1 ## 0.5 ## 7 ## 10 ## 100 ## 1e3 ## 1.5 ## 0.1 ## 1e15 ## 1700000000123 ## 2^53 ## 1/3
		0x10 ## 1e-5 ## -7.25 ## 255 ## 1e300 ## 4294967296 ## 64`),
	's': lines(`('') ## ('a') ## ('abc') ## ('10') ## ('7') ## ('a b') ## ('1e2') ## ('0x1F') ## ('a,b') ## ('-3')
		(' 5 ') ## ('%') ## ("q'\n") ## ('k') ## ('nan') ## ([[x y]]) ## ('\65\066\0') ## ('[1,{"x":[]}]')`),
	'b': {"true", "false"},
	't': {"({})", "({1, 2, 3})", "({x = 1})"},
	'f': {"(type)", "(tostring)", "(function() end)"},
}

// statements are those without a block; $v is a variable, or an element of one.
var statements = lines(`
	local @n, @s = $n, $s ## local @t = $t ## local @n, @t, @b = $n, $t ## local @f = $f ## local @a, @n = $f($a), $n
	$v = clip($a) ## $v, $v = clip($a), clip($a) ## $v, $v = $v, $v ## $v, $v, $v = $n, $v, clip($s) ## $v = $v
	$v, $v = clips($f($n, $s)) ## $v, $v = clip($n), 1 ## $v, $v, $v = clips($a, $a)
	tell($a) ## tell($n, $s) ## tell($t) ## tell(try($f, $a)) ## tell(unpack($t)) ## tell($f($a, $n)) ## tell(next($t))
	tell(select(-1, $a, $a)) ## tell(string.byte($s, 1, -1)) ## tell(string.find($s, $s)) ## tell(pcall(next, $t, $s))
	tell(xpcall($f, function(e) return e end)) ## tell(pcall(string.rep)) ## tell(pcall($a)) ## tell(try($a, $a))
	tell(pcall(function() local x = $a return x.y end)) ## tell(pcall(function() return $a + $a end))
	tell(pcall(function() return $a .. $a end)) ## tell(pcall(function() return $a < $a end)) ## tell(unpack($t, $n, 3))
	table.insert($t, $n) ## table.insert($t, 1, $s) ## tell(table.remove($t)) ## tell(table.remove($t, 1)) ## $t[7] = $n
	table.sort($t) ## rawset($t, key($s), $n) ## tell(pcall(table.sort, $t)) ## setmetatable($t, {__newindex = $t})
	table.sort($t, function(a, b) return tostring(a) > tostring(b) end) ## $t[key($n)] = $a ## $t[#$t] = nil ## $t.x = nil
	redis.call('SET', 'k', int($n)) ## redis.call('HSET', 'h', clip($s), int($n)) ## redis.call('DEL', 'k')
	tell(redis.pcall('SET', 'k', clip($s), 'PX', 100000)) ## redis.call('LPUSH', 'l', clip($s)) ## redis.call('SADD', 's', clip($s))
	tell(redis.call('TYPE', $s).ok) ## tell(pcall(cjson.decode, $s)) ## tell(pcall(error, $a, $n))`)

// blocks have statements at each bar.
var blocks = lines(`
	if $b then|end ## if $b then|else|end ## if $b then|elseif $b then|else|end ## do|end ## tell(pcall(function()|end))
	for @n = 1, $n do spend()|end ## for @n = 3, 1, -1 do spend()|end ## for @n = $n, $n, $n do spend()|end
	for @n = 0, 1, 0.1 do spend()|end ## for @n = '1', 3 do spend()|end ## for @n = 1, 3 do spend()|if $b then break end|end
	for @n, @a in ipairs($t) do spend()|end ## for @s, @a in pairs($t) do spend() tell($a)|end
	for @n, @a in next, $t do spend()|end ## for @s, @a in pairs($t) do spend() $t[key($s)] = nil|end
	for @s, @a in string.gmatch($s, '()(.)') do spend()|end ## for @n in $f, $a do spend()|end
	local @n = 0 while $b do spend()|if $n > 3 then break end|end ## local @n = 0 repeat spend()|until true
	local @n, @t = $n, $t local function @f(@a) $v = clip($a)|return $a end tell($v + $v, $v < $v, $v .. $v)|tell($a) ##
	local @n = $n local @f = function(@a) $v, $v = $n, $a|return $n end $v[$f($n)], $v = $f($n), $v tell($n + $f($n))| ##
	local function @f(@n, @a) spend()|return $a end ## local function @f(@s, ...) spend()|return $n, ... end
	local @f = function(@n) spend()|do return end end ## local function @f(@n) spend()|return $f($n, $a) end
	do local co = coroutine.wrap(function(@n) spend() tell(coroutine.yield($n, 1))|end) tell(co($n)) tell(try(co, $s)) end
	local @t = {} function (self) end|end ## local @t = {n = $n} function t:m(@a) spend()|return self.n end tell(t:m($a))`)

// lines are the parts between ## and ends of lines.
func lines(text string) []string {
	all := strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "\n", "##"), "##")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// programmer writes one program.
type programmer struct {
	*rand.Rand
	vars []string // those in scope: a letter for the kind, and a number
	made int
}

// program is a program of statements as scripts have them.
func program(r *rand.Rand) *node {
	p := &programmer{Rand: r}
	root := &node{}
	for range 3 + r.IntN(8) {
		root.kids = append(root.kids, p.statement(2))
	}
	root.kids = append(root.kids, &node{open: p.fill("tell($a, $a, $n, $s)", 2)})
	return root
}

// fill writes expressions in the place of the letters after $, and new variables in the place of those after @.
func (p *programmer) fill(template string, depth int) string {
	var b strings.Builder
	var fresh []string
	for template != "" {
		at := strings.IndexAny(template, "$@")
		if at < 0 {
			at = len(template)
		}
		b.WriteString(template[:at])
		if template = template[at:]; template == "" {
			break
		}
		if template[0] == '@' {
			p.made++
			fresh = append(fresh, fmt.Sprintf("%c%d", template[1], p.made))
			b.WriteString(fresh[len(fresh)-1])
		} else {
			b.WriteString(p.expression(template[1], depth-1))
		}
		template = template[2:]
	}
	p.vars = append(p.vars, fresh...)
	return b.String()
}

// expression is one of the kind. One in forty is of another kind.
func (p *programmer) expression(kind byte, depth int) string {
	if kind == 'v' {
		return p.variable()
	}
	if kind == 'a' || p.IntN(40) == 0 {
		kind = pick[byte](p.Rand, 'n', 'n', 's', 's', 'b', 't', 'f', 'z')
	}
	if kind == 'z' {
		return "nil"
	}
	var mine []string
	for _, name := range p.vars {
		if name[0] == kind {
			mine = append(mine, name)
		}
	}
	if len(mine) > 0 && p.IntN(2) == 0 {
		return pick(p.Rand, mine...)
	}
	if depth <= 0 || p.IntN(4) == 0 {
		return pick(p.Rand, literals[kind]...)
	}
	text := p.fill(pick(p.Rand, templates[kind]...), depth)
	if kind == 'f' || kind == 't' || kind == 's' {
		return "(" + text + ")"
	}
	return text
}

// variable is what a value can be assigned to.
func (p *programmer) variable() string {
	if len(p.vars) == 0 {
		return "told.x"
	}
	name := pick(p.Rand, p.vars...)
	if name[0] == 't' && p.IntN(2) == 0 {
		name += p.fill(pick(p.Rand, ".x", "[1]", "[2]", "[#"+name+" + 1]", "[key($n)]", "[key($s)]"), 1)
	}
	return name
}

// statement is a statement, with blocks of at most that depth.
func (p *programmer) statement(depth int) *node {
	if depth == 0 || p.IntN(3) > 0 {
		return &node{open: p.fill(pick(p.Rand, statements...), 3)}
	}
	before := len(p.vars)
	parts := strings.Split(pick(p.Rand, blocks...), "|")
	n := &node{open: p.fill(parts[0], 2)}
	for _, part := range parts[1:] {
		inner := len(p.vars)
		kids := &node{}
		for range 1 + p.IntN(3) {
			kids.kids = append(kids.kids, p.statement(depth-1))
		}
		p.vars = p.vars[:inner]
		n.kids = append(n.kids, kids, &node{open: p.fill(part, 2)})
	}
	p.vars = p.vars[:before]
	return n
}
