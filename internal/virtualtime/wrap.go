package virtualtime

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/script"
)

//go:embed prelude/*.lua
var preludeFiles embed.FS

// The parts of the prelude. The first group is in every wrapper. Each wrapper ends with batch, single or several.
var (
	preludeSource = part("clock") + part("commands") + part("expiry") + part("facade") + part("fence")
	strangeSource = part("stranger")
	batchSource   = part("batch")
	singleSource  = part("exact") + part("single")
	severalSource = part("exact") + part("several")
	checkSource   = part("check")

	keyspaceSource = part("keyspace") // only for plain commands
)

// part returns one file of the prelude without its comment lines and indentation. It is short because a hook sends the
// prelude with every call.
func part(name string) string {
	text, err := preludeFiles.ReadFile("prelude/" + name + ".lua")
	if err != nil {
		panic(err) // the file is embedded above
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if comment := strings.HasPrefix(line, "--") && !strings.HasPrefix(line, "--[["); line != "" && !comment {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// wrapped is a program's script inside the virtual clock: one Lua source that decides a batch of arrivals.
type wrapped struct {
	source, sha1 string
	decide, init layout
	moves        bool // TIME changes between two requests: see apart
	width        int  // number of elements of an answer, if they are added to the list one by one; 0: they are not
	initLine     int  // the line before the init script begins, for its error messages
}

// wrap joins three parts in this order. The first is a function that makes the bodies, and the decision's body begins
// on line 1. The second is the prelude, and the third is the loop that contains the program's own slots. The error is a
// *RefusedError or a *CompileError.
//
// If checks is true, the wrapper checks each reply before it passes the reply on. If given is true, only the wrapper
// can end a script that loops forever.
func wrap(p *script.Program, checks, given bool) (*wrapped, error) {
	s, err := settingsOf(p)
	if err != nil {
		return nil, err
	}
	unused := func(name string) string {
		for strings.Contains(s.facts.Body+s.init.Body, name) {
			name += "_"
		}
		return name
	}
	s.bound = unused("command")
	direct := s.facts.Direct(s.bound, !p.SurvivesErrors)
	s.facts.Body, s.commands = direct.Body, direct.Commands
	if given && s.strange {
		s.tick = unused("tick")
		s.facts.Body, s.init.Body = script.Bounded(s.facts.Body, s.tick), script.Bounded(s.init.Body, s.tick)
	}
	w := &wrapped{decide: newLayout(p.Decide), width: direct.Width, moves: (p.Foreign || p.TimeMoves) && p.AsksTime()}
	if n := len(w.decide.varying); n > mostVarying {
		return nil, fmt.Errorf("%d elements of KEYS and ARGV change from request to request; virtual time carries at "+
			"most %d", n, mostVarying)
	}
	bodies := s.bodies()
	if p.Init != nil {
		w.initLine = strings.Count(s.decideBody(), "\n")
	}
	var check, once string
	if checks && w.width == 0 {
		check = checkSource
	}
	if s.facts.ReadsArguments {
		once = "local keys, args = " + tables(p.Decide) + " give(keys, args)" // all requests share the tables
	}
	fill := strings.NewReplacer(
		"--[[check]]", check,
		"--[[decide]]", decideCode(p, w.width),
		"--[[keep]]", keepCode(w.width, checks),
		"--[[slots]]", w.decide.slots(p.Decide),
		"--[[assign]]", w.decide.assign(p.Decide, s.facts.ReadsArguments),
		"--[[once]]", once,
		"--[[init]]", w.init.initCode(p.Init, s),
		"--[[protocol]]", s.protocol(),
		"--[[intact]]", s.intact(),
	)
	head := "local real, A = redis, ARGV local offset, keep, any_key = tonumber(A[1]), tonumber(A[2]), false "
	w.source = bodies + head + s.prelude() + s.maker() + fill.Replace(batchSource)
	w.sha1 = script.SHA1(w.source)
	return w, nil
}

// decideCode returns the code that calls the script. An error ends the batch. If the program survives errors, an error
// is an answer like any other, except a refusal of the prelude.
func decideCode(p *script.Program, width int) string {
	switch {
	case width > 0:
		return "local " + numbered("a%d", width, ", ") + " = decide()"
	case !p.SurvivesErrors:
		return "answer = decide()"
	}
	return "local fine fine, answer = xpcall(decide, located) if not fine then answer = {err = tostring(answer)} end"
}

// keepCode returns the code that adds an answer to the list of all answers. The server searches each table of a reply
// for eight fields. This takes time. So if an answer is a list of width elements, the elements are added one by one,
// without a table. Such an answer must begin with a number and contain neither nil nor false. Any other answer is added
// as a table.
func keepCode(width int, checks bool) string {
	if width == 0 {
		return "if answer == nil then answer = false end n = n + 1 out[n] = answer"
	}
	all, plain, check := numbered("a%d", width, ", "), "(a1 == 1 or a1 == 0 or type(a1) == 'number')", ""
	if width > 1 {
		plain += " and " + strings.TrimPrefix(numbered("a%d", width, " and "), "a1 and ")
	}
	if checks {
		plain, check = numbered("type(a%d) == 'number'", width, " and "), "sound({"+all+"}, 0) "
	}
	return fmt.Sprintf("n = n + 1 if %s then %s m = m + %d else %sm = m + 1 out[m] = {{%s}} end", plain,
		numbered("out[m + %[1]d] = a%[1]d", width, " "), width, check, all)
}

// numbered formats each number from 1 to n and joins the results.
func numbered(form string, n int, between string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(form, i+1)
	}
	return strings.Join(all, between)
}

// settings are the facts about the scripts that the prelude needs.
type settings struct {
	facts    script.Facts
	strange  bool         // users' scripts: they may do anything
	prepares bool         // there is an init script
	init     script.Facts // the facts of the init script
	ttls     script.TTLs
	tick     string   // name of the function that counts turns of loops in the bodies; "": none
	commands []string // commands that the body calls through functions: see script.Direct
	bound    string   // beginning of the names of these functions
}

func settingsOf(p *script.Program) (s settings, err error) {
	s.strange, s.ttls = p.Foreign, p.TTLs
	if s.facts, err = facts(p.Source, false); err != nil || p.Init == nil {
		return s, err
	}
	s.prepares = true
	s.init, err = facts(p.InitSource, true)
	return s, err
}

// facts returns the facts of a script, or an error if the script cannot be wrapped.
func facts(source string, init bool) (script.Facts, error) {
	f := script.Analyse(source)
	switch {
	case f.Unread != nil:
		return f, &CompileError{Init: init, Text: fmt.Sprintf("user_script:%d: %s", f.Unread.Line, f.Unread.Text)}
	case len(f.Refused) > 0:
		return f, &RefusedError{Init: init, Remarks: f.Refused}
	}
	return f, nil
}

const noWrites = "no-writes"

func readOnly(facts script.Facts) bool { return slices.Contains(facts.Flags, noWrites) }

// bodies returns the code of a function that makes the bodies. The bodies see only the parameters of this function and
// the server's own functions.
func (s settings) bodies() string {
	bodies := s.decideBody()
	if s.prepares {
		bodies += opening(s.init) + s.init.Body + bodyClose + ", "
	}
	return bodies + "function(keys, args) KEYS, ARGV = keys, args end end "
}

// decideBody returns the source up to the end of the script. The body begins on the line on which its file begins, so
// that its errors have the right line numbers.
func (s settings) decideBody() string {
	names := append([]string{"redis, server, KEYS, ARGV"}, s.lent()...)
	if n := len(s.commands); n > 0 {
		names = append(names, numbered(s.bound+"%d", n, ", "))
	}
	return "local make = function(" + strings.Join(names, ", ") + ") return " +
		opening(s.facts) + s.facts.Body + bodyClose + ", "
}

// opening returns the beginning of a body. Lua's chunks are vararg functions, but Lua 5.1 makes a table for each call
// of a vararg function. So the body is one only if the script uses its arguments.
func opening(f script.Facts) string {
	if f.Varargs {
		return "function(...) "
	}
	return "function() "
}

const bodyClose = "\nend"

// lentInstead maps names to the values that bodies see. Other names have a plain copy of the server's table.
var lentInstead = map[string]string{
	"cjson":        fmt.Sprintf("lend(cjson, settings(cjson, %q, %q))", script.Settings, script.Harmless),
	"getmetatable": "metatable",
	"math":         "lend(math, {random = random, randomseed = reseed})",
	"tonumber":     "number",
}

// lentToStrangers has the additional replacements for users' scripts.
var lentToStrangers = map[string]string{
	"cmsgpack":     "lend(library(function() return cmsgpack end), {pack = pack})",
	"next":         "onward",
	"pairs":        "each",
	"rawget":       "peek",
	"rawset":       "put",
	"setmetatable": "fasten",
	"table":        "lend(table, {foreach = foreach})",
	"tostring":     "spell",
}

// prelude returns the code between the function of the bodies and its call.
func (s settings) prelude() string {
	prelude := preludeSource
	if s.ttls != (script.TTLs{}) { // the replaced lines are in the prelude's functions due and live
		longer := fmt.Sprintf(" * %d + %d", s.ttls.Times, s.ttls.PlusMS)
		prelude = strings.NewReplacer("local at = v * unit\n", "local at = v * unit\nif not absolute then at = at"+
			longer+" end\n", "local ahead = v * unit\n", "local ahead = v * unit"+longer+"\n").Replace(prelude)
	}
	if s.strange {
		return s.code() + prelude + strangeSource
	}
	return s.code() + prelude
}

// maker returns the code that calls the function of the bodies.
func (s settings) maker() string {
	made := "decide, "
	if s.prepares {
		made += "prepare, "
	}
	given := []string{"shadow, shadow, nil, nil"}
	for _, name := range s.lent() {
		instead := cmp.Or(lentInstead[name], "lend(library(function() return "+name+" end))")
		if s.strange {
			instead = cmp.Or(lentToStrangers[name], instead)
		}
		if name == s.tick {
			instead = "tick"
		}
		given = append(given, instead)
	}
	for _, command := range s.commands {
		given = append(given, "bind("+script.Quote(command)+")")
	}
	return fmt.Sprintf("local %sgive = make(%s)\n", made, strings.Join(given, ", "))
}

// lent returns the names under which the bodies see something else than the server's own values. The names of the call,
// such as KEYS, are not included.
func (s settings) lent() []string {
	names := slices.Concat(s.facts.Values, s.init.Values)
	if s.draws() {
		names = append(names, "math")
	}
	if s.metatables() {
		names = append(names, "getmetatable")
	}
	if s.facts.Numbers && (s.init.Numbers || !s.prepares) {
		names = append(names, "tonumber")
	}
	if s.strange {
		names = slices.Concat(names, s.facts.Placed, s.init.Placed)
	}
	if s.tick != "" {
		names = append(names, s.tick)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names),
		func(name string) bool { return name == "redis" || name == "server" })
}

func (s settings) metatables() bool { return s.facts.Metatables || s.init.Metatables }

func (s settings) draws() bool { return s.facts.Random || s.init.Random }

// code declares the settings. The flags of a #! line cannot apply to the wrapper, because the wrapper deletes keys
// itself.
func (s settings) code() string {
	return fmt.Sprintf("local no_writes, guarded, draws, metatables, last_line = %t, %t, %t, %t, %d\n",
		readOnly(s.facts), readOnly(s.facts) || readOnly(s.init), s.draws(), s.metatables(),
		strings.Count(s.bodies(), "\n"))
}

// protocol returns the code that undoes redis.setresp. Otherwise its effect would last beyond the arrival.
func (s settings) protocol() string {
	if s.facts.SetsProtocol || s.init.SetsProtocol {
		return "real.setresp(2)"
	}
	return ""
}

// intact returns the code that checks whether the body changed its lent tables. It is empty if the source proves that
// the body cannot write to them.
func (s settings) intact() string {
	if len(s.facts.Values)+len(s.init.Values) > 0 {
		return "if written() then readonly() end"
	}
	return ""
}

// RefusedError lists the parts of a script that virtual time cannot follow.
type RefusedError struct {
	Init    bool // the script is the init script
	Remarks []script.Remark
}

// mostRemarks is the largest number of remarks in one message.
const mostRemarks = 10

func (e *RefusedError) Error() string {
	var lines []string
	for _, r := range e.Remarks[:min(len(e.Remarks), mostRemarks)] {
		lines = append(lines, fmt.Sprintf("line %d: %s", r.Line, r.Text))
	}
	if more := len(e.Remarks) - mostRemarks; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	which := "script: "
	if e.Init {
		which = "init script: "
	}
	return "virtual time cannot follow the " + which + strings.Join(lines, "; ")
}
