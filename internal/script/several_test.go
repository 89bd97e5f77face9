package script

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// twoLimits are requests and tokens of a user, and tokens of an organisation.
var twoLimits = []limit.Limit{
	{Name: "rpm", Policy: limit.Policy{Requests: 120, Window: time.Minute}, CountsRequests: true},
	{Name: "org", Policy: limit.Policy{Requests: 300000, Window: time.Hour}, Part: 2},
}

// bound reads a binding for two limits.
func bound(t *testing.T, binding string) ([]*Program, string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"my.lua": "return 1", "my.yaml": binding} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return LoadSeveral(OnDisk(filepath.Join(dir, "my.lua")), twoLimits)
}

// texts are the elements of a call for one request of ann in acme.
func texts(all []Template) (list []string) {
	for _, t := range all {
		list = append(list, string(t.Append(nil, &Vars{Key: "ann|acme", Cost: 7, NowUS: 3_600_000_001})))
	}
	return list
}

// With one call for each limit, every name is that limit's.
func TestOneCallForEachLimit(t *testing.T) {
	programs, ask, err := bound(t, `{ask: all, keys: ["{name}:{key}:{n}"], admitted: "< {limit}",
		args: ["{limit}", "{window_s}", "{cost}", "{cost + n}"]}`)
	if err != nil || ask != "all" || len(programs) != 2 {
		t.Fatalf("%d programs, ask %q, %v", len(programs), ask, err)
	}
	for i, want := range [][]string{{"rpm:ann|acme:1", "120", "60", "1", "2"},
		{"org:acme:2", "300000", "3600", "7", "9"}} {
		c := programs[i].Decide
		if got := slices.Concat(texts(c.Keys), texts(c.Args)); !slices.Equal(got, want) {
			t.Errorf("limit %d is called with %q, want %q", i, got, want)
		}
	}
	if d, err := programs[0].Decision(resp.Value{Kind: resp.Int, Int: 120}, 0); err != nil || d.Allowed() {
		t.Errorf("the limit of 120 answers 120: %+v, %v", d, err)
	}
	if d, err := programs[1].Decision(resp.Value{Kind: resp.Int, Int: 120}, 0); err != nil || !d.Allowed() {
		t.Errorf("the limit of 300000 answers 120: %+v, %v", d, err)
	}
}

// One call has a list for each limit, and its reply says which limits refused.
func TestOneCallForAllLimits(t *testing.T) {
	programs, ask, err := bound(t, `{keys: {each: ["{key}:{name}:w", "{key}:{name}:n"]},
		args: {first: ["{now_s}", "{limits}"], each: ["{limit}", "{cost}"]}, reply: {element: "{2 * n}", admitted: "<= {limit}"}}`)
	if err != nil || ask != "" || len(programs) != 1 {
		t.Fatalf("%d programs, ask %q, %v", len(programs), ask, err)
	}
	want := []string{"ann|acme:rpm:w", "ann|acme:rpm:n", "acme:org:w", "acme:org:n", "3600", "2", "120", "1",
		"300000", "7"}
	if got := slices.Concat(texts(programs[0].Decide.Keys), texts(programs[0].Decide.Args)); !slices.Equal(got, want) {
		t.Errorf("called with %q, want %q", got, want)
	}
	reply := func(numbers ...int64) (r resp.Value) {
		r.Kind = resp.Array
		for _, n := range numbers {
			r.Items = append(r.Items, resp.Value{Kind: resp.Int, Int: n})
		}
		return r
	}
	for _, test := range []struct {
		reply   resp.Value
		refused limit.Each
	}{{reply(0, 120, 0, 300000), 0}, {reply(0, 121, 0, 1), 1}, {reply(0, 1, 0, 300001), 2},
		{reply(0, 121, 0, 300001), 3}} {
		d, err := programs[0].Decision(test.reply, 0)
		if err != nil || d.Refused != test.refused || d.Allowed() != (test.refused == 0) {
			t.Errorf("%v: %+v, %v; want refused %b", test.reply, d, err, test.refused)
		}
	}
	gated, _, err := bound(t, `{keys: {each: ["{key}:{name}"]}, element: 1, admitted: [1], gate: {element: 2, first: 0}}`)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := gated[0].Decision(reply(0, 1), 0); err != nil || d.Refused != 2 {
		t.Errorf("%+v, %v; want the second limit", d, err)
	}
	if _, err := gated[0].Decision(reply(0, 2), 0); err == nil {
		t.Error("a third limit is taken")
	}
}

func TestBindingsOfSeveralLimitsRefuse(t *testing.T) {
	for binding, want := range map[string]string{
		`{keys: ["{key}"], admitted: [1]}`:                                                    "keys: the limits rpm and org would share their keys",
		`{keys: {each: ["{key}:{now_s}"]}, admitted: [1], gate: {element: 1}}`:                "",
		`{keys: {each: ["x:{key}:{window_s}"]}, admitted: [1]}`:                               "reply: or gate: is missing",
		`{limit: 5/1m, keys: ["{key}{name}"], admitted: [1]}`:                                 "limit: the script contains one limit",
		`{ask: some, keys: ["{key}{name}"], admitted: [1]}`:                                   `ask: "some"; want one of order, all`,
		`{keys: {each: ["{key}{name}"]}, reply: {element: "{n - 1}", admitted: [1]}}`:         "the element of limit 1 is 0; want a whole number from 1 to 1000",
		`{keys: {each: ["{key}{name}"]}, args: {each: ["{x}"]}, reply: {admitted: "<= {y}"}}`: `unknown "x"`,
	} {
		_, _, err := bound(t, strings.ReplaceAll(binding, "{now_s}", "{name}"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", binding, err, want)
		}
	}
}
