package embedded

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/fpconv"
	"github.com/alicebob/miniredis/v2/server"

	"ratelab/internal/luavm"
)

// run runs a script, and writes its reply to c. The caller holds the server's lock.
func (s *scripts) run(c *server.Peer, of *script, keys, args []string) {
	s.globals.SetName("KEYS", list(keys))
	s.globals.SetName("ARGV", list(args))
	s.answer = answer{text: s.answer.text[:0], resp3: c.Resp3}
	settings := luavm.Settings{Globals: s.globals, Texts: s.texts, Name: sourceName, Stop: s.stop, Nested: 1}
	err := luavm.Run(of.code, settings, func(t *luavm.Thread, results []luavm.Value) {
		if len(results) == 0 {
			results = []luavm.Value{luavm.Nil}
		}
		if !s.answer.add(results[0], 0) {
			luavm.Abort(errors.New("ERR reached lua stack limit"))
		}
	})
	var raised *luavm.Error
	var cannot *luavm.CannotError
	switch {
	case errors.As(err, &cannot):
		c.WriteError(refusal(cannot.Why))
		return
	case errors.As(err, &raised):
		s.answer.text = s.answer.text[:0]
		s.answer.line('-', placed(raised, of.sha1))
	case err != nil:
		c.WriteError(err.Error())
		return
	}
	c.WriteRaw(string(s.answer.text))
}

// placed returns the error reply for an error, with the place of the error in the script.
func placed(raised *luavm.Error, digest string) string {
	text := "ERR " + raised.Error()
	if t := raised.Value.Table(); t != nil {
		if message, ok := luavm.TextOf(t.GetName("err")); ok {
			text = message
		}
	}
	text += " script: " + digest
	if raised.Line > 0 {
		text += ", on @" + sourceName + ":" + strconv.Itoa(raised.Line) + "."
	}
	return text
}

// makeGlobals makes the globals of scripts. Scripts cannot change them.
func (s *scripts) makeGlobals() {
	base := luavm.Globals()
	s.globals = base
	base.SetName("pcall", luavm.NewFunction(pcall(base.GetName("pcall"))))
	s.texts = luavm.NewTable(0, 1)
	s.texts.SetName("__index", base.GetName("string"))
	redis := luavm.NewLibrary(map[string]luavm.Native{
		"call":         s.call(true),
		"pcall":        s.call(false),
		"error_reply":  reply("err"),
		"status_reply": reply("ok"),
		"sha1hex":      sha1hex,
		"log":          log,
		"set_repl":     func(*luavm.Thread, []luavm.Value) []luavm.Value { return nil },
		"setresp":      s.setProtocol,
		"replicate_commands": func(t *luavm.Thread, _ []luavm.Value) []luavm.Value {
			return t.One(luavm.True)
		},
	})
	for level, name := range []string{"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"} {
		redis.SetName(name, luavm.Int(level))
	}
	for flags, names := range []string{"REPL_NONE", "REPL_AOF", "REPL_SLAVE REPL_REPLICA", "REPL_ALL"} {
		for name := range strings.FieldsSeq(names) {
			redis.SetName(name, luavm.Int(flags))
		}
	}
	for name, table := range map[string]*luavm.Table{"redis": redis, "server": redis, "cjson": cjson(), "bit": bits(),
		"struct":   s.without(luavm.NewTable(0, 0), "struct."),
		"cmsgpack": s.without(luavm.NewTable(0, 0), "cmsgpack.")} {
		base.SetName(name, table.Value())
	}
	base.SetMeta(luavm.NewLibrary(map[string]luavm.Native{
		"__index": func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
			t.Fail("Script attempted to access nonexistent global variable '%s'", t.Text(args, 2))
			return nil
		}}))
	for key, value, _ := base.Next(luavm.Nil); !key.IsNil(); key, value, _ = base.Next(key) {
		if t := value.Table(); t != nil {
			t.Protect()
		}
	}
	s.texts.Protect()
	base.Protect()
}

// pcall returns Redis's pcall. It differs from Lua's in one case: if a table is raised, it returns the text of its
// field err, if there is one, and otherwise a third value.
func pcall(plain luavm.Value) luavm.Native {
	return func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
		results := t.Instead(plain, args)
		if len(results) == 2 && results[0] == luavm.False && results[1].Table() != nil {
			message := t.Index(results[1], luavm.String("err"))
			if _, ok := luavm.TextOf(message); ok {
				return t.All(luavm.False, message)
			}
			return t.All(luavm.False, results[1], message)
		}
		return results
	}
}

// without makes calls of a library's missing functions end the run.
func (s *scripts) without(library *luavm.Table, name string) *luavm.Table {
	library.SetMeta(luavm.NewLibrary(map[string]luavm.Native{
		"__index": func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
			key, _ := t.Show(args[1]).Text()
			s.refuse("of " + name + key)
			return nil
		}}))
	return library
}

func list(texts []string) luavm.Value {
	t := luavm.NewTable(len(texts), 0)
	for i, text := range texts {
		t.SetInt(i+1, luavm.String(text))
	}
	return t.Value()
}

// log checks its arguments as redis.log does, but writes nothing.
func log(t *luavm.Thread, args []luavm.Value) []luavm.Value {
	if len(args) < 2 {
		t.Throw(told("err", "ERR redis.log() requires two arguments or more."))
	}
	level, ok := args[0].Float()
	switch {
	case !ok:
		t.Throw(told("err", "ERR First argument must be a number (log level)."))
	case level < 0 || level > 3:
		t.Throw(told("err", "ERR Invalid log level."))
	}
	return nil
}

// setProtocol refuses RESP3: commands of scripts always get RESP2 replies here.
func (s *scripts) setProtocol(t *luavm.Thread, args []luavm.Value) []luavm.Value {
	if len(args) != 1 {
		t.Throw(told("err", "ERR redis.setresp() requires one argument."))
	}
	switch t.Float(args, 1) {
	case 2:
	case 3:
		s.refuse("of redis.setresp(3)")
	default:
		t.Throw(told("err", "ERR RESP version must be 2 or 3."))
	}
	return nil
}

// reply returns redis.error_reply or redis.status_reply: a function that makes a table with the text in one field. An
// error without a blank gets the code ERR.
func reply(field string) luavm.Native {
	return func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
		if len(args) != 1 || args[0].Kind() != luavm.KindString {
			return t.One(told("err", "ERR wrong number or type of arguments"))
		}
		text, _ := args[0].Text()
		if field == "err" {
			if text = strings.TrimPrefix(text, "-"); !strings.Contains(text, " ") {
				text = "ERR " + text
			}
		}
		return t.One(told(field, text))
	}
}

// told returns the table that redis.call makes of a status or an error.
func told(field, text string) luavm.Value {
	t := luavm.NewTable(0, 1)
	t.SetName(field, luavm.String(text))
	return t.Value()
}

func sha1hex(t *luavm.Thread, args []luavm.Value) []luavm.Value {
	if len(args) != 1 {
		t.Throw(told("err", "ERR wrong number of arguments"))
	}
	text, _ := luavm.TextOf(args[0])
	sum := sha1.Sum([]byte(text))
	return t.One(luavm.String(hex.EncodeToString(sum[:])))
}

// call returns redis.call, or redis.pcall, which returns an error instead of raising it.
func (s *scripts) call(raises bool) luavm.Native {
	return func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
		words := make([]string, len(args))
		problem := ""
		for i, arg := range args {
			if n, ok := arg.Float(); ok {
				words[i] = argument(n)
			} else if words[i], ok = arg.Text(); !ok {
				problem = "ERR Lua redis lib command arguments must be strings or integers"
			}
		}
		if len(words) == 0 {
			problem = "ERR Please specify at least one argument for this redis lib call"
		}
		var value luavm.Value
		if problem == "" {
			value, problem = s.command(words)
		}
		switch {
		case problem == "":
			return t.One(value)
		case raises:
			t.Throw(told("err", problem))
		}
		return t.One(told("err", problem))
	}
}

// argument formats a number as Redis does since 7.2, in commands and in scores. An integer up to 2^62 has all its
// digits.
func argument(n float64) string {
	if whole := luavm.Cut(n); float64(whole) == n && math.Abs(n) <= 1<<62 {
		return strconv.FormatInt(whole, 10)
	}
	return fpconv.Dtoa(n)
}

// issue executes a command on the server. It returns a value or an error.
func (s *scripts) issue(args []string) (value luavm.Value, problem string) {
	s.elsewhere = s.elsewhere || strings.EqualFold(args[0], "SELECT")
	value, problem, _ = read(s.dispatch(args))
	return value, problem
}

// dispatch executes a command under the lock that is already held, and returns the reply.
func (s *scripts) dispatch(args []string) []byte {
	defer func() {
		if r := recover(); r != nil {
			s.refuse(fmt.Sprintf("miniredis failed at %s: %v", args[0], r))
		}
	}()
	s.replies.Reset()
	s.writer.Reset(&s.replies) // remove the rest of an interrupted command
	s.serve.Dispatch(s.inner, args)
	s.writer.Flush()
	return s.replies.Bytes()
}
