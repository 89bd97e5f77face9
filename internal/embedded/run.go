package embedded

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
	lua "github.com/yuin/gopher-lua"
)

// run runs a script, and writes its answer to c. The caller holds the lock of the server.
func (s *scripts) run(c *server.Peer, of *script, keys, args []string) {
	s.refused = ""
	l := s.state(keys, args)
	defer l.Close()
	defer func() {
		if s.elsewhere { // a script selects a database for itself alone
			s.serve.Dispatch(s.inner, []string{"SELECT", "0"})
			s.elsewhere = false
		}
	}()
	l.Push(l.NewFunctionFromProto(of.proto))
	err := l.PCall(0, lua.MultRet, l.NewFunction(func(l *lua.LState) int { return placed(l, of.sha1) }))
	var raised *lua.ApiError
	switch {
	case s.refused != "":
		c.WriteError(s.refused)
		return
	case errors.As(err, &raised):
		s.answer = answer{text: s.answer.text[:0]}
		text := raised.Object.String()
		if !strings.Contains(text, " script: "+of.sha1) { // a stack overflow leaves no room for placed
			text = "ERR " + text
		}
		s.answer.line('-', text)
		c.WriteRaw(string(s.answer.text))
		return
	}
	s.answer = answer{s.answer.text[:0], c.Resp3}
	if !s.answer.add(l.Get(1), 0) {
		c.WriteError("ERR reached lua stack limit")
		return
	}
	c.WriteRaw(string(s.answer.text))
}

// placed makes the text of a reply of an error, which says where the script raised it.
func placed(l *lua.LState, digest string) int {
	text := "ERR " + l.ToStringMeta(l.Get(1)).String()
	if n, ok := l.Get(1).(lua.LNumber); ok {
		text = "ERR " + string(appendNumber(nil, float64(n)))
	}
	if t, ok := l.Get(1).(*lua.LTable); ok {
		text = l.ToStringMeta(t.RawGetString("err")).String()
	}
	text += " script: " + digest
	for level := range 20 {
		if place, ok := strings.CutPrefix(l.Where(level), sourceName+":"); ok {
			text += ", on @" + sourceName + ":" + strings.TrimSuffix(place, ":") + "."
			break
		}
	}
	return give(l, lua.LString(text))
}

// libraries are those of miniredis that Redis has too. Not one of them heeds the name that it is opened by.
var libraries = []lua.LGFunction{lua.OpenBase, lua.OpenCoroutine, lua.OpenTable, lua.OpenString, lua.OpenMath}

// state is a new Lua, with what a script finds there.
func (s *scripts) state(keys, args []string) *lua.LState {
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	for _, open := range libraries {
		l.Push(l.NewFunction(open))
		l.Call(0, 0)
	}
	for _, ctx := range s.until {
		l.SetContext(ctx)
	}
	s.amend(l)
	boundNesting(l)
	l.SetGlobal("cjson", s.cjson(l))
	l.SetGlobal("KEYS", list(l, keys))
	l.SetGlobal("ARGV", list(l, args))
	l.SetGlobal("os", l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{ // a clock that would go on makes runs differ
		"clock": func(l *lua.LState) int { return give(l, lua.LNumber(42)) }}))
	redis := l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{
		"call":               s.call(true),
		"pcall":              s.call(false),
		"error_reply":        reply("err"),
		"status_reply":       reply("ok"),
		"sha1hex":            sha1hex,
		"log":                log,
		"set_repl":           func(*lua.LState) int { return 0 },
		"setresp":            setProtocol,
		"replicate_commands": func(l *lua.LState) int { return give(l, lua.LTrue) },
	})
	for level, name := range []string{"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"} {
		redis.RawSetString(name, lua.LNumber(level))
	}
	for flags, names := range []string{"REPL_NONE", "REPL_AOF", "REPL_SLAVE REPL_REPLICA", "REPL_ALL"} {
		for name := range strings.FieldsSeq(names) {
			redis.RawSetString(name, lua.LNumber(flags))
		}
	}
	for _, name := range []string{"struct", "cmsgpack"} {
		l.SetGlobal(name, s.without(l, name+"."))
	}
	l.SetGlobal("redis", redis)
	l.SetGlobal("server", redis)
	protect(l)
	return l
}

// without is a library that refuses each function that it does not have.
func (s *scripts) without(l *lua.LState, name string) *lua.LTable {
	library := l.NewTable()
	library.Metatable = l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"__index": func(l *lua.LState) int {
		l.RaiseError("%s", s.refuse("of "+name+l.ToStringMeta(l.Get(2)).String()))
		return 0
	}})
	return library
}

func list(l *lua.LState, texts []string) *lua.LTable {
	t := l.CreateTable(len(texts), 0)
	for _, text := range texts {
		t.Append(lua.LString(text))
	}
	return t
}

// protect refuses globals, as Redis does.
func protect(l *lua.LState) {
	l.SetGlobal("print", lua.LNil)
	l.SetMetatable(l.Get(lua.GlobalsIndex), l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{
		"__newindex": func(l *lua.LState) int {
			l.Error(lua.LString("Attempt to modify a readonly table"), 1)
			return 0
		},
		"__index": func(l *lua.LState) int {
			name := l.ToStringMeta(l.Get(2)).String()
			l.Error(lua.LString("Script attempted to access nonexistent global variable '"+name+"'"), 1)
			return 0
		}}))
}

// log writes nothing, and takes what redis.log takes.
func log(l *lua.LState) int {
	if level, ok := l.Get(1).(lua.LNumber); l.GetTop() < 2 || !ok || level < 0 || level > 3 {
		l.Error(told(l, "err", "ERR redis.log() requires two arguments or more, a level first."), 1)
	}
	return 0
}

// setProtocol changes nothing: a script's commands are always answered in RESP2 here.
func setProtocol(l *lua.LState) int {
	if version := l.CheckInt(1); version != 2 && version != 3 {
		l.Error(lua.LString("RESP version must be 2 or 3"), 1)
	}
	return 0
}

// reply is redis.error_reply or redis.status_reply: a table whose one field is the text. An error of one word gets a
// code before it.
func reply(field string) lua.LGFunction {
	return func(l *lua.LState) int {
		value, ok := l.Get(1).(lua.LString)
		if !ok {
			return give(l, told(l, "err", "ERR wrong number or type of arguments"))
		}
		text := string(value)
		if field == "err" {
			if text = strings.TrimPrefix(text, "-"); !strings.Contains(text, " ") {
				text = "ERR " + text
			}
		}
		return give(l, told(l, field, text))
	}
}

// told is a table as redis.call makes one of a status or an error.
func told(l *lua.LState, field, text string) *lua.LTable {
	t := l.CreateTable(0, 1)
	t.RawSetString(field, lua.LString(text))
	return t
}

func sha1hex(l *lua.LState) int {
	if l.GetTop() != 1 {
		l.Error(lua.LString("wrong number of arguments"), 1)
		return 0
	}
	sum := sha1.Sum([]byte(lua.LVAsString(l.Get(1))))
	return give(l, lua.LString(hex.EncodeToString(sum[:])))
}

// call is redis.call, or redis.pcall, which gives an error back in place of raising it.
func (s *scripts) call(raises bool) lua.LGFunction {
	return func(l *lua.LState) int {
		args := make([]string, l.GetTop())
		problem := ""
		for i := range args {
			switch arg := l.Get(i + 1).(type) {
			case lua.LString:
				args[i] = string(arg)
			case lua.LNumber:
				args[i] = argument(arg)
			default:
				problem = "ERR Lua redis lib command arguments must be strings or integers"
			}
		}
		if len(args) == 0 {
			problem = "ERR Please specify at least one argument for this redis lib call"
		}
		var value lua.LValue
		if problem == "" {
			if problem = s.prepare(args); problem == "" {
				value, problem = s.issue(l, args)
				problem = s.worded(args, problem)
				value = wholeScores(args, value)
			}
		}
		switch {
		case problem == "":
			l.Push(value)
		case raises:
			l.Error(told(l, "err", problem), 1)
		default:
			l.Push(told(l, "err", problem))
		}
		return 1
	}
}

// issue has the server do a command, and reads what it answers: a value, or an error.
func (s *scripts) issue(l *lua.LState, args []string) (value lua.LValue, problem string) {
	s.replies.Reset()
	s.writer.Reset(&s.replies) // what an interrupted command has left
	s.serve.Dispatch(s.inner, args)
	s.writer.Flush()
	s.elsewhere = s.elsewhere || strings.EqualFold(args[0], "SELECT")
	value, problem, _ = read(l, s.replies.Bytes())
	return value, problem
}

// deepestCoroutine is how many coroutines may wait for one another: as many as Redis allows C calls, LUAI_MAXCCALLS,
// less those that the virtual clock takes. gopher-lua knows no bound: it takes all memory, and ends the process.
const deepestCoroutine = 198

// gopher-lua fills the array of a table from its first element on: t[67108863] = 1 took a gigabyte, and five seconds.
func init() { lua.MaxArrayIndex = 1 << 20 }

// boundNesting puts coroutine.resume and coroutine.wrap of our own before gopher-lua's.
func boundNesting(l *lua.LState) {
	library := l.GetGlobal(lua.CoroutineLibName).(*lua.LTable)
	// A coroutine begins with small stacks: one that waits for many others costs 100 KB for each otherwise.
	l.Options.RegistrySize, l.Options.RegistryMaxSize = 256, lua.RegistrySize
	l.Options.RegistryGrowStep, l.Options.MinimizeStackMemory = 256, true
	resume := library.RawGetString("resume").(*lua.LFunction).GFunction
	library.RawSetString("resume", l.NewFunction(func(l *lua.LState) int {
		if !tooDeep(l) {
			return resume(l)
		}
		l.Push(lua.LFalse)
		l.Push(lua.LString(overflow))
		return 2
	}))
	wrap := library.RawGetString("wrap").(*lua.LFunction).GFunction
	library.RawSetString("wrap", l.NewFunction(func(l *lua.LState) int {
		wrap(l)
		made := l.Get(-1).(*lua.LFunction)
		l.Pop(1)
		l.Push(l.NewClosure(func(l *lua.LState) int {
			if tooDeep(l) {
				l.RaiseError(overflow)
			}
			return made.GFunction(l)
		}, made.Upvalues[0].Value()))
		return 1
	}))
}

// overflow is what Redis says.
const overflow = "C stack overflow"

func tooDeep(l *lua.LState) bool {
	depth := 0
	for ; l.Parent != nil; l = l.Parent {
		depth++
	}
	return depth >= deepestCoroutine
}
