package script

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"ratelab/internal/message"
)

// Facts is what a reading of a script's source, without running it, tells those who run it.
type Facts struct {
	// Body is the script without its #! line, spelled so that no two readers can take it for two things: see spell. It
	// is empty where Unread says why.
	Body   string
	Unread error // a *SyntaxError: the text is no Lua, or none that can be followed

	// ReadsArguments: of KEYS and ARGV only elements and the length are ever read. Then the script cannot tell fresh
	// tables from the last call's tables with new contents, and building them anew can be saved.
	ReadsArguments bool
	Random         bool // may draw random numbers
	SetsProtocol   bool // may call redis.setresp
	Varargs        bool // uses the arguments of its chunk, of which EVAL gives none
	Metatables     bool // uses getmetatable or setmetatable
	// tables of the server, sorted, that are used otherwise than as name.field: their fields may be written
	Values   []string
	Flags    []string // of a #! line
	Refused  []Remark // what no virtual clock can follow, and what Redis itself refuses
	Embedded []Remark // what the embedded server gets wrong
	Converts int      // the first line that makes a number of an argument; 0: none does
	Reads    []Read   // elements of KEYS and ARGV that it names by their number
}

// Read is an element of KEYS or ARGV that a line names.
type Read struct {
	Of     string
	Number int
	Line   int
}

// Remark is one thing to say about one line of a script.
type Remark struct {
	Line int
	Text string
}

// Analyse reads source.
func Analyse(source string) Facts {
	r := &reader{facts: Facts{ReadsArguments: true}, values: map[string]bool{}, reported: map[string]bool{}}
	f := &r.facts
	body := r.shebang(source)
	tokens, err := lex(body)
	var chunk []ast.Stmt
	if err == nil {
		chunk, err = parsed(tokens)
	}
	if err != nil {
		f.Unread = err
		return *f
	}
	f.Body = spell(tokens)
	r.block(chunk)
	if r.converts > 0 && r.fractions {
		r.note(&f.Embedded, Remark{r.converts, exponentGap})
	}
	for name := range r.values {
		f.Values = append(f.Values, name)
	}
	slices.Sort(f.Values)
	return *f
}

// Gaps are what the embedded server gets wrong of the program. Numbers that its binding passes are written out, unless
// it says otherwise.
func (p *Program) Gaps() []Remark {
	f := Analyse(p.Source)
	exponents := slices.ContainsFunc(p.Decide.Args, func(t Template) bool {
		return slices.ContainsFunc(t.parts, func(p part) bool {
			return p.kind == literal &&
				exponent.MatchString(p.text)
		})
	})
	if f.Converts > 0 && exponents {
		return append(f.Embedded, Remark{f.Converts, exponentGap})
	}
	return f.Embedded
}

// Unbound says which element the script reads that its binding does not give; "" where there is none.
func (p *Program) Unbound() string {
	facts := Analyse(p.Source)
	if !facts.ReadsArguments { // it may have put it there
		return ""
	}
	for _, r := range facts.Reads {
		given, what := len(p.Decide.Keys), "key"
		if r.Of == "ARGV" {
			given, what = len(p.Decide.Args), "argument"
		}
		if r.Number > given {
			return fmt.Sprintf("line %d reads %s[%d], which is nil: the binding gives %s", r.Line, r.Of, r.Number,
				message.Count(given, what))
		}
	}
	return ""
}

// exponent is text that is a number with an exponent.
var exponent = regexp.MustCompile(`^[-+]?[0-9.]+[eE][-+]?[0-9]+$`)

// parsed is what the tokens mean. The parser does not tell `local function f` from `local f = function`, in which f is
// another variable inside the function than outside: it is given `local f f = function` for the former.
func parsed(tokens []token) ([]ast.Stmt, error) {
	var plain []token
	for i, t := range tokens {
		plain = append(plain, t)
		if i >= 2 && tokens[i-1].is("function") && tokens[i-2].is("local") && t.kind == word {
			plain = slices.Delete(plain, len(plain)-2, len(plain)-1)
			plain = append(plain, t, token{sign, "=", t.line}, token{word, "function", t.line})
		}
	}
	chunk, err := parse.Parse(strings.NewReader(spell(plain)), "user_script")
	var bad *parse.Error
	switch {
	case errors.As(err, &bad):
		if bad.Pos.Line == parse.EOF {
			return nil, &SyntaxError{tokens[len(tokens)-1].line, "the script ends in the middle of a statement"}
		}
		return nil, &SyntaxError{bad.Pos.Line, fmt.Sprintf("unexpected %q", bad.Token)}
	case err != nil:
		return nil, &SyntaxError{1, err.Error()}
	case chunk == nil && len(tokens) > 0:
		return nil, &SyntaxError{tokens[0].line, "cannot be read"}
	}
	return chunk, nil
}

// is reports whether t is this keyword.
func (t token) is(keyword string) bool { return t.kind == word && t.text == keyword }

var numeralText = regexp.MustCompile(`^(0[xX][0-9a-fA-F]{1,16}|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?)$`)

// knownFlags are those that Redis knows.
var knownFlags = []string{"allow-cross-slot-keys", "allow-oom", "allow-stale", "no-cluster", "no-writes"}

// shebang reads a line such as "#!lua flags=no-writes,allow-oom" as strictly as Redis does, and gives the source
// without its text.
func (r *reader) shebang(source string) string {
	if !strings.HasPrefix(source, "#!") {
		return source
	}
	line, rest, _ := strings.Cut(source, "\n")
	words := strings.Fields(line[len("#!"):])
	if len(words) == 0 || words[0] != "lua" {
		r.refuse(1, "%q names no engine that Redis has for scripts; want #!lua", line[:min(len(line), 60)])
		return "\n" + rest
	}
	for _, option := range words[1:] {
		list, ok := strings.CutPrefix(option, "flags=")
		if !ok {
			r.refuse(1, "unknown option %.60q after #!lua; want flags=", option)
			continue
		}
		for flag := range strings.SplitSeq(list, ",") {
			if !slices.Contains(knownFlags, flag) {
				r.refuse(1, "unknown flag %.60q; want one of %s", flag, strings.Join(knownFlags, ", "))
			}
			r.facts.Flags = append(r.facts.Flags, flag)
		}
	}
	return "\n" + rest
}
