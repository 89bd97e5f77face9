package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"ratelab/internal/luavm"
	"ratelab/internal/message"
)

// Facts are the properties of a script that its source shows without running it.
type Facts struct {
	// Body is the script without its #! line, in a form that all Lua parsers read alike: see spell. If Unread is set,
	// Body is empty.
	Body   string
	Unread *Remark // why the text is not Lua, or not Lua that can be analysed; nil: it is

	// ReadsArguments: the script reads only elements and lengths of KEYS and ARGV. Such a script cannot distinguish new
	// tables from the last call's tables with new contents. So the caller need not build new tables.
	ReadsArguments bool
	Random         bool // may draw random numbers
	SetsProtocol   bool // may call redis.setresp
	Numbers        bool // uses tonumber only in calls with one argument
	Varargs        bool // uses the arguments of its chunk; EVAL gives none
	Metatables     bool // uses getmetatable or setmetatable
	// Placed are functions that users' scripts get in another form, sorted: see placed.
	Placed []string
	// Values are the server's tables that are not only used as name.field, sorted. The script may write to their
	// fields.
	Values  []string
	Flags   []string // of a #! line
	Refused []Remark // what a virtual clock cannot follow, and what Redis itself refuses
	Gone    []Remark // functions that Lua 5.4 does not have, by name, each on its first line
	OwnKey  int      // the first line with a command whose key the script makes itself; 0: none is known
	Reads   []Read   // elements of KEYS and ARGV that the script names by their number

	lists    int  // number of elements, if all its own returns give plain lists of this length; otherwise 0
	ownRedis bool // the script may have a local with the name redis or server
}

// Read is an element of KEYS or ARGV that a line names.
type Read struct {
	Of     string
	Number int
	Line   int
}

// Remark is a message about one line of a script.
type Remark struct {
	Line int
	Text string
}

// analysed caches the Facts of all sources. Each row of each scenario needs the facts of the same few scripts.
var analysed sync.Map

// Analyse returns the facts of source. The result is shared, so its lists must not be changed.
func Analyse(source string) Facts {
	if known, ok := analysed.Load(source); ok {
		return known.(Facts)
	}
	r := &reader{facts: Facts{ReadsArguments: true}, values: map[string]bool{},
		placed: map[string]bool{}, reported: map[string]bool{}, made: map[string]bool{}}
	f := &r.facts
	text := r.shebang(source)
	tokens, wrong := lex(text)
	if bad := luavm.Check(text); wrong == nil && bad != nil {
		wrong = &Remark{bad.Line, bad.Text}
	}
	body := spell(tokens)
	var chunk []ast.Stmt
	if wrong == nil {
		chunk, wrong = parsed(body, tokens)
	}
	if f.Unread = wrong; wrong == nil {
		f.Body = body
		r.block(chunk)
		if n := len(chunk); n == 0 || !isReturn(chunk[n-1]) {
			f.lists = 0
		}
		f.Gone = slices.DeleteFunc(f.Gone, func(g Remark) bool { return r.unpacks && g.Text == "unpack" })
		f.Numbers = r.conversions == r.converters
		f.Values, f.Placed = slices.Sorted(maps.Keys(r.values)), slices.Sorted(maps.Keys(r.placed))
	}
	analysed.Store(source, *f)
	return *f
}

func isReturn(s ast.Stmt) bool {
	_, is := s.(*ast.ReturnStmt)
	return is
}

// Unbound describes an element that the script reads and its binding does not give. It returns "" if no element is
// missing.
func (p *Program) Unbound() string {
	facts := Analyse(p.Source)
	if !facts.ReadsArguments { // the script may have set the element itself
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

// parsed parses the tokens' spelled text.
func parsed(body string, tokens []token) ([]ast.Stmt, *Remark) {
	chunk, err := parse.Parse(strings.NewReader(body), "user_script")
	var bad *parse.Error
	switch {
	case errors.As(err, &bad):
		if bad.Pos.Line == parse.EOF {
			return nil, &Remark{tokens[len(tokens)-1].line, "the script ends in the middle of a statement"}
		}
		return nil, &Remark{bad.Pos.Line, fmt.Sprintf("unexpected %q", bad.Token)}
	case err != nil:
		return nil, &Remark{1, err.Error()}
	case chunk == nil && len(tokens) > 0:
		return nil, &Remark{tokens[0].line, "cannot be read"}
	}
	return chunk, nil
}

// knownFlags are the flags that Redis knows.
var knownFlags = []string{"allow-cross-slot-keys", "allow-oom", "allow-stale", "no-cluster", "no-writes"}

// shebang reads a line such as "#!lua flags=no-writes,allow-oom" as strictly as Redis does. It returns the source with
// this line empty.
func (r *reader) shebang(source string) string {
	if !strings.HasPrefix(source, "#!") {
		return source
	}
	line, rest, _ := strings.Cut(source, "\n")
	words := strings.Fields(line[len("#!"):])
	if len(words) == 0 || words[0] != "lua" {
		r.refuse(1, "%q names a script engine that Redis does not have; want #!lua", line[:min(len(line), 60)])
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
