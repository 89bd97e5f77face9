package virtualtime

import (
	"fmt"
	"strconv"
	"strings"

	"ratelab/internal/script"
)

// passes are commands that neither tell nor take time, nor touch keys.
var passes = map[string]bool{
	"HELLO": true, "AUTH": true, "CLIENT": true, "SELECT": true, "PING": true, "ECHO": true, "QUIT": true,
	"RESET": true,
	"INFO":  true, "COMMAND": true, "MULTI": true, "EXEC": true, "DISCARD": true, "READONLY": true, "READWRITE": true,
}

// oneCommand is the script that a plain command becomes.
const oneCommand = "return redis.call(unpack(ARGV))"

// rewrite gives the command to send in place of one that the library sends.
func (h *Hook) rewrite(args []string) []string {
	switch name := strings.ToUpper(args[0]); {
	case passes[name]:
		return args
	case name == "SCRIPT":
		return h.script(args)
	case name == "EVAL" || name == "EVAL_RO" || name == "EVALSHA" || name == "EVALSHA_RO":
		return h.eval(name, args)
	}
	plain, err := h.wrap(wrapping{source: oneCommand, caller: singleSource})
	if err != nil {
		return failing("VTCMD " + err.Error())
	}
	return h.stamped(append([]string{"EVAL", plain, "0"}, args...))
}

// script remembers what SCRIPT LOAD loads and forgets it with SCRIPT FLUSH. The other subcommands only ask.
func (h *Hook) script(args []string) []string {
	if len(args) < 2 {
		return args
	}
	switch strings.ToUpper(args[1]) {
	case "LOAD":
		if len(args) == 3 {
			h.remember(args[2])
		}
	case "FLUSH":
		h.mu.Lock()
		clear(h.sources)
		h.mu.Unlock()
	case "EXISTS":
	default:
		return failing(fmt.Sprintf("VTCMD virtual time does not know the command %q", "SCRIPT "+args[1]))
	}
	return args
}

// eval puts a script into the prelude. A digest is answered from what the library has sent before: the server may
// know others, which would run on the real clock, and the library then sends the source.
func (h *Hook) eval(name string, args []string) []string {
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
		h.mu.Lock()
		known, ok := h.sources[strings.ToLower(source)]
		h.mu.Unlock()
		if !ok {
			return failing("NOSCRIPT No matching script. Please use EVAL.")
		}
		source = known
	}
	h.remember(source)
	wrapped, err := h.wrap(wrapping{source, flags, singleSource})
	if err != nil {
		return failing("VTSCRIPT " + err.Error())
	}
	return h.stamped(append([]string{"EVAL", wrapped}, args[2:]...))
}

func (h *Hook) remember(source string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sources[script.SHA1(source)] = source
}

// stamped appends what the prelude takes off ARGV again: see singleHead.
func (h *Hook) stamped(args []string) []string {
	return append(args, strconv.FormatInt(h.offsetMS, 10), strconv.FormatInt(h.sent.Add(1), 10),
		strconv.FormatInt(h.clock.Now(), 10), h.keep)
}

// failing is a command that the server answers with the error: in its place among the other replies.
func failing(text string) []string {
	return []string{"EVAL", "return redis.error_reply(ARGV[1])", "0", text}
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
	bare := fmt.Sprintf("local bare, keys, args = %t, KEYS, ARGV ", w.source == oneCommand)
	text := s.bodies() + singleHead + bare + s.prelude() + s.maker() + aloneSource + w.caller
	h.wrapped[w] = text
	return text, nil
}
