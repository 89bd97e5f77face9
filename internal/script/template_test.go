package script

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var noon = Vars{Key: "k{1}", Cost: 3, NowUS: 1_704_067_261_999_999, ID: 1_000_000_000_000_042}

func TestTemplatesWriteTheirVariables(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"rate:{key}":       "rate:k{1}",
		"{cost}/{limit}":   "3/100",
		"{now_s}.{now_ms}": "1704067261.1704067261999",
		"{now_us}":         "1704067261999999",
		"{now_us / 1e6}":   "1704067261.999999",
		"{id}":             "1000000000000042",
		"{ now_ms //60}:":  "28401121033:",
		"{{{key}}}":        "{k{1}}",
		"a}}b{{c":          "a}b{c",
		"{{now_s}}":        "{now_s}",
	} {
		template, err := ParseTemplate(text, constants{"limit": 100})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(template.Append(nil, &noon)); got != want {
			t.Errorf("%q writes %q, want %q", text, got, want)
		}
		if want != "" { // no key is none with a prefix, too
			want = "p:" + want
		}
		if got := string(template.WithPrefix("p:").Append([]byte("x"), &noon)); got != "x"+want {
			t.Errorf("%q with a prefix, after x, writes %q, want %q", text, got, "x"+want)
		}
	}
}

func TestBadTemplatesSayWhatIsLegal(t *testing.T) {
	const names = "want one of limit, cost, id, key, now_ms, now_s, now_us"
	for text, want := range map[string]string{
		"{keys}":                       `unknown "keys"; did you mean "key"? ` + names,
		"{Limit}":                      `unknown "Limit"; did you mean "limit"? ` + names,
		"{0x10}":                       `"x10" follows a number; want an operator: + - * / // % ==`,
		"{limit ^ 2}":                  `"^" follows a number; want an operator: + - * / // % ==`,
		"{limit limit}":                `"limit" follows a number; want an operator: + - * / // % ==`,
		"{1e6s}":                       `"s" follows a number; want an operator: + - * / // % ==`,
		"{limit)}":                     `")" follows a number; want an operator: + - * / // % ==`,
		"{}":                           `a number or a name is missing; want one before and after each operator`,
		"{limit -}":                    `a number or a name is missing; want one before and after each operator`,
		"{* 2}":                        `a number or a name is missing; want one before and after each operator`,
		"{(1 + 2}":                     `( is not closed; want a ) for each`,
		"{key + 1}":                    `key and id are text, not numbers; want each in its own braces`,
		"{-id}":                        `key and id are text, not numbers; want each in its own braces`,
		"{limit / 0}":                  `divides by 0; want another divisor`,
		"{1 // (limit - 100)}":         `divides by 0; want another divisor`,
		"{cost % 0.0}":                 `divides by 0; want another divisor`,
		"{limit / (now_s % 10)}":       `the divisor may be 0 in some calls; want a divisor that is never 0, such as limit or window_ms`,
		"{1 % (5 - cost)}":             `the divisor may be 0 in some calls; want a divisor that is never 0, such as limit or window_ms`,
		"{now_us * 1000}":              `the result of * is up to 8e+18, ` + inexact,
		"{limit - now_us * 2}":         `the result of * is up to 1.6e+16, ` + inexact,
		"{9007199254740993}":           `9007199254740993 is up to 9.01e+15, ` + inexact,
		"{9007199254740991 + 1}":       `the result of + is up to 9.01e+15, ` + inexact,
		"{1e300 * limit}":              `1e300 is up to 1e+300, ` + inexact,
		"{-9007199254740991 - cost}":   `the result of - is up to 9.01e+15, ` + inexact,
		"{9007199254740991 // 0.0001}": `the result of // is up to 9.01e+19, ` + inexact,
		"a{key":                        `{ is not closed; write {{ for a brace`,
		"a}b":                          `a single } has no meaning; write }} for a brace`,
	} {
		_, err := ParseTemplate(text, constants{"limit": 100})
		if want = fmt.Sprintf("template %q: %s", text, want); err == nil || err.Error() != want {
			t.Errorf("%q gives\n%v, want\n%s", text, err, want)
		}
	}
}

const inexact = "and numbers are exact below 2^53 = 9007199254740992; want a larger unit or a smaller number"

func TestTheClockIsFlooredToItsGranularity(t *testing.T) {
	for granularity, want := range map[int64]string{0: "1704067261999999", 1: "1704067261999999",
		1000: "1704067261999000", 1_000_000: "1704067261000000"} {
		if got := string(NowUS(granularity).Append(nil, &noon)); got != want {
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
			"{now_us / 1e6}", "{id}", "{(now_ms + cost) // 1000}", "x"})).Draw(rt, "pieces")
		template, err := ParseTemplate(strings.Join(pieces, ""), nil)
		if err != nil {
			rt.Fatal(err)
		}
		draw := func(name string) Vars {
			few := rapid.Int64Range(1, 2)
			return Vars{Key: rapid.SampledFrom([]string{"a", "b"}).Draw(rt, name), Cost: few.Draw(rt, name),
				NowUS: rapid.SampledFrom([]int64{1, 999, 1000, 2_000_000}).Draw(rt, name), ID: few.Draw(rt, name)}
		}
		a, b := draw("a"), draw("b")
		if template.Same(a, b) && string(template.Append(nil, &a)) != string(template.Append(nil, &b)) {
			rt.Fatalf("%q is the same for %+v and %+v", pieces, a, b)
		}
	})
}

func TestAPrefixKeepsRunsApart(t *testing.T) {
	init := Call{Keys: []Template{KeyIn("i:")}}
	p := &Program{Decide: Call{Keys: []Template{KeyIn("d:"), Literal("all")}, Args: []Template{Cost()}}, Init: &init}
	q := p.InKeyspace("run1:")
	for i, want := range []string{"run1:d:{k{1}}", "run1:all"} {
		if got := string(q.Decide.Keys[i].Append(nil, &noon)); got != want {
			t.Errorf("key %d is %q, want %q", i, got, want)
		}
	}
	if got := string(q.Init.Keys[0].Append(nil, &noon)); got != "run1:i:{k{1}}" {
		t.Errorf("the init script's key is %q", got)
	}
	if got := string(p.Decide.Keys[0].Append(nil, &noon)) + string(p.Init.Keys[0].Append(nil,
		&noon)); got != "d:{k{1}}i:{k{1}}" {
		t.Errorf("the program itself has changed: %q", got)
	}
	if got := string(q.Decide.Args[0].Append(nil, &noon)); got != "3" {
		t.Errorf("an argument has become %q", got)
	}
}
