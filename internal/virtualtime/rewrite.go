package virtualtime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"ratelab/internal/script"
)

// oneCommand is the script that a plain command becomes.
const oneCommand = "return redis.call(unpack(ARGV))"

// Rewrite gives the command to send in place of one that the client sends, so that it takes place at that time since
// 1970. args has at least the command's name.
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

// exists answers SCRIPT EXISTS.
const exists = "local known = {} for i, v in ipairs(ARGV) do known[i] = tonumber(v) end return known"

// script remembers what SCRIPT LOAD loads, forgets it with SCRIPT FLUSH, and tells of it with SCRIPT EXISTS.
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
			return args // for the server to refuse
		}
		found := []string{"EVAL", exists, "0"}
		for _, sha1 := range args[2:] {
			found = append(found, string(mark(h.source(sha1) != "")))
		}
		return found
	}
	return Unknown("SCRIPT " + args[1])
}

// source is the script of that digest that the client has sent or loaded, or "".
func (h *Hook) source(sha1 string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sources[strings.ToLower(sha1)]
}

// eval puts a script into the prelude. A digest is answered from what the library has sent before: the server may
// know others, which would run on the real clock, and the library then sends the source.
func (h *Hook) eval(atUS int64, name string, args []string) []string {
	if len(args) < 3 {
		return args // for the server to refuse
	}
	if keys, err := strconv.Atoi(args[2]); err != nil || keys < 0 || keys > len(args)-3 {
		return args // likewise
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

// stamped appends what the prelude takes off ARGV again: see singleHead.
func (h *Hook) stamped(atUS int64, args []string) []string {
	return append(args, strconv.FormatInt(h.offsetMS, 10), strconv.FormatInt(h.sent.Add(1), 10),
		strconv.FormatInt(atUS, 10), h.keep)
}

// Failing is a command that the server answers with the error: in its place among the other replies.
func Failing(text string) []string {
	return []string{"EVAL", "return redis.error_reply(ARGV[1])", "0", text}
}

// named are the names of commands where the prelude gives them handlers.
var named = regexp.MustCompile(`(?:\n(?:reads|writes)\('([^,]*)'|\n *([A-Z]+) = function)`)

// known are the commands that virtual time knows as plain ones.
var known = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, family := range named.FindAllStringSubmatch(preludeSource+keyspaceSource, -1) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(family[1]+family[2], -1) {
			all[name] = true
		}
	}
	return all
})

// Knows reports whether virtual time knows a command, whose name is in capitals. Whether a script is one that it can
// run shows only when it is called.
func Knows(name string) bool {
	return known()[name] || strings.HasPrefix(name, "EVAL") || name == "SCRIPT"
}

// Unknown is a command that the server answers as the prelude does one that it does not know.
func Unknown(command string) []string {
	return Failing(fmt.Sprintf("VTCMD virtual time does not know the command %q", command))
}

const singleHead = "local real, A = redis, ARGV " +
	"local keep, at = tonumber(table.remove(A)), table.remove(A) local serial = tonumber(table.remove(A)) " +
	"local offset, any_key = tonumber(table.remove(A)), true "

// wrap makes a script for one call, once.
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
