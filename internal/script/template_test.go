package script

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var noon = Vars{Key: "k{1}", Cost: 3, NowUS: 1_704_067_261_999_999}

func TestTemplatesWriteTheirVariables(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"rate:{key}":       "rate:k{1}",
		"{cost}/{limit}":   "3/100",
		"{now_s}.{now_ms}": "1704067261.1704067261999",
		"{now_us}":         "1704067261999999",
		"{now_us / 1e6}":   "1704067261.999999",
		"{{{key}}}":        "{k{1}}",
		"a}}b{{c":          "a}b{c",
		"{{now_s}}":        "{now_s}",
	} {
		template, err := ParseTemplate(text, map[string]string{"limit": "100"})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(template.Append(nil, noon)); got != want {
			t.Errorf("%q writes %q, want %q", text, got, want)
		}
		if got := string(template.WithPrefix("p:").Append([]byte("x"), noon)); got != "xp:"+want {
			t.Errorf("%q with a prefix, after x, writes %q, want %q", text, got, "xp:"+want)
		}
	}
}

func TestBadTemplatesSayWhatIsLegal(t *testing.T) {
	for text, want := range map[string]string{
		"{keys}": `template "{keys}": unknown {keys}; want one of {cost} {key} {limit} {now_ms} {now_s} {now_us / 1e6} {now_us}`,
		"{}":     `template "{}": unknown {}; want one of {cost} {key} {limit} {now_ms} {now_s} {now_us / 1e6} {now_us}`,
		"a{key":  `template "a{key": { is not closed; write {{ for a brace`,
		"a}b":    `template "a}b": a single } stands for nothing; write }} for a brace`,
	} {
		_, err := ParseTemplate(text, map[string]string{"limit": "100"})
		if err == nil || err.Error() != want {
			t.Errorf("%q gives %v, want %s", text, err, want)
		}
	}
}

func TestTheClockIsFlooredToItsGranularity(t *testing.T) {
	for granularity, want := range map[int64]string{0: "1704067261999999", 1: "1704067261999999",
		1000: "1704067261999000", 1_000_000: "1704067261000000"} {
		if got := string(NowUS(granularity).Append(nil, noon)); got != want {
			t.Errorf("in steps of %d µs the clock is %s, want %s", granularity, got, want)
		}
	}
	if !NowUS(1).IsNow() || NowUS(1000).IsNow() || Cost().IsNow() {
		t.Error("only the plain clock is the plain clock")
	}
}

func TestConstantsAreTold(t *testing.T) {
	if text, ok := Literal("x").WithPrefix("p:").Constant(); !ok || text != "p:x" {
		t.Errorf("a literal is %q, %t", text, ok)
	}
	if _, ok := KeyIn("p:").Constant(); ok {
		t.Error("a key is constant")
	}
}

// Same never says same of two calls for which the texts differ: the wrapper sends only one of them.
func TestSameIsNeverWrong(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"{key}", "{cost}", "{now_us}", "{now_ms}", "{now_s}",
			"{now_us / 1e6}", "x"})).Draw(rt, "pieces")
		template, err := ParseTemplate(strings.Join(pieces, ""), nil)
		if err != nil {
			rt.Fatal(err)
		}
		draw := func(name string) Vars {
			return Vars{rapid.SampledFrom([]string{"a", "b"}).Draw(rt, name), rapid.Int64Range(1, 2).Draw(rt, name),
				rapid.SampledFrom([]int64{1, 999, 1000, 2_000_000}).Draw(rt, name)}
		}
		a, b := draw("a"), draw("b")
		if template.Same(a, b) && string(template.Append(nil, a)) != string(template.Append(nil, b)) {
			rt.Fatalf("%q is the same for %+v and %+v", pieces, a, b)
		}
	})
}

func TestAPrefixKeepsRunsApart(t *testing.T) {
	init := Call{Keys: []Template{KeyIn("i:")}}
	p := &Program{Decide: Call{Keys: []Template{KeyIn("d:"), Literal("all")}, Args: []Template{Cost()}}, Init: &init}
	q := p.InKeyspace("run1:")
	for i, want := range []string{"run1:d:{k{1}}", "run1:all"} {
		if got := string(q.Decide.Keys[i].Append(nil, noon)); got != want {
			t.Errorf("key %d is %q, want %q", i, got, want)
		}
	}
	if got := string(q.Init.Keys[0].Append(nil, noon)); got != "run1:i:{k{1}}" {
		t.Errorf("the init script's key is %q", got)
	}
	if got := string(p.Decide.Keys[0].Append(nil, noon)) + string(p.Init.Keys[0].Append(nil,
		noon)); got != "d:{k{1}}i:{k{1}}" {
		t.Errorf("the program itself has changed: %q", got)
	}
	if got := string(q.Decide.Args[0].Append(nil, noon)); got != "3" {
		t.Errorf("an argument has become %q", got)
	}
}
