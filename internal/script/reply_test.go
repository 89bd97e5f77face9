package script

import (
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

func integers(values ...int64) resp.Value {
	r := resp.Value{Kind: resp.Array}
	for _, v := range values {
		r.Items = append(r.Items, resp.Value{Kind: resp.Int, Int: v})
	}
	return r
}

func TestRepliesByTheContractBecomeDecisions(t *testing.T) {
	for _, c := range []struct {
		reply resp.Value
		want  limit.Decision
	}{
		{integers(1, 9, 0, 30), limit.Decision{Verdict: limit.Allowed, Remaining: 9, ResetAfterUS: 30}},
		{integers(0, 2, 7, 30), limit.Decision{Verdict: limit.Rejected, Remaining: 2, RetryAfterUS: 7,
			ResetAfterUS: 30}},
		{integers(0, 2, -1, 30), limit.Decision{Verdict: limit.Rejected, Remaining: 2, RetryAfterUS: limit.Never,
			ResetAfterUS: 30}},
		{integers(-1, 0, 0, 0), limit.Decision{Verdict: limit.NotConfigured}},
		{integers(1, 9, 0, 30, 5), limit.Decision{Verdict: limit.Allowed, Remaining: 9, ResetAfterUS: 30, DelayUS: 5}},
	} {
		if got, err := Contract(c.reply); err != nil || got != c.want {
			t.Errorf("%v is %+v, %v; want %+v", c.reply, got, err, c.want)
		}
	}
}

func TestOtherRepliesAreQuoted(t *testing.T) {
	mixed := integers(1, 2, 3, 4)
	mixed.Items[3] = resp.Value{Kind: resp.String, Text: "4"}
	short := "want {allowed, remaining, retry_after_us, reset_after_us} or the same with delay_us, all integers"
	for _, c := range []struct {
		reply resp.Value
		want  string
	}{
		{resp.Value{Kind: resp.Error, Text: "ERR bad cost"}, "ERR bad cost"},
		{resp.Value{Kind: resp.Int, Int: 1}, "reply 1: " + short},
		{resp.Value{}, "reply (nil): " + short},
		{integers(1, 2, 3), "reply [1, 2, 3]: " + short},
		{integers(1, 2, 3, 4, 5, 6), "reply [1, 2, 3, 4, 5, 6]: " + short},
		{mixed, `reply [1, 2, 3, "4"]: ` + short},
		{integers(2, 0, 0, 0), "reply [2, 0, 0, 0]: allowed is 2; want 1, 0 or -1"},
		{integers(1, 2, 3, 4, 5, 6, 7, 8, 9), "reply [1, 2, 3, 4, 5, 6, 7, 8, …]: " + short},
		{resp.Value{Kind: resp.String, Text: strings.Repeat("x", 61)},
			`reply "` + strings.Repeat("x", 60) + `"…: ` + short},
		{resp.Value{Kind: resp.Array, Items: []resp.Value{{Kind: resp.Error, Text: "ERR x"}}},
			"reply [(error) ERR x]: " + short},
	} {
		if _, err := Contract(c.reply); err == nil || err.Error() != c.want {
			t.Errorf("the error is\n%v\nwant\n%s", err, c.want)
		}
	}
}
