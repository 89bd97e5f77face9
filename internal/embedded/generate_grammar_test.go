//go:build !js

package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// grammar says how the programs of a kind are written: what may stand for a letter. In a file of testdata, the texts
// behind "n:" may stand for $n, and now and then those behind "n!". They end at ## or at the end of the line. The text
// ~ is empty. A program consists of some of "^" and of statements. These are "." and "|", which has others at each bar.
// It ends with ";".
type grammar map[byte]*ways

// ways are what may stand for a letter. plain ones have no letters in them.
type ways struct{ all, plain, rare []string }

var forms = regexp.MustCompile(`^([A-Z]+/[A-Z/]+) (.*)$`)

func readGrammar(t testing.TB, name string) grammar {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	g := grammar{'v': {}}
	var letter, mark byte
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		if line[0] != ' ' {
			letter, mark, line = line[0], line[1], line[2:]
		}
		w := g[letter]
		if w == nil {
			w = &ways{}
			g[letter] = w
		}
		for way := range strings.SplitSeq(line, "##") {
			names, rest := "", strings.TrimSpace(way)
			if found := forms.FindStringSubmatch(rest); found != nil {
				names, rest = found[1], " "+found[2]
			}
			for name := range strings.SplitSeq(names, "/") {
				w.add(name+strings.TrimPrefix(rest, "~"), mark)
			}
		}
	}
	return g
}

func (w *ways) add(way string, mark byte) {
	switch {
	case mark == '!':
		w.rare = append(w.rare, way)
	case !strings.Contains(way, "$"):
		w.plain = append(w.plain, way)
		fallthrough
	default:
		w.all = append(w.all, way)
	}
}

// programmer writes one program.
type programmer struct {
	*rand.Rand
	grammar
	vars  []string // those in scope: a letter for the kind, and a number
	made  int
	calls bool // the statements are commands
}

// program is a program at random.
func (g grammar) program(r *rand.Rand, calls bool) *node {
	p := &programmer{Rand: r, grammar: g, calls: calls}
	root := &node{}
	if first := g['^']; first != nil {
		for _, form := range first.all {
			if r.IntN(2) == 0 {
				root.kids = append(root.kids, &node{open: p.call(p.fill(form, 3))})
			}
		}
	}
	for range 2 + r.IntN(9) {
		root.kids = append(root.kids, p.statement(2))
	}
	if g[';'] != nil {
		root.kids = append(root.kids, &node{open: p.expression(';', 3)})
	}
	return root
}

// fill writes expressions in the place of the letters after $, and new variables in the place of those after @.
func (p *programmer) fill(template string, depth int) string {
	var b strings.Builder
	var fresh []string
	for i := 0; i < len(template); i++ {
		switch c := template[i]; {
		case c != '$' && c != '@':
			b.WriteByte(c)
			continue
		case c == '@':
			p.made++
			fresh = append(fresh, fmt.Sprintf("%c%d", template[i+1], p.made))
			b.WriteString(fresh[len(fresh)-1])
		case template[i+1] == '$':
			b.WriteByte('$')
		default:
			b.WriteString(p.expression(template[i+1], depth-1))
		}
		i++
	}
	p.vars = append(p.vars, fresh...)
	return b.String()
}

// expression is what stands for a letter: often a variable of that kind. v is a variable of any kind.
func (p *programmer) expression(kind byte, depth int) string {
	var mine []string
	for _, name := range p.vars {
		if name[0] == kind || kind == 'v' {
			mine = append(mine, name)
		}
	}
	if len(mine) > 0 && (kind == 'v' || p.IntN(2) == 0) {
		name := pick(p.Rand, mine...)
		if kind == 'v' && name[0] == 't' && p.IntN(2) == 0 {
			name += strings.ReplaceAll(p.expression('i', 1), "%", name)
		}
		return name
	}
	w := p.grammar[kind]
	switch {
	case len(w.rare) > 0 && p.IntN(25) == 0:
		return p.fill(pick(p.Rand, w.rare...), depth)
	case len(w.plain) > 0 && (depth <= 0 || p.IntN(4) == 0):
		return pick(p.Rand, w.plain...)
	}
	return p.fill(pick(p.Rand, w.all...), depth)
}

// statement is a statement, with blocks of at most that depth.
func (p *programmer) statement(depth int) *node {
	if p.grammar['|'] == nil || depth == 0 || p.IntN(3) > 0 {
		return &node{open: p.call(p.expression('.', 3))}
	}
	before := len(p.vars)
	parts := strings.Split(pick(p.Rand, p.grammar['|'].all...), "|")
	n := &node{open: p.fill(parts[0], 2)}
	for _, part := range parts[1:] {
		inner := len(p.vars)
		kids := &node{}
		for range 1 + p.IntN(3) {
			kids.kids = append(kids.kids, p.statement(depth-1))
		}
		p.vars = p.vars[:inner]
		n.kids = append(n.kids, kids, &node{open: p.fill(part, 2)})
	}
	p.vars = p.vars[:before]
	return n
}

// call writes a command as a call, now and then with a word too many or too few, or in other letters. It looks at the
// keys afterwards.
func (p *programmer) call(form string) string {
	if !p.calls {
		return form
	}
	args := strings.Fields(form)
	switch i := p.IntN(len(args)); p.IntN(40) {
	case 0:
		args = args[:1+i]
	case 1:
		args = append(args, pick(p.Rand, "a", "NX", "1", "WITHSCORES", "EX"))
	case 2:
		args[i] = strings.ToLower(args[i])
	case 3:
		args[max(i, 1)%len(args)] += pick(p.Rand, `\0`, `\32`, "x")
	}
	looks := ""
	for i, arg := range args {
		if len(arg) == 2 && strings.Contains("shlSz", arg[:1]) && strings.Contains("123", arg[1:]) {
			looks += " look('" + arg + "')"
		}
		args[i] = `"` + strings.ReplaceAll(arg, "'", "") + `"`
	}
	return "answer(" + args[0] + ", redis.pcall(" + strings.Join(args, ", ") + "))" + looks
}

// pick is one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }
