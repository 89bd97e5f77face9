package embedded

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	luajson "github.com/alicebob/miniredis/v2/gopher-json"
	"github.com/alicebob/miniredis/v2/server"
	lua "github.com/yuin/gopher-lua"
)

// run runs a script, and writes its answer to c. The caller holds the lock of the server.
func (s *scripts) run(c *server.Peer, of *script, keys, args []string) {
	l := s.state(of.sha1, keys, args)
	defer l.Close()
	defer s.comeBack()
	l.Push(l.NewFunctionFromProto(of.proto))
	if err := l.PCall(0, lua.MultRet, nil); err != nil {
		c.WriteError("ERR Error compiling script (new function): " + err.Error())
		return
	}
	s.answer = answer{s.answer.text[:0], c.Resp3}
	if !s.answer.add(l.Get(1), 0) {
		c.WriteError("ERR reached lua stack limit")
		return
	}
	c.WriteRaw(string(s.answer.text))
}

// comeBack leaves the database that a script has selected: for itself alone.
func (s *scripts) comeBack() {
	if s.elsewhere {
		s.serve.Dispatch(s.inner, []string{"SELECT", "0"})
		s.elsewhere = false
	}
}

// libraries are those of miniredis that Redis has too.
var libraries = []struct {
	name string
	open lua.LGFunction
}{
	{lua.BaseLibName, lua.OpenBase},
	{lua.CoroutineLibName, lua.OpenCoroutine},
	{lua.TabLibName, lua.OpenTable},
	{lua.StringLibName, lua.OpenString},
	{lua.MathLibName, lua.OpenMath},
}

// state is a new Lua, with what a script finds there.
func (s *scripts) state(digest string, keys, args []string) *lua.LState {
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	for _, library := range libraries {
		l.Push(l.NewFunction(library.open))
		l.Push(lua.LString(library.name))
		l.Call(1, 0)
	}
	s.quicken(l)
	l.Push(l.NewFunction(luajson.Loader))
	l.Call(0, 1)
	l.SetGlobal("cjson", l.Get(-1))
	l.Pop(1)
	l.SetGlobal("KEYS", list(l, keys))
	l.SetGlobal("ARGV", list(l, args))
	l.SetGlobal("os", l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"clock": clock}))
	redis := l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{
		"call":               s.call(digest, true),
		"pcall":              s.call(digest, false),
		"error_reply":        reply("err", asError),
		"status_reply":       reply("ok", asIs),
		"sha1hex":            sha1hex,
		"log":                nothing,
		"set_repl":           nothing,
		"setresp":            setProtocol,
		"replicate_commands": func(l *lua.LState) int { l.Push(lua.LTrue); return 1 },
	})
	for level, name := range []string{"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"} {
		redis.RawSetString(name, lua.LNumber(level))
	}
	l.SetGlobal("redis", redis)
	l.SetGlobal("server", redis)
	protect(l)
	return l
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
	globals := l.NewTable()
	globals.RawSetString("__newindex", l.NewFunction(func(l *lua.LState) int {
		l.Error(lua.LString("Script attempted to create global variable '"+l.ToStringMeta(l.Get(2)).String()+"'"), 1)
		return 0
	}))
	globals.RawSetString("__index", l.NewFunction(func(l *lua.LState) int {
		l.Error(lua.LString("Script attempted to access nonexistent global variable '"+
			l.ToStringMeta(l.Get(2)).String()+"'"), 1)
		return 0
	}))
	l.SetMetatable(l.Get(lua.GlobalsIndex), globals)
}

// clock does not go on: no two runs are to differ by it.
func clock(l *lua.LState) int {
	l.Push(lua.LNumber(42))
	return 1
}

func nothing(*lua.LState) int { return 0 }

// setProtocol changes nothing: a script's commands are always answered in RESP2 here.
func setProtocol(l *lua.LState) int {
	if version := l.CheckInt(1); version != 2 && version != 3 {
		l.Error(lua.LString("RESP version must be 2 or 3"), 1)
	}
	return 0
}

// reply is redis.error_reply or redis.status_reply: a table whose one field is what phrase makes of a text.
func reply(field string, phrase func(text string) string) lua.LGFunction {
	return func(l *lua.LState) int {
		text, ok := l.Get(1).(lua.LString)
		if !ok {
			l.Error(lua.LString("wrong number or type of arguments"), 1)
			return 0
		}
		l.Push(told(l, field, phrase(string(text))))
		return 1
	}
}

// asError puts a code before a text of one word, which has none.
func asError(text string) string {
	code, rest, several := strings.Cut(text, " ")
	code = strings.TrimPrefix(code, "-")
	if !several {
		code, rest = "ERR", code
	}
	return code + " " + rest
}

func asIs(text string) string { return text }

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
	l.Push(lua.LString(hex.EncodeToString(sum[:])))
	return 1
}

// call is redis.call, or redis.pcall, which gives an error back in place of raising it.
func (s *scripts) call(digest string, raises bool) lua.LGFunction {
	return func(l *lua.LState) int {
		args := make([]string, l.GetTop())
		for i := range args {
			switch arg := l.Get(i + 1).(type) {
			case lua.LString:
				args[i] = string(arg)
			case lua.LNumber:
				args[i] = number(arg)
			default:
				l.Error(lua.LString(fmt.Sprintf(
					"Lua redis lib command arguments must be strings or integers script: %s, &c.", digest)), 1)
			}
		}
		if len(args) == 0 {
			l.Error(lua.LString(fmt.Sprintf(
				"Please specify at least one argument for this redis lib call script: %s, &c.", digest)), 1)
		}
		value, problem := s.issue(l, args)
		unknown := strings.Contains(problem, "ERR unknown command")
		switch {
		case problem == "":
			l.Push(value)
		case raises && unknown:
			l.Error(lua.LString(fmt.Sprintf("Unknown Redis command called from script script: %s, &c.", digest)), 1)
		case raises:
			l.Error(lua.LString(problem), 1)
		case unknown:
			l.Push(told(l, "err", "ERR Unknown Redis command called from script"))
		default:
			l.Push(told(l, "err", problem))
		}
		return 1
	}
}

// number is one as miniredis writes it for a command.
func number(n lua.LNumber) string {
	if whole := int64(n); lua.LNumber(whole) == n {
		return strconv.FormatInt(whole, 10)
	}
	return n.String()
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
