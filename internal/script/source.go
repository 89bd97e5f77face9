package script

import (
	"fmt"
	"strings"
)

// Facts is what a reading of a script's source, without running it, tells those who run it.
type Facts struct {
	// ReadsArguments: KEYS and ARGV are only ever read, element by element. Then the script cannot tell fresh
	// tables from the last call's tables with new contents, and building them anew can be saved.
	ReadsArguments bool
	Random         bool     // draws random numbers
	SetsProtocol   bool     // calls redis.setresp
	Flags          []string // of a #! line
	Refused        []Remark // what virtual time cannot follow
	Embedded       []Remark // what the embedded server gets wrong
}

// Remark is one thing to say about one line of a script.
type Remark struct {
	Line int
	Text string
}

// refused are names through which a script would step around the virtual clock.
var refused = map[string]string{
	"_G":         "reaches the server's own redis.call",
	"getfenv":    "reaches the server's own redis.call",
	"setfenv":    "replaces the environment (and Redis refuses it)",
	"loadstring": "compiles code that would see the real clock",
	"load":       "compiles code that would see the real clock",
	"dofile":     "reads files (and Redis refuses it)",
}

// embeddedGaps are names that miniredis's Lua lacks, or that Redis lacks and miniredis accepts.
var embeddedGaps = map[string]string{
	"bit":      "the embedded server has no bit library",
	"struct":   "the embedded server has no struct library",
	"cmsgpack": "the embedded server has no cmsgpack library",
	"os":       "Redis has no os library (beyond os.clock); the embedded server accepts it",
	"io":       "Redis has no io library; the embedded server accepts it",
	"goto":     "Redis's Lua 5.1 has no goto; the embedded server accepts it",
	"tostring": "tostring of a large number is rounded to 14 digits by Redis and printed in full by the embedded server",
	"tonumber": "tonumber of text such as 1e3 or 5e-05 is nil on the embedded server",
}

// Analyse reads source.
func Analyse(source string) Facts {
	facts := Facts{ReadsArguments: true}
	if strings.HasPrefix(source, "#!") {
		facts.Flags = shebangFlags(source)
	}
	tokens := lex(source)
	for i, t := range tokens {
		if t.kind != 'n' {
			continue
		}
		field := i > 0 && (tokens[i-1].text == "." || tokens[i-1].text == ":")
		switch {
		case (t.text == "KEYS" || t.text == "ARGV") && !field:
			facts.ReadsArguments = facts.ReadsArguments && readsElement(tokens, i)
		case t.text == "random" || t.text == "randomseed":
			facts.Random = true
		case t.text == "setresp":
			facts.SetsProtocol = true
		}
		if why, bad := refused[t.text]; bad && !field {
			facts.Refused = append(facts.Refused, Remark{t.line, fmt.Sprintf("%s %s", t.text, why)})
		}
		if why, gap := embeddedGaps[t.text]; gap && !field {
			facts.Embedded = append(facts.Embedded, Remark{t.line, why})
		}
	}
	return facts
}

// readsElement reports whether the KEYS or ARGV at i is used as #KEYS or as KEYS[number] on the right of things.
func readsElement(tokens []token, i int) bool {
	at := func(k int) string {
		if k < 0 || k >= len(tokens) {
			return ""
		}
		return tokens[k].text
	}
	if at(i-1) == "#" {
		return true
	}
	if at(i+1) != "[" || i+2 >= len(tokens) || tokens[i+2].kind != '0' || at(i+3) != "]" {
		return false
	}
	return !assigned(tokens[i+4:])
}

// assigned reports whether the variable before rest is the target of an assignment, alone or in a list of them.
func assigned(rest []token) bool {
	depth := 0
	for j, t := range rest {
		switch t.text {
		case "(", "{", "[":
			depth++
		case ")", "}", "]":
			depth--
			if depth < 0 {
				return false // inside a call or a table
			}
		case "=":
			return depth == 0
		case ",", ".":
		default:
			if depth == 0 && (j == 0 || rest[j-1].text != "," && rest[j-1].text != ".") {
				return false // an operator, or the next statement
			}
		}
		if depth > 0 && j == 0 && t.text == "[" {
			return true // KEYS[1][…]: not worth understanding
		}
	}
	return false
}

// shebangFlags gives the flags of a line such as "#!lua flags=no-writes,allow-oom".
func shebangFlags(source string) []string {
	line, _, _ := strings.Cut(source, "\n")
	for _, word := range strings.Fields(line)[1:] {
		if list, ok := strings.CutPrefix(word, "flags="); ok {
			return strings.Split(list, ",")
		}
	}
	return nil
}
