package algorithms

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// change is a story whose parameters change: the first so many steps are decided by old, the rest by s.in on the same
// state. Both decide at the instant of the change.
type change struct {
	story
	old       Rule
	oldPolicy limit.Policy
	before    int
	atUS      int64
}

// drawChange draws two instances of one algorithm, and lets the second one's model go on from where the first's is.
func drawChange(t *rapid.T, name string) change {
	old, p := drawInstance(t, name)
	q := limit.Policy{Requests: rapid.Int64Range(1, 30).Draw(t, "requests then"), Window: p.Window, Burst: p.Burst}
	if rapid.Bool().Draw(t, "another window") {
		q.Window = rapid.SampledFrom(append(storyWindows[:len(storyWindows):len(storyWindows)],
			time.Hour)).Draw(t, "window then")
	}
	if rapid.Bool().Draw(t, "another burst") {
		q.Burst = rapid.Int64Range(0, 30).Draw(t, "burst then")
	}
	c := change{story: story{in: drawParameters(t, name, q), policy: q}, old: old, oldPolicy: p}
	at := algotest.StartUS + rapid.Int64Range(0, 2*p.WindowUS()).Draw(t, "start")
	l := old.NewModel()
	step := func(p limit.Policy) limit.Decision {
		e := event{atUS: at, cost: drawCost(t, p)}
		e.Decision = l.Decide(e.atUS, e.atUS, "k", e.cost)
		c.steps = append(c.steps, e)
		return e.Decision
	}
	for range rapid.IntRange(0, 12).Draw(t, "steps before") {
		at += drawPause(t, p, step(p))
	}
	for range rapid.IntRange(1, 3).Draw(t, "steps at the change, before") {
		step(p)
	}
	c.before, c.atUS = len(c.steps), at
	l = takeOver(c.in.NewModel(), l)
	for range rapid.IntRange(1, 3).Draw(t, "steps at the change, after") {
		step(q)
	}
	for range rapid.IntRange(0, 12).Draw(t, "steps after") {
		at += drawPause(t, q, step(q))
	}
	return c
}

// takeOver gives l the keys of old, a model of the same algorithm.
func takeOver(l, old limit.Model) limit.Model {
	if to := storeOf(reflect.ValueOf(l)); to.IsValid() {
		to.Set(storeOf(reflect.ValueOf(old)))
	}
	return l
}

// storeOf is the store that a model holds, in whichever of its fields.
func storeOf(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		return storeOf(v.Elem())
	case reflect.Struct:
		if strings.HasPrefix(v.Type().Name(), "store[") {
			return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // its field is not exported
		}
		for i := range v.NumField() {
			if s := storeOf(v.Field(i)); s.IsValid() {
				return s
			}
		}
	}
	return reflect.Value{}
}

// scriptDecides lets the script decide the requests on s, under the old arguments and then under the new ones: around
// it stands a script that counts its calls. What is configured is configured with each call, as that is idempotent.
func (c *change) scriptDecides(t *rapid.T, ctx context.Context, s *redis.Server) []limit.Decision {
	lists := [3]string{}
	for i, args := range [][]string{c.old.Args, c.in.Args, c.in.Init} {
		for _, a := range args {
			lists[i] += fmt.Sprintf(", '%s'", a)
		}
	}
	init := ""
	if c.in.Init != nil {
		init = "decide(KEYS, {ARGV[1], ARGV[2]" + lists[2] + "})"
	}
	source := fmt.Sprintf(`local function decide(KEYS, ARGV)
%s
end
local calls = redis.call('INCR', KEYS[2])
if calls <= %d then return decide({KEYS[1]}, {ARGV[1], ARGV[2]%s}) end
%s
return decide({KEYS[1]}, {ARGV[1], ARGV[2]%s})`, c.in.Algorithm.Script(), c.before, lists[0], init, lists[1])

	now := script.Literal("")
	if c.in.ClientTime {
		now = script.NowUS(1)
	}
	prefix := fmt.Sprintf("%schange-%d:", s.Prefix, changes.next())
	call := func(rest []string, keys ...script.Template) *script.Call {
		args := []script.Template{now, script.Cost()}
		for _, text := range rest {
			args = append(args, script.Literal(text))
		}
		return &script.Call{Keys: keys, Args: args}
	}
	key, calls := script.KeyIn(prefix), script.KeyIn(prefix+"calls:")
	p := &script.Program{Label: c.in.Label, Source: source, Decide: *call(nil, key, calls), Decode: script.Contract}
	if c.old.Init != nil {
		p.Init, p.InitSource = call(c.old.Init, key), c.in.Algorithm.Script()
	}
	runner, err := virtualtime.New(virtualtime.Connection{Client: s, Embedded: true}, p, virtualtime.Options{
		Start: time.UnixMicro(algotest.StartUS), Real: time.UnixMilli(4e12), BatchSize: 100, Behind: limit.MaxWindow})
	if err != nil {
		t.Fatal(err)
	}
	var requests []limit.Request
	for _, e := range c.steps {
		requests = append(requests, limit.Request{AtUS: e.atUS - algotest.StartUS, Key: "k", Cost: e.cost})
	}
	decisions := make([]limit.Decision, len(requests))
	if err := runner.Decide(ctx, requests, decisions); err != nil {
		t.Fatal(err)
	}
	return decisions
}

// serial numbers the changes, so that each has keys of its own.
type serial struct{ n int }

func (s *serial) next() int { s.n++; return s.n }

var changes serial

// longestUS is how long it takes an instance to forget all that it can hold. It is asked at once, and then whenever it
// says that something is back: of several limits one holds more than is admitted at once.
func longestUS(in Rule, p limit.Policy) int64 {
	at := algotest.StartUS - algotest.StartUS%p.WindowUS() // a grid keeps the longest what comes as a window begins
	l, longest := in.NewModel(), int64(0)
	most := max(p.Requests, p.Capacity())
	if in.Algorithm.Traits.Lends {
		s := story{in: in}
		l.Decide(at, at, "k", max(1, s.parameter("capacity")-1))
		longest = l.Decide(at, at, "k", min(s.parameter("capacity"), 1+s.parameter("debt"))).ResetAfterUS
	}
	for _, d := range flood(l, at, 4*most) {
		longest = max(longest, d.ResetAfterUS)
	}
	if in.Algorithm.Traits.Tiers {
		longest++ // it may hold all that it can between two microseconds only
	}
	return longest
}

// atTheChange is what the old and the new parameters admitted at the instant of the change, and the largest cost of a
// request there.
func (c *change) atTheChange() (before, after, largest int64) {
	largest = 1
	for i, e := range c.steps {
		switch {
		case !e.Allowed() || e.atUS != c.atUS:
			continue
		case i < c.before:
			before += e.cost
		default:
			after += e.cost
		}
		largest = max(largest, e.cost)
	}
	return before, after, largest
}
