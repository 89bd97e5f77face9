package script

import (
	"math"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

func rejected(retryAfterUS int64) limit.Decision { return limit.Decision{RetryAfterUS: retryAfterUS} }

var (
	admitted = limit.Decision{Verdict: limit.Allowed}
	null     = resp.Value{Kind: resp.Nil}
)

// decodeStory is one binding and what the replies to it mean.
type decodeStory struct {
	binding string
	lines   []decodeLine
}

type decodeLine struct {
	reply resp.Value
	want  limit.Decision
	fails string // the error, instead of a decision
}

func (s decodeStory) check(t *testing.T) {
	t.Helper()
	p := loadText(t, "keys: ['{key}']\n"+s.binding, threeSeconds)
	for _, line := range s.lines {
		got, err := p.Decode(line.reply)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if message != line.fails || err == nil && got != line.want {
			t.Errorf("%s\nreply %v:\ngot  %+v %s\nwant %+v %s", s.binding, line.reply, got, message, line.want,
				line.fails)
		}
	}
}

// A list takes numbers, text and nil apart; what it does not list of the same kinds is a rejection.
func TestDecodeLists(t *testing.T) {
	for _, s := range []decodeStory{
		{"admitted: [1]", []decodeLine{
			{num(1), admitted, ""},
			{num(0), rejected(0), ""},
			{num(-1), rejected(0), ""},
			{null, rejected(0), ""}, // Lua's false
			{words("1"), rejected(0),
				`reply "1": want 1 (admitted) or another number or nil (rejected); a list distinguishes text from numbers: list "1", or use an expression`},
			{words("OK"), rejected(0), `reply "OK": want 1 (admitted) or another number or nil (rejected)`},
			{table(num(1), num(5)), rejected(0),
				`reply [1, 5]: want 1 (admitted) or another number or nil (rejected); name the element of the table to test, such as element: 1`},
			{resp.Value{Kind: resp.Error, Text: "ERR no such key"}, rejected(0), `ERR no such key`},
		}},
		{`admitted: [1, "OK", "1"]`, []decodeLine{
			{num(1), admitted, ""},
			{words("1"), admitted, ""},
			{words("OK"), admitted, ""},
			{words("ok"), rejected(0), ""},
			{num(2), rejected(0), ""},
		}},
		{"admitted: [true]", []decodeLine{{num(1), admitted, ""}, {null, rejected(0), ""}}},
		{"admitted: [false]", []decodeLine{
			{null, admitted, ""},
			{num(250), rejected(0), ""}, // a script that answers how long to wait, or nothing
		}},
		{`admitted: [nil, ~, "nil"]`, []decodeLine{{null, admitted, ""}, {words("nil"), admitted, ""},
			{words("no"), rejected(0), ""}}},
	} {
		s.check(t)
	}
}

// With rejected, a third reply is nonsense, and the two may differ in kind.
func TestDecodeRejected(t *testing.T) {
	for _, s := range []decodeStory{
		{"admitted: [1]\nrejected: [nil]", []decodeLine{
			{num(1), admitted, ""},
			{null, rejected(0), ""},
			{num(0), rejected(0), `reply 0: want 1 (admitted) or nil (rejected)`},
		}},
		{"admitted: [\"OK\"]\nrejected: [0]", []decodeLine{
			{words("OK"), admitted, ""},
			{num(0), rejected(0), ""},
			{num(-1), rejected(0), `reply -1: want "OK" (admitted) or 0 (rejected)`},
			{null, rejected(0), `reply (nil): want "OK" (admitted) or 0 (rejected)`},
		}},
		{"admitted: \">= 0\"\nrejected: == -1", []decodeLine{
			{num(0), admitted, ""},
			{num(-1), rejected(0), ""},
			{num(-2), rejected(0), `reply -2: want >= 0 (admitted) or == -1 (rejected)`},
		}},
	} {
		s.check(t)
	}
}

// Further outcomes are looked at first, and nothing more is read of such a reply.
func TestDecodeFurtherOutcomes(t *testing.T) {
	failed := resp.Value{Kind: resp.Error, Text: "ERR no bucket"}
	for _, s := range []decodeStory{
		{"admitted: [1]\nrejected: [0]\nnot_configured: [-1]\nunavailable: [fail]", []decodeLine{
			{num(1), admitted, ""},
			{num(0), rejected(0), ""},
			{num(-1), notConfigured, ""},
			{words("fail"), unavailable, ""},
			{num(-2), rejected(0), `reply -2: want 1 (admitted) or 0 (rejected)`},
			{failed, rejected(0), `ERR no bucket`},
		}},
		{"admitted: \">= 0\"\nnot_configured: == -1\nunavailable: error\nelement: 1\nremaining: {element: 2}",
			[]decodeLine{
				{table(num(0), num(3)), limit.Decision{Verdict: limit.Allowed, Remaining: 3}, ""},
				{table(num(-1)), notConfigured, ""},
				{table(num(-2), num(0)), rejected(0), ""},
				{failed, unavailable, ""},
			}},
		{"admitted: [1]\nunavailable: nil", []decodeLine{{null, unavailable, ""}, {num(0), rejected(0), ""}}},
	} {
		s.check(t)
	}
}

// Tables: which element to test, and nil where the script answers false instead of its table.
func TestDecodeElements(t *testing.T) {
	for _, s := range []decodeStory{
		{"admitted: < {limit}\nelement: 2", []decodeLine{
			{table(words("x"), num(999)), admitted, ""},
			{table(words("x"), words("1000")), rejected(0), ""},
			{null, rejected(0), ""},
			{table(num(1)), rejected(0), `reply [1]: want a table with element 2; Redis ends a table at its first nil`},
			{num(1), rejected(0), `reply 1: want a table with element 2`},
			{table(num(1), words("much")), rejected(0),
				`reply [1, "much"]: element 2 is "much"; want < {limit} (admitted) or another number or nil (rejected)`},
		}},
		{"admitted: [0]\nelement: [2, 1]", []decodeLine{
			{table(num(1), table(num(0))), admitted, ""},
			{table(num(1), null), rejected(0), ""},
			{table(num(1), num(0)), rejected(0), `reply [1, 0]: want a table with element 2, 1`},
		}},
		{"admitted: not nil", []decodeLine{{table(num(1), num(2)), admitted, ""}, {null, rejected(0), ""}}},
	} {
		s.check(t)
	}
}

// remaining is rounded down; retry_after is rounded up and read in rejections only.
func TestDecodeFigures(t *testing.T) {
	left := func(n int64) limit.Decision { return limit.Decision{Verdict: limit.Allowed, Remaining: n} }
	for _, s := range []decodeStory{
		{"admitted: [1]\nelement: 1\nremaining: {element: 2}\nretry_after: {element: 3, unit: s}", []decodeLine{
			{table(num(1), num(9), words("soon")), left(9), ""}, // an admitted request does not wait
			{table(num(1), words("2.9")), left(2), ""},
			{table(num(1), words("-0.5")), left(-1), ""},
			{table(num(0), num(0), num(2)), rejected(2_000_000), ""},
			{table(num(0), num(0), words("0.1")), rejected(100_000), ""},
			{table(num(0), num(0), words("0.0000001")), rejected(1), ""},
			{table(num(0), num(0), words("1.1")), rejected(1_100_000), ""}, // doubles make 1100000.0000000002 of it
			{table(num(0), num(0), num(-1)), rejected(limit.Never), ""},
			{table(num(0), num(0), words("-1")), rejected(limit.Never), ""},
			{table(num(0), null, null), rejected(0), ""},
			{null, rejected(0), ""},
			{table(num(0), num(0), num(-2)), rejected(0),
				`reply [0, 0, -2]: retry_after is out of range; want a time from now on, or -1 for never`},
			{table(num(0), num(0), num(math.MaxInt64)), rejected(0),
				`reply [0, 0, 9223372036854775807]: retry_after is out of range; want a time from now on, or -1 for never`},
			{table(num(0), num(0)), rejected(0),
				`reply [0, 0]: retry_after: want a table with element 3; Redis ends a table at its first nil`},
			{table(num(0), num(0), words("soon")), rejected(0),
				`reply [0, 0, "soon"]: retry_after is "soon"; want a number`},
			{table(num(1), words("1e99")), rejected(0),
				`reply [1, "1e99"]: remaining is out of range; want a number of requests`},
		}},
		{"admitted: \">= 0\"\nremaining: {}",
			[]decodeLine{{num(4), left(4), ""}, {num(-1), limit.Decision{Remaining: -1}, ""}}},
		{"admitted: [0]\nretry_after: {unit: ms}",
			[]decodeLine{{num(0), admitted, ""}, {num(250), rejected(250_000), ""}}},
		{"admitted: [0]\nretry_after: {unit: us}", []decodeLine{{num(250), rejected(250), ""}}},
	} {
		s.check(t)
	}
}

// An instant becomes the time until then by the client's clock, which may have passed.
func TestDecodeInstants(t *testing.T) {
	const now = 1_704_067_200_250_000
	for unit, waits := range map[string]map[string]int64{
		"epoch_s":  {"1704067201": 750_000, "1704067200.2500005": 1, "1704067200": 0, "-1": limit.Never},
		"epoch_ms": {"1704067200251": 1000, "1704067200250.25": 250, "0": 0},
		"epoch_us": {"1704067200250007": 7, "1": 0},
		"ms":       {"250": 250_000},
	} {
		p := loadText(t, "keys: ['{key}']\nadmitted: [yes]\nelement: 1\nretry_after: {element: 2, unit: "+unit+"}",
			threeSeconds)
		for text, want := range waits {
			d, err := p.Decision(table(words("no"), words(text)), now)
			if err != nil || d != rejected(want) {
				t.Errorf("%s %s: %+v, %v; want to wait %d µs", text, unit, d, err, want)
			}
		}
	}
}

// Deciding costs no memory for the replies that scripts give: there are millions of them.
func TestDecodeAllocatesNothing(t *testing.T) {
	p := loadText(t, "keys: ['{key}']\nadmitted: [1]\nelement: 1\nremaining: {element: 2}\nretry_after: {element: 3, "+
		"unit: ms}", threeSeconds)
	reply := table(num(0), num(9), num(20))
	if n := testing.AllocsPerRun(100, func() { _, _ = p.Decode(reply) }); n > 0 {
		t.Errorf("%v allocations; want none", n)
	}
}
