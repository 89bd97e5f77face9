package virtualtime

import (
	_ "embed"
	"fmt"
	"strings"

	"ratelab/internal/script"
)

//go:embed prelude.lua
var prelude string

// wrapped is a program's script inside the virtual clock: one Lua source that decides a batch of arrivals.
type wrapped struct {
	source, sha1 string
	decide, init layout
	initLine     int // the line before the first of the init script, for its error messages
}

// layout says which elements of KEYS and ARGV travel with each arrival and which are part of the source.
type layout struct {
	varying []script.Template // in the order in which they travel
}

// wrap joins, in this order: the names that the body sees, the body on line 1, the init body, the prelude, the
// loop that the program's own slots are written into.
func wrap(p *script.Program) (*wrapped, error) {
	facts := script.Analyse(p.Source)
	if err := refuse(facts); err != nil {
		return nil, err
	}
	w := &wrapped{}
	var b strings.Builder
	b.WriteString("local ratelab_redis,ratelab_args=redis,ARGV local redis,server,KEYS,ARGV,math=redis,redis,KEYS,ARGV,math " +
		"local ratelab_body=function(...) ")
	b.WriteString(body(p.Source))
	b.WriteString("\nend\n")
	if p.Init != nil {
		w.initLine = strings.Count(b.String(), "\n")
		b.WriteString("local ratelab_init=function(...) ")
		b.WriteString(body(p.InitSource))
		b.WriteString("\nend\n")
	}
	reuse := facts.ReadsArguments && p.Init == nil
	fill := strings.NewReplacer(
		"--[[flags]]", flagCode(facts),
		"--[[slots]]", w.decide.slots(p.Decide),
		"--[[assign]]", w.decide.assign(p.Decide, reuse),
		"--[[once]]", w.decide.once(p.Decide, reuse),
		"--[[init]]", w.init.initCode(p.Init),
		"--[[after]]", afterCode(facts),
	)
	b.WriteString(fill.Replace(prelude))
	w.source = b.String()
	w.sha1 = script.SHA1(w.source)
	return w, nil
}

// body is source as it stands inside a function: without its #! line, and ended by a newline in case its last
// line is a comment.
func body(source string) string {
	if strings.HasPrefix(source, "#!") {
		_, rest, _ := strings.Cut(source, "\n")
		return "\n" + rest
	}
	return source
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

func refuse(facts script.Facts) error {
	if len(facts.Refused) > 0 {
		return &RefusedError{facts.Refused}
	}
	return nil
}

func flagCode(facts script.Facts) string {
	var b strings.Builder
	for _, flag := range facts.Flags {
		if flag == "no-writes" {
			b.WriteString("no_writes = true ")
		}
	}
	if facts.Random {
		b.WriteString("draws = true ")
	}
	return b.String()
}

// afterCode undoes redis.setresp, which would otherwise outlive its arrival.
func afterCode(facts script.Facts) string {
	if facts.SetsProtocol {
		return "real.setresp(2)"
	}
	return ""
}

// slots declares a local for each varying element: its value for the whole batch, or nil where it travels with
// each arrival.
func (l *layout) slots(c script.Call) string {
	for _, t := range append(append([]script.Template{}, c.Keys...), c.Args...) {
		if _, constant := t.Constant(); !constant && !t.IsNow() {
			l.varying = append(l.varying, t)
		}
	}
	var b strings.Builder
	for i := range l.varying {
		fmt.Fprintf(&b, "local v%d, each%d = A[p + %d], byte(A[4], %d) == 49 ", i+1, i+1, i, i+1)
	}
	fmt.Fprintf(&b, "p = p + %d", len(l.varying))
	return b.String()
}

// assign is the code that makes KEYS and ARGV for one arrival.
func (l *layout) assign(c script.Call, reuse bool) string {
	var b strings.Builder
	for i := range l.varying {
		fmt.Fprintf(&b, "if each%d then v%d = A[p] p = p + 1 end ", i+1, i+1)
	}
	if !reuse {
		fmt.Fprintf(&b, "KEYS, ARGV = %s", tables(c))
		return b.String()
	}
	n := 0
	element := func(table string, i int, t script.Template) {
		if t.IsNow() {
			fmt.Fprintf(&b, "%s[%d] = now_s ", table, i+1)
		} else if _, constant := t.Constant(); !constant {
			n++
			fmt.Fprintf(&b, "%s[%d] = v%d ", table, i+1, n)
		}
	}
	for i, t := range c.Keys {
		element("KEYS", i, t)
	}
	for i, t := range c.Args {
		element("ARGV", i, t)
	}
	return b.String()
}

func (l *layout) once(c script.Call, reuse bool) string {
	if !reuse {
		return ""
	}
	return "KEYS, ARGV = " + tables(c)
}

// tables are the constructors of KEYS and ARGV.
func tables(c script.Call) string {
	n := 0
	list := func(templates []script.Template) string {
		var elements []string
		for _, t := range templates {
			text, constant := t.Constant()
			switch {
			case constant:
				elements = append(elements, quote(text))
			case t.IsNow():
				elements = append(elements, "now_s")
			default:
				n++
				elements = append(elements, fmt.Sprintf("v%d", n))
			}
		}
		return "{" + strings.Join(elements, ", ") + "}"
	}
	keys := list(c.Keys)
	return keys + ", " + list(c.Args)
}

// initCode runs the init body with KEYS and ARGV that come whole with its entry.
func (l *layout) initCode(c *script.Call) string {
	if c == nil {
		return ""
	}
	l.varying = append(append([]script.Template{}, c.Keys...), c.Args...)
	var b strings.Builder
	b.WriteString("KEYS, ARGV = {}, {} ")
	for i := range c.Keys {
		fmt.Fprintf(&b, "KEYS[%d] = A[p + %d] ", i+1, i)
	}
	for i := range c.Args {
		fmt.Fprintf(&b, "ARGV[%d] = A[p + %d] ", i+1, len(c.Keys)+i)
	}
	fmt.Fprintf(&b, "p = p + %d answer = ratelab_init()", len(l.varying))
	return b.String()
}

// quote writes text as a Lua string: decimal escapes for whatever is not plain.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '~' || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, "\\%03d", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
