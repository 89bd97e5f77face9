package virtualtime

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/script"
)

//go:embed prelude/*.lua
var preludeFiles embed.FS

// The parts of the prelude: those that every wrapper has, and its last one.
var (
	preludeSource = part("clock") + part("commands") + part("expiry") + part("facade")
	batchSource   = part("batch")
	singleSource  = part("single")
)

// part is one file of the prelude without its comments and indentation, which would travel with every call of the
// hook.
func part(name string) string {
	text, err := preludeFiles.ReadFile("prelude/" + name + ".lua")
	if err != nil {
		panic(err) // embedded above
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
	initLine     int // the line before the first of the init script, for its error messages
}

// The names that the body sees, all on its first line, so that its own line numbers hold.
const (
	bodyNames = "local ratelab_redis,ratelab_args=redis,ARGV local redis,server,KEYS,ARGV,math=redis,redis,KEYS,ARGV,math "
	bodyOpen  = "local ratelab_body=function(...) "
	initOpen  = "local ratelab_init=function(...) "
	bodyClose = "\nend\n" // the newline ends a comment on the body's last line
)

// wrap joins, in this order: the names that the body sees, the body on line 1, the init body, the prelude, the
// loop that the program's own slots are written into.
func wrap(p *script.Program) (*wrapped, error) {
	facts := script.Analyse(p.Source)
	if err := acceptable(facts); err != nil {
		return nil, err
	}
	w := &wrapped{}
	bodies := bodyNames + bodyOpen + body(p.Source) + bodyClose
	s := settings{facts: facts}
	if p.Init != nil {
		s.init = script.Analyse(p.InitSource)
		if err := acceptable(s.init); err != nil {
			return nil, fmt.Errorf("init script: %w", err)
		}
		w.initLine = strings.Count(bodies, "\n")
		bodies += initOpen + body(p.InitSource) + bodyClose
	}
	s.lines = strings.Count(bodies, "\n")
	w.decide.varying, w.decide.tellsTime = varying(p.Decide), tellsTime(p.Decide)
	if n := len(w.decide.varying); n > mostVarying {
		return nil, fmt.Errorf("%d elements of KEYS and ARGV change from request to request; virtual time carries at most %d", n, mostVarying)
	}
	fill := strings.NewReplacer(
		"--[[slots]]", w.decide.slots(),
		"--[[assign]]", w.decide.assign(p.Decide, facts.ReadsArguments),
		"--[[once]]", once(p.Decide, facts.ReadsArguments),
		"--[[init]]", w.init.initCode(p.Init, s),
		"--[[after]]", s.after(),
	)
	head := "local real, A = ratelab_redis, ratelab_args " +
		"local offset, keep, any_key = tonumber(A[1]), tonumber(A[2]), false "
	w.source = bodies + head + s.code() + preludeSource + fill.Replace(batchSource)
	w.sha1 = script.SHA1(w.source)
	return w, nil
}

// body is source as it stands inside a function: without its #! line.
func body(source string) string {
	if strings.HasPrefix(source, "#!") {
		_, rest, _ := strings.Cut(source, "\n")
		return "\n" + rest
	}
	return source
}

// settings are what the prelude is told about the scripts it stands around.
type settings struct {
	facts, init script.Facts
	lines       int // of both bodies
}

const noWrites = "no-writes"

func readOnly(facts script.Facts) bool { return slices.Contains(facts.Flags, noWrites) }

// code declares the settings: the flags of a #! line cannot stay with the wrapper, which deletes keys itself.
func (s settings) code() string {
	return fmt.Sprintf("local no_writes, guarded, draws, last_line = %t, %t, %t, %d\n",
		readOnly(s.facts), readOnly(s.facts) || readOnly(s.init), s.facts.Random || s.init.Random, s.lines)
}

// after undoes redis.setresp, which would otherwise outlive its arrival.
func (s settings) after() string {
	if s.facts.SetsProtocol || s.init.SetsProtocol {
		return "real.setresp(2)"
	}
	return ""
}

// RefusedError lists what virtual time cannot follow in a script.
type RefusedError struct{ Remarks []script.Remark }

func (e *RefusedError) Error() string {
	var lines []string
	for _, r := range e.Remarks {
		lines = append(lines, fmt.Sprintf("line %d: %s", r.Line, r.Text))
	}
	return "virtual time cannot follow the script: " + strings.Join(lines, "; ")
}

// knownFlags are those that Redis knows; only no-writes means something where there is one server and no cluster.
var knownFlags = []string{"allow-cross-slot-keys", "allow-oom", "allow-stale", "no-cluster", noWrites}

func acceptable(facts script.Facts) error {
	remarks := facts.Refused
	for _, flag := range facts.Flags {
		if !slices.Contains(knownFlags, flag) {
			remarks = append(remarks, script.Remark{Line: 1,
				Text: fmt.Sprintf("unknown flag %q; want one of %s", flag, strings.Join(knownFlags, ", "))})
		}
	}
	if len(remarks) > 0 {
		return &RefusedError{remarks}
	}
	return nil
}
