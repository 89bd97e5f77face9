package virtualtime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"ratelab/internal/script"
)

// oneCommand is the script that runs a plain command.
const oneCommand = "return redis.call(unpack(ARGV))"

// Rewrite returns the command to send instead of the client's command. atUS is the command's virtual time since 1970.
// args must contain the command's name.
func (h *Hook) Rewrite(atUS int64, args []string) []string {
	switch name := strings.ToUpper(args[0]); name {
	case "SCRIPT":
		return h.script(args)
	case "EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO":
		return h.eval(atUS, name, args)
	}
	plain, err := h.wrap(wrapping{source: oneCommand, caller: singleSource})
	if err != nil {
		return Failing("VTCMD " + err.Error())
	}
	return h.stamped(atUS, append([]string{"EVAL", plain, "0"}, args...))
}

// exists is the script that replies to SCRIPT EXISTS.
const exists = "local known = {} for i, v in ipairs(ARGV) do known[i] = tonumber(v) end return known"

// script records the source of SCRIPT LOAD, clears the sources for SCRIPT FLUSH, and answers SCRIPT EXISTS from them.
func (h *Hook) script(args []string) []string {
	if len(args) < 2 {
		return args
	}
	switch strings.ToUpper(args[1]) {
	case "LOAD":
		if len(args) == 3 {
			h.remember(args[2])
		}
		return args
	case "FLUSH":
		h.mu.Lock()
		clear(h.sources)
		h.mu.Unlock()
		return args
	case "EXISTS":
		if len(args) == 2 {
			return args // the server refuses it
		}
		found := []string{"EVAL", exists, "0"}
		for _, sha1 := range args[2:] {
			found = append(found, string(mark(h.source(sha1) != "")))
		}
		return found
	}
	return Unknown("SCRIPT " + args[1])
}

// source returns the script with this digest, or "" if the client has not sent or loaded it.
func (h *Hook) source(sha1 string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sources[strings.ToLower(sha1)]
}

// eval puts a script into the prelude. A digest is looked up among the scripts that the client has sent. The server may
// know other scripts, but they would run on the real clock. For an unknown digest the client gets NOSCRIPT, and then
// sends the source.
func (h *Hook) eval(atUS int64, name string, args []string) []string {
	if len(args) < 3 {
		return args // the server refuses it
	}
	if keys, err := strconv.Atoi(args[2]); err != nil || keys < 0 || keys > len(args)-3 {
		return args // the server refuses it
	}
	source, flags := args[1], ""
	if strings.HasSuffix(name, "_RO") {
		flags = noWrites
	}
	if strings.HasPrefix(name, "EVALSHA") {
		if source = h.source(source); source == "" {
			return Failing("NOSCRIPT No matching script. Please use EVAL.")
		}
	}
	h.remember(source)
	wrapped, err := h.wrap(wrapping{source, flags, singleSource})
	if err != nil {
		return Failing("VTSCRIPT " + err.Error())
	}
	return h.stamped(atUS, append([]string{"EVAL", wrapped}, args[2:]...))
}

func (h *Hook) remember(source string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sources[script.SHA1(source)] = source
}

// stamped appends the values that the prelude removes from ARGV: see singleHead.
func (h *Hook) stamped(atUS int64, args []string) []string {
	return append(args, strconv.FormatInt(h.offsetMS, 10), strconv.FormatInt(h.sent.Add(1), 10),
		strconv.FormatInt(atUS, 10), h.keep)
}

// Failing returns a command that the server answers with this error. So the error is in its place among the other
// replies.
func Failing(text string) []string {
	return []string{"EVAL", "return redis.error_reply(ARGV[1])", "0", text}
}

// named matches the names of commands in the prelude, where their handlers are registered.
var named = regexp.MustCompile(`(?:\n(?:reads|writes)\('([^,]*)'|\n *([A-Z]+) = function)`)

// known returns the names of the plain commands that virtual time knows.
var known = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, family := range named.FindAllStringSubmatch(preludeSource+keyspaceSource, -1) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(family[1]+family[2], -1) {
			all[name] = true
		}
	}
	return all
})

// Knows reports whether virtual time knows a command. The name must be in capitals. A script may still be refused when
// it is called.
func Knows(name string) bool {
	return known()[name] || strings.HasPrefix(name, "EVAL") || name == "SCRIPT"
}

// Unknown returns a command that fails as an unknown command fails in the prelude.
func Unknown(command string) []string {
	return Failing(fmt.Sprintf("VTCMD virtual time does not know the command %q", command))
}

const singleHead = "local real, A = redis, ARGV " +
	"local keep, at = tonumber(table.remove(A)), table.remove(A) local serial = tonumber(table.remove(A)) " +
	"local offset, any_key = tonumber(table.remove(A)), true "

// wrap makes the wrapper of a script for single calls, and caches it.
func (h *Hook) wrap(w wrapping) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.wrapped[w]; ok {
		return known, nil
	}
	f, err := facts(w.source, false)
	if err != nil {
		return "", err
	}
	if w.flags != "" {
		f.Flags = append(f.Flags, w.flags)
	}
	s := settings{facts: f, strange: true}
	head, all := singleHead+"local bare, keys, args = false, KEYS, ARGV ", ""
	if w.source == oneCommand {
		head, all = singleHead+"local bare, keys, args = true, KEYS, ARGV ", keyspaceSource
	}
	text := s.bodies() + head + s.prelude() + all + s.maker() + w.caller
	h.wrapped[w] = text
	return text, nil
}
