//go:build !js

package embedded_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// node is a part of a generated program: a statement, or a block with its statements.
type node struct {
	open string
	kids []*node
}

func (n *node) write(b *strings.Builder) {
	b.WriteString(n.open + "\n")
	for _, kid := range n.kids {
		kid.write(b)
	}
}

const generateTail = `end, KEYS[1], ARGV[1])
if not ok then tell('failed', problem) end
return told`

const refusal = "VTCMD the embedded server cannot decide"

// alikeServers decides programs on the embedded server and on a real one.
type alikeServers struct {
	ours, its *connection
	valkey    bool // it does not name Redis in errors, and its tables have another order
	head      string
}

func (n *node) text() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// ordered matches programs that the order of a table's names shows in.
var ordered = regexp.MustCompile(`pairs\(|next|cjson|foreach|maxn|#`)

func (a alikeServers) decide(t testing.TB, n *node) (ours, its string) {
	source := a.head + n.text() + generateTail
	for _, c := range []*connection{a.ours, a.its} {
		c.ask(t, "FLUSHALL")
	}
	ours, its = a.ours.ask(t, "EVAL", source, "1", "k", "7"), a.its.ask(t, "EVAL", source, "1", "k", "7")
	if a.valkey {
		ours, its = bare.ReplaceAllString(ours, ""), bare.ReplaceAllString(its, "")
	}
	return ours, its
}

// differ reports whether the answers differ. A refusal does not count, nor do the words of a compiler.
func differ(ours, its string) bool {
	const uncompiled = "-ERR Error compiling script"
	return ours != its && !strings.Contains(ours, refusal) &&
		!(strings.HasPrefix(ours, uncompiled) && strings.HasPrefix(its, uncompiled))
}

// shrink takes statements out of a program as long as the servers differ about the rest.
func (a alikeServers) shrink(t testing.TB, root *node) {
	for again := true; again; {
		again = false
		var walk func(n *node)
		walk = func(n *node) {
			for i := 0; i < len(n.kids); i++ {
				kid, all := n.kids[i], n.kids
				for _, instead := range [][]*node{nil, kid.kids} {
					n.kids = append(append(append([]*node{}, all[:i]...), instead...), all[i+1:]...)
					if differ(a.decide(t, root)) {
						again = true
						i--
						break
					}
					n.kids = all
				}
				if i >= 0 && i < len(n.kids) && n.kids[i] == kid {
					walk(kid)
				}
			}
		}
		walk(root)
	}
}

// number is a variable of the environment, or otherwise.
func number(t testing.TB, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%s: want a whole number", name, text)
	}
	return n
}

// Programs from fixed seeds decide as on Redis. RATELAB_PROGRAMS is how many of each kind, and RATELAB_SEED the first
// seed. Containers decide fewer: the process has shown the others.
func TestGeneratedProgramsDecideAsOnRedis(t *testing.T) {
	head, err := os.ReadFile("testdata/head.lua")
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, real *redis.Server, programs int) {
		for _, name := range []string{"programs", "patterns", "commands", "formats"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				grammar := readGrammar(t, name)
				conn, err := real.Open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				servers := alikeServers{dial(t, server(t)), &connection{conn, bufio.NewReader(conn)},
					real.Name == "valkey", string(head)}
				count := number(t, "RATELAB_PROGRAMS", programs)
				first := number(t, "RATELAB_SEED", 1)
				refused, found := 0, 0
				for seed := first; seed < first+count; seed++ {
					if seed%1_000 == 0 {
						servers.its.ask(t, "SCRIPT", "FLUSH")
						servers.ours.ask(t, "SCRIPT", "FLUSH")
					}
					root := grammar.program(rand.New(rand.NewPCG(uint64(seed), 0)), name == "commands")
					if name == "programs" && servers.valkey && ordered.MatchString(root.text()) {
						continue
					}
					ours, its := servers.decide(t, root)
					if strings.Contains(ours, refusal) {
						refused++
					}
					if !differ(ours, its) {
						continue
					}
					servers.shrink(t, root)
					ours, its = servers.decide(t, root)
					t.Errorf("RATELAB_SEED=%d: %s\nours  %q\nRedis %q", seed, root.text(), ours, its)
					if found++; found >= number(t, "RATELAB_DIFFERENCES", 3) {
						break
					}
				}
				t.Logf("%d %s from seed %d: %d refused", count, name, first, refused)
			})
		}
	}
	t.Run("process", func(t *testing.T) { check(t, redistest.Private(t), longtest.Nightly(7_000, 2_000, 500)) })
	for _, image := range redistest.Images() {
		t.Run("container="+image, func(t *testing.T) {
			check(t, redistest.Container(t, image), longtest.Nightly(7_000, 500, 500))
		})
	}
}
