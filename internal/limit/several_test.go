package limit

import (
	"strings"
	"testing"
	"time"
)

func TestParseLimits(t *testing.T) {
	all, err := ParseLimits("120/1m:requests:name=rpm+300000/1m+1000/1d:key=2:burst=5")
	if err != nil {
		t.Fatal(err)
	}
	want := []Limit{
		{Name: "rpm", Policy: Policy{Requests: 120, Window: time.Minute}, CountsRequests: true},
		{Name: "limit2", Policy: Policy{Requests: 300000, Window: time.Minute}},
		{Name: "limit3", Policy: Policy{Requests: 1000, Window: 24 * time.Hour, Burst: 5, Contract: ByBucket}, Part: 2},
	}
	for i, l := range want {
		if all[i] != l {
			t.Errorf("limit %d is %+v, want %+v", i, all[i], l)
		}
	}
	for text, want := range map[string]string{
		"10/1s+":                            "want REQUESTS/WINDOW",
		"10/1s+5/1m:key=0":                  "key=0: want the number of a part of the key, from 1",
		"10/1s+5/1m:burst=x":                "burst=x: want a whole number from 1",
		"10/1s+5/1m:tokens":                 `"tokens" is not a setting; want requests, cost, key=N, burst=N or name=NAME`,
		"10/1s:name=a+5/1m:name=a":          "there are two limits named a",
		"10/1s+5/1m:name=A":                 `name "A": want 1 to 16 small letters, digits and hyphens`,
		"10/1s:key=2":                       "key= and requests are for several limits",
		"10/1s+5/1m:burst=99999999999":      "burst 99999999999: want 1 to 1000000000",
		strings.Repeat("1/1s+", 8) + "1/1s": "9 limits on one request; want at most 8",
	} {
		if _, err := ParseLimits(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A part of a joined key ends at a | without a backslash before it.
func TestKeyParts(t *testing.T) {
	for _, test := range []struct {
		key  string
		part int
		want string
		ok   bool
	}{
		{"ann|acme", 1, "ann", true}, {"ann|acme", 2, "acme", true}, {"ann|acme", 3, "", false},
		{`a\|b|acme`, 1, `a\|b`, true}, {`a\\|acme`, 2, "acme", true}, {"ann|", 2, "", true}, {"ann", 1, "ann", true},
		{`ann\`, 1, `ann\`, true}, {"", 1, "", true}, {"", 2, "", false},
	} {
		if part, ok := KeyPart(test.key, test.part); part != test.want || ok != test.ok {
			t.Errorf("part %d of %q is %q, %v; want %q, %v", test.part, test.key, part, ok, test.want, test.ok)
		}
	}
}

// If several limits refuse a request, the client waits until the last of them admits it.
func TestJoin(t *testing.T) {
	d := Admitting()
	d.Join(0, Decision{Verdict: Allowed, Remaining: 3, ResetAfterUS: 5})
	d.Join(2, Decision{Remaining: 7, RetryAfterUS: 10, ResetAfterUS: 20})
	d.Join(1, Decision{Remaining: 8, RetryAfterUS: 15, ResetAfterUS: 15})
	d.Join(3, Decision{Verdict: Allowed, Remaining: 1, ResetAfterUS: 99})
	if want := (Decision{Remaining: 7, RetryAfterUS: 15, ResetAfterUS: 20, Refused: 1<<1 | 1<<2,
		Charged: 1<<0 | 1<<3}); d != want {
		t.Errorf("%+v, want %+v", d, want)
	}
	d.Join(4, Decision{RetryAfterUS: Never})
	d.Join(5, Decision{RetryAfterUS: 1})
	if d.RetryAfterUS != Never {
		t.Errorf("one limit never admits the request, but RetryAfterUS is %d", d.RetryAfterUS)
	}
}
