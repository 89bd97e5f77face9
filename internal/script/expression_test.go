package script

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// The values are computed by another program: see the head of the table.
func TestExpressionsAreWhatPythonMakesOfThem(t *testing.T) {
	known := constantsOf(limit.Policy{Requests: 100, Window: 7 * time.Second, Burst: 20})
	v := Vars{Cost: 3, NowUS: 1_704_067_261_999_999}
	lines := strings.Split(strings.TrimSpace(contents(t, "testdata/expressions.txt")), "\n")
	for _, line := range lines[1:] {
		text, want, _ := strings.Cut(strings.TrimSpace(line), " = ")
		template, err := ParseTemplate("{"+text+"}", known)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := string(template.Append(nil, &v)); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// A number that is written reads back as the same double, without an exponent.
func TestNumbersReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.Float64Range(-1<<53+1, 1<<53-1).Draw(rt, "x")
		if rapid.Bool().Draw(rt, "whole") {
			x = float64(int64(x))
		}
		text := string(appendNumber(nil, x))
		if y, err := strconv.ParseFloat(text, 64); err != nil || y != x || strings.ContainsAny(text, "eE") {
			rt.Errorf("%v is written %s", x, text)
		}
	})
}

// Whatever the text, it is refused on one line, or has a value below 2^53 at any time and cost: no call can fail.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"{now_ms // window_ms}", "{-(limit - 1) % 7}", "{id}:{key}", "{cost / (1 + now_s)}",
		"{limit % -cost}", "{((1}", "{1e308*9}", "{now_us % 0.1}"} {
		f.Add(seed, int64(1_704_067_261_999_999), int64(1))
	}
	f.Fuzz(func(t *testing.T, text string, nowUS, cost int64) {
		template, err := ParseTemplate(text, constantsOf(threeSeconds))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("message %q", err)
			}
			return
		}
		v := Vars{Key: "k", Cost: 1 + max(0, cost)%limit.MaxRequests, NowUS: max(0, nowUS) % latestUS}
		for i := range template.parts {
			if p := &template.parts[i]; p.kind&computed != 0 {
				if x := p.sum.at(&v); !(max(x, -x) < 1<<53) || x < p.sum.low || x > p.sum.high {
					t.Errorf("%q is %v at %+v, and is from %v to %v", text, x, v, p.sum.low, p.sum.high)
				}
			}
		}
	})
}
